import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { monteCarlo } from "../../../src/risk/tails/monte-carlo.ts";
import { rescaleAssetTails } from "../../../src/risk/scenarios/asset-tails.ts";
import { rescaledLoss, rescaledShortfall, turnLosses } from "../../../src/risk/scenarios/horizon-tails.ts";
import { PATH_RISE_MAX } from "../../../src/risk/scenarios/path-kernel.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { touchDistance } from "../../../src/risk/scenarios/touch-curve.ts";
import { sideTails, type AssetTails } from "../../../src/risk/tails/var.ts";
import { between, direction, magnitude } from "../../support/arbitraries.ts";
import { testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: day returns or the extreme tail left behind by tails that the order of horizons raised, every horizon's
// paths rescaled by one ratio, the day's sigma by another's, a short's extreme loss cut at the whole notional, doubled
// tail means left at the single sigma, a parabola that falls again, a tail mean that bends at twice the sigma, the middle
// one of an odd number of losses not turned.

const sheets = [1, 2, 3].map((seed) => buildScenarioSheet(testInputs(seed, [testAsset(seed)])));
/** Which of the sheets: a counterexample names it, and does not print its paths. */
const drawn = fc.nat(sheets.length - 1);
const tailsOf = (sheet: number): AssetTails => sheets[sheet]!.tails[0]!;
const ratios = fc.array(magnitude(0.5, 60), { minLength: 4, maxLength: 4 });

describe("rescaleAssetTails", () => {
  it("keeps the order of levels and returns where another horizon's ratio raises the day's tails", () => {
    fc.assert(
      fc.property(drawn, ratios, direction, (sheet, ratio, side) => {
        const tails = tailsOf(sheet);
        const rescaled = rescaleAssetTails(tails, ratio);

        const { horizons, extreme } = sideTails(rescaled, side);
        const day = horizons[2]!;
        const block = monteCarlo(rescaled, side);
        const ladder = [
          block.worstReturn,
          -day.expectedShortfall99,
          -day.var99,
          block.lowerReturn,
          -day.var95,
        ];
        expect(ladder).toEqual([...ladder].sort((a, b) => a - b));
        expect(extreme.var999).toBeGreaterThanOrEqual(day.var99);
        expect(extreme.expectedShortfall999).toBeGreaterThanOrEqual(extreme.var999 * (1 - 1e-12));
        const lossMax = side === 1 ? 1 : PATH_RISE_MAX.value;
        expect(extreme.expectedShortfall999).toBeLessThanOrEqual(lossMax);
        if (extreme.expectedShortfall999 === lossMax) return;
        // Nine tenths of the worst percent lose VaR 99.9 % at most.
        const mostOfDay = 0.1 * extreme.expectedShortfall999 + 0.9 * extreme.var999;
        expect(day.expectedShortfall99).toBeLessThanOrEqual(mostOfDay * (1 + 1e-12));
      }),
    );
  });

  it("moves the day's sigma and every horizon's touches by that horizon's own ratio", () => {
    fc.assert(
      fc.property(drawn, ratios, direction, (sheet, ratio, side) => {
        const tails = tailsOf(sheet);
        const rescaled = rescaleAssetTails(tails, ratio);

        const { adversePaths, safeLogDistance } = sideTails(rescaled, side);
        expect(rescaled.sigmaDay).toBeCloseTo(ratio[2]! * tails.sigmaDay, 14);
        expect(adversePaths.map(({ sigmaRatio }) => sigmaRatio)).toEqual(ratio);
        const probability = 0.01;
        expect(touchDistance(adversePaths, rescaled.sigmaDay, probability)).toBeLessThanOrEqual(
          safeLogDistance,
        );
      }),
    );
  });

  it("is one rescaling by the product when done twice, up to twice the sigma", () => {
    fc.assert(
      fc.property(drawn, magnitude(0.5, 1), magnitude(0.5, 2), direction, (sheet, first, second, side) => {
        const tails = tailsOf(sheet);
        const all = (ratio: number): number[] => [ratio, ratio, ratio, ratio];
        const twice = sideTails(rescaleAssetTails(rescaleAssetTails(tails, all(first)), all(second)), side);
        const once = sideTails(rescaleAssetTails(tails, all(first * second)), side);

        once.horizons.forEach((tail, horizon) => {
          const again = twice.horizons[horizon]!;
          for (const name of [
            "var95",
            "var99",
            "expectedShortfall95",
            "expectedShortfall99",
            "doubledShortfall95",
            "doubledShortfall99",
          ] as const) {
            // Beyond twice the sigma a doubled mean lies on a tangent, no longer on the parabola.
            if (name.startsWith("doubled") && second > 1) continue;
            expect(again[name] / tail[name]).toBeCloseTo(1, 9);
          }
          expect(twice.adversePaths[horizon]!.sigmaRatio).toBeCloseTo(first * second, 12);
        });
      }),
    );
  });
});

describe("rescaledLoss", () => {
  it("is the loss itself at ratio 1, to the last bit", () => {
    fc.assert(
      fc.property(between(-0.9, 0.9), direction, (loss, side) => {
        expect(rescaledLoss(loss, 1, side)).toBe(loss);
      }),
    );
  });
});

describe("rescaledShortfall", () => {
  /** A tail mean of either side, and the same at twice the sigma: at least twice as much in logarithms, unless cut. */
  const means = fc.record({
    side: direction,
    logLoss: magnitude(1e-4, 3),
    growth: fc.double({ min: 1, max: 2.5, noNaN: true }),
  });
  const lossOf = (logLoss: number, side: 1 | -1): number => -side * Math.expm1(-side * logLoss);

  it("does not fall when sigma grows, also where the largest rise or fall cut the doubled mean", () => {
    fc.assert(
      fc.property(means, magnitude(0.5, 6), magnitude(1, 3), ({ side, logLoss, growth }, ratio, more) => {
        const at = (k: number): number =>
          rescaledShortfall(lossOf(logLoss, side), lossOf(growth * logLoss, side), k, side);

        expect(at(ratio * more)).toBeGreaterThanOrEqual(at(ratio) * (1 - 1e-12));
      }),
    );
  });

  it("meets both means and goes on from the second as it came there", () => {
    fc.assert(
      fc.property(
        magnitude(1e-4, 0.3),
        fc.double({ min: 1.5, max: 2.5, noNaN: true }),
        direction,
        (logLoss, growth, side) => {
          const logAt = (k: number): number =>
            Math.log1p(
              -side * rescaledShortfall(lossOf(logLoss, side), lossOf(growth * logLoss, side), k, side),
            );

          expect(logAt(1) / (-side * logLoss)).toBeCloseTo(1, 9);
          expect(logAt(2) / (-side * growth * logLoss)).toBeCloseTo(1, 9);
          const [before, after] = [logAt(2) - logAt(2 - 1e-4), logAt(2 + 1e-4) - logAt(2)];
          expect(after / before).toBeCloseTo(1, 3);
        },
      ),
    );
  });
});

describe("turnLosses", () => {
  it("makes the other side's losses, again the largest first, of any number of them", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 19, noNaN: true }), { maxLength: 9 }), (values) => {
        const losses = Float64Array.from(values).sort().reverse();
        const other = losses
          .map((loss) => 0 - loss)
          .sort()
          .reverse();

        turnLosses(losses);

        losses.forEach((loss, i) => expect(loss + 0).toBe(other[i]));
      }),
    );
  });
});
