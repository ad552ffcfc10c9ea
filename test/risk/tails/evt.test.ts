import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { quantileOfSorted } from "../../../src/math/quantile.ts";
import { buildExtremeTail, EVT_EXCEEDANCES_MIN, shrunkPareto } from "../../../src/risk/tails/evt.ts";
import { lossTailByDefinition } from "../../oracle/loss-tail.ts";

// Mutants killed: no shrinkage, clamp left out, a crash held to −0.1, floor of 1.05 VaR99 removed, n in place of n_u, ES of the unraised
// quantile, empirical fall-back returning the threshold, ES raised to ES99 only.

describe("buildExtremeTail", () => {
  it("finds the 99.9 % quantile and tail mean of a Pareto tail that it has too few losses to see", () => {
    // Losses with survival (1 + 0.15 x/0.02)^(−1/0.15): the prior's own shape, so that no shrinkage bites.
    const quantileOf = (p: number): number => (0.02 * ((1 - p) ** -0.15 - 1)) / 0.15;
    const losses = Float64Array.from({ length: 16_384 }, (_, i) => quantileOf((i + 0.5) / 16_384));

    const tail = tailOf(losses);

    const exact = quantileOf(0.999);
    expect(tail.var999 / exact).toBeCloseTo(1, 2);
    expect(tail.expectedShortfall999 / ((exact + 0.02) / 0.85)).toBeCloseTo(1, 1);
    expect(paretoOf(losses)!.shape).toBeCloseTo(0.15, 2);
  });

  it("finds those of a crash, where a long's losses are bounded by all that it holds", () => {
    // Falls with survival ½ e^(−y/0.45), in logarithms: a day's sigma is 64 %, and the shape of the losses −0.45.
    const quantileOf = (p: number): number => 1 - (2 * (1 - p)) ** 0.45;
    const losses = Float64Array.from({ length: 16_384 }, (_, i) => quantileOf((i + 0.5) / 16_384));

    const tail = tailOf(losses, 1);

    const exact = quantileOf(0.999);
    expect(exact).toBeCloseTo(0.939, 3);
    expect(tail.var999 / exact).toBeCloseTo(1, 2);
    expect(tail.expectedShortfall999 / (1 - (1 - exact) / 1.45)).toBeCloseTo(1, 1);
    expect(tail.expectedShortfall999).toBeLessThan(losses.at(-1)!);
  });

  it("shrinks the shape toward 0.15 and keeps it at most 0.45", () => {
    const shapeOf = (shape: number): number => {
      const losses = Float64Array.from({ length: 16_384 }, (_, i) => {
        const survival = 1 - (i + 0.5) / 16_384;
        return (0.02 * (survival ** -shape - 1)) / shape;
      });
      return paretoOf(losses)!.shape;
    };

    expect(shapeOf(0.9)).toBe(0.45);
    expect(shapeOf(-0.4)).toBeCloseTo((820 * -0.4 + 100 * 0.15) / 920, 2);
  });

  it("has the likeliest scale for the shape that it shrank to", () => {
    const random = createRandom(5);
    const excesses = Float64Array.from({ length: 400 }, () => 0.02 * (random.uniform() ** -0.6 - 1));

    const { shape, scale } = shrunkPareto(excesses)!;

    // Where the derivative of the log-likelihood is 0: the mean of (1 + shape) y / (scale + shape y) is 1.
    const score = excesses.reduce((sum, y) => sum + ((1 + shape) * y) / (scale + shape * y), 0) / 400;
    expect(shape).toBe(0.45);
    expect(score).toBeCloseTo(1, 9);
  });

  it("fits no fewer than 50 losses beyond the threshold", () => {
    const excesses = Float64Array.from({ length: 50 }, (_, i) => -0.02 * Math.log((i + 0.5) / 50));

    expect(shrunkPareto(excesses)).not.toBeNull();
    expect(shrunkPareto(excesses.slice(1))).toBeNull();
  });

  const losses = fc
    .record({
      seed: fc.nat(),
      n: fc.integer({ min: 40, max: 3000 }),
      scale: fc.double({ min: 1e-3, max: 0.3, noNaN: true }),
    })
    .map(({ seed, n, scale }) => {
      const random = createRandom(seed);
      return Float64Array.from({ length: n }, () => scale * random.normal()).sort();
    });

  it("is at least 1.05 VaR99 and the threshold, its mean beyond, and finite, with many losses or few", () => {
    fc.assert(
      fc.property(losses, (sorted) => {
        const tail = tailOf(sorted);
        const { var99 } = lossTailByDefinition(Array.from(sorted));
        expect(tail.var999).toBeGreaterThanOrEqual(1.05 * var99 - 1e-12);
        expect(tail.var999).toBeGreaterThanOrEqual(quantileOfSorted(sorted, 0.95));
        expect(tail.expectedShortfall999).toBeGreaterThanOrEqual(tail.var999);
        expect(Number.isFinite(tail.expectedShortfall999)).toBe(true);
        const exceedances = sorted.filter((loss) => loss > quantileOfSorted(sorted, 0.95)).length;
        // With enough of them a likelihood without a maximum inside has no fit, either: one sample in thousands.
        if (exceedances < EVT_EXCEEDANCES_MIN.value) expect(paretoOf(sorted)).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it("explains the mean beyond VaR99, also where one loss is most of it", () => {
    fc.assert(
      fc.property(losses, fc.double({ min: 1, max: 1e4, noNaN: true }), (sorted, blow) => {
        sorted[sorted.length - 1] = Math.abs(sorted.at(-1)!) * blow;
        const { var999, expectedShortfall999 } = tailOf(sorted);
        const { expectedShortfall99 } = lossTailByDefinition(Array.from(sorted));
        expect(expectedShortfall99).toBeLessThanOrEqual(
          (0.1 * expectedShortfall999 + 0.9 * var999) * (1 + 1e-9),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("scales with the losses", () => {
    fc.assert(
      fc.property(losses, fc.double({ min: 0.1, max: 10, noNaN: true }), (sorted, factor) => {
        const tail = tailOf(sorted);
        const scaled = tailOf(sorted.map((loss) => factor * loss));
        expect(scaled.var999 / tail.var999 / factor).toBeCloseTo(1, 4);
        expect(scaled.expectedShortfall999 / tail.expectedShortfall999 / factor).toBeCloseTo(1, 4);
      }),
      { numRuns: 40 },
    );
  });

  it("raises the mean with the quantile where the floor binds, and cuts both at the largest possible loss", () => {
    const losses = Float64Array.from({ length: 4096 }, (_, i) => -0.02 * Math.log(1 - (i + 0.5) / 4096));
    const threshold = quantileOfSorted(losses, 0.95);
    const excesses = excessesOf(losses);
    const empirical = { var99: 0.2, expectedShortfall99: 0.2, var999: 0.2, expectedShortfall999: 0.2 };

    const raised = buildExtremeTail(excesses, threshold, 4096, empirical, 1);
    const cut = buildExtremeTail(excesses, threshold, 4096, empirical, 0.205);

    const { shape, scale } = shrunkPareto(excesses)!;
    expect(raised.var999).toBeCloseTo(1.05 * 0.2, 12);
    expect(raised.expectedShortfall999).toBeCloseTo((0.21 + scale - shape * threshold) / (1 - shape), 12);
    expect(cut).toMatchObject({ var999: 0.205, expectedShortfall999: 0.205 });
  });

  it("says what the sample says where too few losses are beyond the threshold to fit", () => {
    const empirical = { var99: 0.1, expectedShortfall99: 0.12, var999: 0.15, expectedShortfall999: 0.3 };
    const few = new Float64Array(EVT_EXCEEDANCES_MIN.value - 1).fill(0.01);

    expect(buildExtremeTail(few, 0.08, 900, empirical, 1)).toEqual({
      var999: 0.15,
      expectedShortfall999: 0.3,
    });
    const close = { ...empirical, var999: 0.101 };
    expect(buildExtremeTail(few, 0.08, 900, close, 1).var999).toBeCloseTo(1.05 * 0.1, 12);
  });

  it("never says that a long can lose more than everything", () => {
    const crash = Float64Array.from({ length: 4096 }, (_, i) => 0.2 + (0.79 * i) / 4096);
    const tail = tailOf(crash, 1);
    expect(tail.var999).toBeLessThanOrEqual(1);
    expect(tail.expectedShortfall999).toBeLessThanOrEqual(1);
  });
});

function paretoOf(sorted: Float64Array): ReturnType<typeof shrunkPareto> {
  return shrunkPareto(excessesOf(sorted));
}

function excessesOf(sorted: Float64Array): Float64Array {
  const threshold = quantileOfSorted(sorted, 0.95);
  return sorted.filter((loss) => loss > threshold).map((loss) => loss - threshold);
}

function tailOf(sorted: Float64Array, lossMax = Number.MAX_VALUE): ReturnType<typeof buildExtremeTail> {
  const threshold = quantileOfSorted(sorted, 0.95);
  const { var99, expectedShortfall99 } = lossTailByDefinition(Array.from(sorted));
  const empirical = { var99, expectedShortfall99, var999: var99, expectedShortfall999: sorted.at(-1)! };
  return buildExtremeTail(excessesOf(sorted), threshold, sorted.length, empirical, lossMax);
}
