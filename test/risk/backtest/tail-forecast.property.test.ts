import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalDensity, normalQuantile } from "../../../src/math/normal.ts";
import { createRandom } from "../../../src/math/random.ts";
import { buildScenarioIndex } from "../../../src/risk/scenarios/scenario-index.ts";
import {
  ewmaSigma,
  fitGarchBaseline,
  garchNormalTails,
  gjrFhsTails,
  nextEwmaSigma,
  residualsOfReturns,
} from "../../../src/risk/backtest/baselines.ts";
import { normalTails, sampleTailWeights, tailsOfSample } from "../../../src/risk/backtest/tail-forecast.ts";

// Mutants that these laws kill: √h without the drift of e^{σ²/2} in the shortfall; p for 1−p; the short side's losses
// read in the long side's order; a window that includes tomorrow's step of EWMA; sigma not scaling the residuals.

const sigma = fc.double({ min: 1e-4, max: 0.3, noNaN: true });

describe("normalTails", () => {
  it("equals the integral of the tail by definition, on both sides", () => {
    fc.assert(
      fc.property(sigma, fc.constantFrom(0.05, 0.01), (s, p) => {
        const { long, short } = normalTails(s);
        const meanBeyond = (lossOf: (z: number) => number): number => {
          const from = -normalQuantile(p);
          const step = 1e-3;
          let sum = 0;
          for (let z = from + step / 2; z < from + 9; z += step) sum += lossOf(z) * normalDensity(z) * step;
          return sum / p;
        };
        const [longVar, longEs] =
          p === 0.05 ? [long.var95, long.expectedShortfall95] : [long.var99, long.expectedShortfall99];
        const [shortVar, shortEs] =
          p === 0.05 ? [short.var95, short.expectedShortfall95] : [short.var99, short.expectedShortfall99];
        const z = -normalQuantile(p);
        expect(longVar).toBeCloseTo(1 - Math.exp(-s * z), 12);
        expect(shortVar).toBeCloseTo(Math.exp(s * z) - 1, 12);
        expect(longEs / meanBeyond((x) => 1 - Math.exp(-s * x))).toBeCloseTo(1, 4);
        expect(shortEs / meanBeyond((x) => Math.exp(s * x) - 1)).toBeCloseTo(1, 4);
      }),
      { numRuns: 30 },
    );
  });
});

describe("tailsOfSample", () => {
  it("swaps the sides of a mirrored sample as log returns, and orders its numbers", () => {
    const sample = fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true }), {
      minLength: 40,
      maxLength: 200,
      size: "max",
    });
    fc.assert(
      fc.property(sample, (values) => {
        const weights = sampleTailWeights(values.length);
        const { long, short } = tailsOfSample(Float64Array.from(values), weights);
        for (const side of [long, short]) {
          expect(side.var99).toBeGreaterThanOrEqual(side.var95 - 1e-12);
          expect(side.expectedShortfall99).toBeGreaterThanOrEqual(side.expectedShortfall95 - 1e-12);
        }
        // Losses near nothing are linear in log returns, so a mirrored tiny sample swaps its sides.
        const tiny = Float64Array.from(values, (value) => value * 1e-9);
        const mirrored = tailsOfSample(
          tiny.map((value) => -value),
          weights,
        );
        const plain = tailsOfSample(tiny, weights);
        expect(mirrored.long.var99).toBeCloseTo(plain.short.var99, 15);
        expect(mirrored.short.expectedShortfall95).toBeCloseTo(plain.long.expectedShortfall95, 15);
      }),
    );
  });
});

describe("baselines", () => {
  const random = createRandom(5);
  const returns = Float64Array.from({ length: 1500 }, () => 0.01 * random.normal());

  it("one hour more of EWMA is the window with that hour, and less of the old level", () => {
    const grown = Float64Array.of(...returns, 0.05);
    const rebased = ewmaSigma(grown, false);

    expect(nextEwmaSigma(ewmaSigma(returns, false), 0.05)).toBeCloseTo(rebased, 10);
    expect(nextEwmaSigma(0.01, 0)).toBeCloseTo(0.01 * Math.sqrt(0.97), 15);
  });

  it("find the sigma and the quantiles of independent normal returns at 1 h and 24 h", () => {
    const garch = fitGarchBaseline(returns, "garch-normal");
    const gjr = fitGarchBaseline(returns, "gjr-t-fhs");
    const pool = residualsOfReturns(gjr, returns);
    const tables = {
      pool,
      sortedResiduals: Float64Array.from({ length: 1500 }, (_, t) => pool.tuples[4 * t]!).sort(),
      index: buildScenarioIndex(1, 1500, 4096, 24),
      pathWeights: sampleTailWeights(4096),
      poolWeights: sampleTailWeights(1500),
      scratch: new Float64Array(3 * 3 * 4096),
    };
    const [hour, , day] = gjrFhsTails(gjr, tables, [1, 4, 24]);

    const isNear = (actual: number, expected: number): boolean => Math.abs(actual / expected - 1) < 0.1;
    expect(isNear(garchNormalTails(garch, 1).long.var99, 1 - Math.exp(-0.02326))).toBe(true);
    expect(isNear(hour!.long.var95, 1 - Math.exp(-0.01645))).toBe(true);
    expect(isNear(day!.long.var95, 1 - Math.exp(-0.01645 * Math.sqrt(24)))).toBe(true);
    expect(isNear(day!.short.var95, Math.exp(0.01645 * Math.sqrt(24)) - 1)).toBe(true);
    expect(gjrFhsTails(gjr, tables, [1])).toEqual([hour]);
  });

  it("have nothing to resample of a price that never moved", () => {
    const still = new Float64Array(800);

    const { windowHours, tuples } = residualsOfReturns(fitGarchBaseline(still, "gjr-t-fhs"), still);

    expect(windowHours).toBe(800);
    expect(new Set(tuples)).toEqual(new Set([0]));
  });
});
