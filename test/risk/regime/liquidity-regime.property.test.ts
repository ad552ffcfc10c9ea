import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  initialLiquidityRegime,
  LIQUIDITY_REGIMES,
  liquidityRegimeFacts,
  updateLiquidityRegime,
  type LiquidityRegimeState,
  type RegimeFeatures,
} from "../../../src/risk/regime/liquidity-regime.ts";

// Mutants that these laws caught when tried: a weight made negative (monotone), the cut points swapped (sum to one),
// normalisation left out (sum to one), null read as 6 (missing), alarm ignored (alarm). Beside them, examples caught:
// hysteresis removed, evidence not scaled by the elapsed time.

const NAMES = ["volatility", "spread", "depth", "funding", "openInterest", "marketVolatility"] as const;
const QUIET = { returnInSigmas: 0, depthRatio: 1 };

const score = fc.double({ min: -6, max: 6, noNaN: true });
const known = fc.tuple(score, score, score, score, score, score);
const partly = fc.array(fc.option(score), { minLength: 6, maxLength: 6 });
const hours = fc.double({ min: 0, max: 60, noNaN: true });

function featuresOf(scores: readonly (number | null)[]): RegimeFeatures {
  return Object.fromEntries(NAMES.map((name, i) => [name, scores[i] ?? null])) as Record<
    (typeof NAMES)[number],
    number | null
  >;
}

/** A state reached by some history, so that every previous posterior and reported state is a possible one. */
const state: fc.Arbitrary<LiquidityRegimeState> = fc
  .array(known, { maxLength: 6 })
  .map((history) =>
    history.reduce<LiquidityRegimeState>(
      (previous, scores) => updateLiquidityRegime(previous, featuresOf(scores), QUIET, 1),
      initialLiquidityRegime(),
    ),
  );

describe("liquidity regime laws", () => {
  it("keeps probabilities that sum to one and reports a state with at least 1/3 confidence", () => {
    fc.assert(
      fc.property(state, partly, hours, (previous, scores, elapsed) => {
        const next = updateLiquidityRegime(previous, featuresOf(scores), QUIET, elapsed);
        expect(next.posterior.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
        for (const p of next.posterior) expect(p).toBeGreaterThanOrEqual(0);
        const { confidence } = liquidityRegimeFacts(next);
        expect(confidence).toBeGreaterThanOrEqual(1 / 3 - 1e-12);
        expect(confidence).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("never makes a crisis less likely when a score worsens", () => {
    fc.assert(
      fc.property(
        state,
        known,
        fc.nat(5),
        fc.double({ min: 0, max: 6, noNaN: true }),
        (previous, scores, which, worsening) => {
          const worse = scores.map((value, i) => (i === which ? value + worsening : value));
          const before = updateLiquidityRegime(previous, featuresOf(scores), QUIET, 1).posterior;
          const after = updateLiquidityRegime(previous, featuresOf(worse), QUIET, 1).posterior;
          expect(after[2]).toBeGreaterThanOrEqual(before[2] * (1 - 1e-12));
          expect(after[0]).toBeLessThanOrEqual(before[0] * (1 + 1e-12));
        },
      ),
    );
  });

  it("does not enter a crisis for want of scores", () => {
    fc.assert(
      fc.property(fc.array(hours, { maxLength: 20 }), fc.boolean(), (times, isStressed) => {
        let current: LiquidityRegimeState = isStressed
          ? { state: "stressed", posterior: [0.05, 0.9, 0.05], missingShare: 0 }
          : initialLiquidityRegime();
        for (const elapsed of times) {
          current = updateLiquidityRegime(current, featuresOf([]), QUIET, elapsed);
          expect(current.state).not.toBe("crisis");
        }
      }),
    );
  });

  it("does not flip more than once in two hours under 5 % noise on the scores", () => {
    const noise = fc.array(fc.double({ min: -0.05, max: 0.05, noNaN: true }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(state, known, fc.tuple(noise, noise), (start, scores, noises) => {
        const seen = [start.state];
        let current = start;
        for (const shift of noises) {
          const noisy = scores.map((value, i) => value * (1 + shift[i]!));
          current = updateLiquidityRegime(current, featuresOf(noisy), QUIET, 1);
          seen.push(current.state);
        }
        // A → B → A is a flip-flop; A → B → C in one direction is a storm arriving.
        expect(seen[0] !== seen[1] && seen[0] === seen[2]).toBe(false);
      }),
    );
  });

  it("leaves no room for normal under an alarm", () => {
    fc.assert(
      fc.property(
        state,
        known,
        fc.double({ min: 6.01, max: 50, noNaN: true }),
        (previous, scores, sigmas) => {
          const alarms = { returnInSigmas: -sigmas, depthRatio: null };
          const next = updateLiquidityRegime(previous, featuresOf(scores), alarms, 1);
          expect(next.posterior[0]).toBe(0);
          expect(LIQUIDITY_REGIMES.indexOf(next.state)).toBeGreaterThan(0);
        },
      ),
    );
  });
});
