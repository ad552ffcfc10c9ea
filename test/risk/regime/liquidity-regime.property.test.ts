import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { predictHours } from "../../../src/risk/regime/markov-filter.ts";
import {
  initialLiquidityRegime,
  LIQUIDITY_REGIMES,
  liquidityRegimeFacts,
  REGIME_LOGIT,
  REGIME_TRANSITION,
  updateLiquidityRegime,
  type LiquidityRegimeState,
  type RegimeFeatures,
} from "../../../src/risk/regime/liquidity-regime.ts";
import { between } from "../../support/arbitraries.ts";

// Mutants that these laws caught when tried: a weight made negative (monotone), the cut points swapped (sum to one),
// normalisation left out (sum to one), null read as 6 (missing), alarm ignored (alarm). Beside them, examples caught:
// hysteresis removed, evidence not scaled by the elapsed time; a gap's evidence counted for every hour of it, a score beyond
// six counted in full, hours rounded up to a step too many, few scores believed as much as all.

const NAMES = ["volatility", "spread", "depth", "funding", "openInterest", "marketVolatility"] as const;
const QUIET = { returnInSigmas: 0, depthRatio: 1 };

const score = between(-6, 6);
const known = fc.tuple(score, score, score, score, score, score);
const partly = fc.array(fc.option(score), { minLength: 6, maxLength: 6 });
const hours = between(0, 60);

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
      fc.property(state, known, fc.nat(5), between(0, 6), (previous, scores, which, worsening) => {
        const worse = scores.map((value, i) => (i === which ? value + worsening : value));
        const before = updateLiquidityRegime(previous, featuresOf(scores), QUIET, 1).posterior;
        const after = updateLiquidityRegime(previous, featuresOf(worse), QUIET, 1).posterior;
        expect(after[2]).toBeGreaterThanOrEqual(before[2] * (1 - 1e-12));
        expect(after[0]).toBeLessThanOrEqual(before[0] * (1 + 1e-12));
      }),
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
    const noise = fc.array(between(-0.05, 0.05), { minLength: 6, maxLength: 6 });
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

  it("is Bayes' step: the states' odds of the known scores, to the power of their share of the weights", () => {
    const part = between(0, 1);
    const { weights, cutpoints } = REGIME_LOGIT.value;
    fc.assert(
      fc.property(state, partly, part, (previous, scores, elapsed) => {
        let [eta, knownWeight, allWeight] = [0, 0, 0];
        NAMES.forEach((name, i) => {
          allWeight += weights[name];
          if (scores[i] === null) return;
          eta += weights[name] * scores[i]!;
          knownWeight += weights[name];
        });
        const upTo = [...cutpoints.map((cutpoint) => 1 / (1 + Math.exp(eta - cutpoint))), 1];
        const predicted = predictHours(previous.posterior, REGIME_TRANSITION.value, elapsed);
        const odds = predicted.map(
          (p, k) => p * (upTo[k]! - (upTo[k - 1] ?? 0)) ** ((elapsed * knownWeight) / allWeight),
        );
        const total = odds.reduce((sum, value) => sum + value, 0);

        const { posterior, missingShare } = updateLiquidityRegime(
          previous,
          featuresOf(scores),
          QUIET,
          elapsed,
        );

        posterior.forEach((p, k) => expect(p).toBeCloseTo(odds[k]! / total, 9));
        expect(missingShare).toBeCloseTo(1 - knownWeight / allWeight, 12);
      }),
    );
  });

  it("learns of a gap no more than its last hour shows", () => {
    fc.assert(
      fc.property(state, partly, fc.integer({ min: 2, max: 48 }), (previous, scores, gap) => {
        const atOnce = updateLiquidityRegime(previous, featuresOf(scores), QUIET, gap).posterior;
        const blind = updateLiquidityRegime(previous, featuresOf([]), QUIET, gap - 1);
        const lastHour = updateLiquidityRegime(blind, featuresOf(scores), QUIET, 1).posterior;
        atOnce.forEach((p, k) => expect(p / lastHour[k]!).toBeCloseTo(1, 9));
      }),
    );
  });

  it("counts a score beyond six as six", () => {
    fc.assert(
      fc.property(state, known, fc.nat(5), fc.boolean(), (previous, scores, which, isBad) => {
        const at = (size: number) => {
          const extreme = scores.map((value, i) => (i === which ? (isBad ? size : -size) : value));
          return updateLiquidityRegime(previous, featuresOf(extreme), QUIET, 1);
        };
        expect(at(500)).toEqual(at(6));
      }),
    );
  });

  it("predicts a part of an hour on the straight line between the hours around it", () => {
    const part = between(0, 1);
    fc.assert(
      fc.property(state, fc.nat(5), part, ({ posterior }, whole, share) => {
        const at = (elapsed: number): number[] => predictHours(posterior, REGIME_TRANSITION.value, elapsed);
        at(whole + share).forEach((p, k) => {
          expect(p).toBeCloseTo((1 - share) * at(whole)[k]! + share * at(whole + 1)[k]!, 12);
        });
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
