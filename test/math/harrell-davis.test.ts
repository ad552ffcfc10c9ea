import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildHarrellDavisWeights,
  harrellDavisOfDescending,
  harrellDavisReach,
} from "../../src/math/harrell-davis.ts";
import { quantileOfSorted } from "../../src/math/quantile.ts";
import { quantileOfType } from "../oracle/quantile-types.ts";
import { regularizedIncompleteBeta } from "../../src/math/incomplete-beta.ts";
import { expectedShortfallOfDescending } from "../../src/risk/tails/expected-shortfall.ts";
import { hasVectors } from "../support/shared-data.ts";
import { loadColumn, forEachVector, vectorMismatches } from "../support/vectors.ts";

// Mutants killed: a and b swapped, (n+1) replaced by n, firstRank off by one, no renormalisation after a wider cut,
// weights read in ascending order, the reach one value short; in the tail mean: n(1−c) floored, the fractional share dropped.

describe.skipIf(!hasVectors)("historical VaR and ES of real series", () => {
  forEachVector("hs_var_es", (vector) => {
    const input = vector.input as { series_csv: string; column: string; c: number[] };
    const returns = loadColumn(input.series_csv, input.column);
    const side = (sign: number): object[] => {
      const ascending = returns.map((value) => sign * value).sort();
      const descending = ascending.slice().reverse();
      const n = ascending.length;
      return input.c.map((c) => {
        const type7 = quantileOfSorted(ascending, c);
        const beyond = ascending.filter((loss) => loss > type7);
        return {
          c,
          var_type7: type7,
          var_order: quantileOfType(ascending, c, 1),
          var_hd: harrellDavisOfDescending(descending, buildHarrellDavisWeights(n, c)),
          es: expectedShortfallOfDescending(descending, n, c),
          es_naive_mean_beyond_type7: beyond.reduce((sum, loss) => sum + loss, 0) / beyond.length,
        };
      });
    };

    expect(vectorMismatches(vector, { long: side(-1), short: side(1) })).toEqual([]);
  });
});

describe("Harrell–Davis weights", () => {
  const size = fc.integer({ min: 1, max: 600 });
  const confidence = fc.double({ min: 0.01, max: 0.999, noNaN: true });

  it("are the increments of the incomplete beta function, all that are not negligible", () => {
    fc.assert(
      fc.property(size, confidence, (n, c) => {
        const weights = buildHarrellDavisWeights(n, c);
        const a = (n + 1) * c;
        const b = (n + 1) * (1 - c);
        for (let j = 1; j <= n; j++) {
          const wanted =
            regularizedIncompleteBeta(j / n, a, b) - regularizedIncompleteBeta((j - 1) / n, a, b);
          const stored = weights.weights[n - j - weights.firstRank];
          // What is left out, below 1e-9 together, is shared out among the others in proportion.
          if (stored === undefined) expect(wanted).toBeLessThan(1.001e-10);
          else expect(Math.abs(stored - wanted)).toBeLessThan(1e-11 + 1e-9 * wanted);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("sum to one, so that a constant sample is its own quantile", () => {
    fc.assert(
      fc.property(size, confidence, (n, c) => {
        const weights = buildHarrellDavisWeights(n, c);
        expect(harrellDavisOfDescending(new Float64Array(n).fill(3), weights)).toBeCloseTo(3, 12);
        expect(harrellDavisReach(weights)).toBeLessThanOrEqual(n);
      }),
    );
  });

  it("read as many of the largest as they reach, and none beyond", () => {
    fc.assert(
      fc.property(size, confidence, (n, c) => {
        const weights = buildHarrellDavisWeights(n, c);
        const reach = harrellDavisReach(weights);
        const descending = new Float64Array(n).fill(1);
        const without = descending.slice().fill(Number.NaN, reach);
        expect(harrellDavisOfDescending(without, weights)).toBe(
          harrellDavisOfDescending(descending, weights),
        );
        without.fill(Number.NaN, reach - 1);
        expect(harrellDavisOfDescending(without, weights)).toBeNaN();
      }),
    );
  });

  it("store a small part of a large sample", () => {
    expect(buildHarrellDavisWeights(4096, 0.99).weights.length).toBeLessThan(90);
    expect(harrellDavisReach(buildHarrellDavisWeights(4096, 0.95))).toBeLessThan(310);
  });

  it("give a quantile that grows with the confidence", () => {
    const sample = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 50 });
    fc.assert(
      fc.property(sample, confidence, confidence, (values, c, d) => {
        const descending = Float64Array.from(values).sort().reverse();
        const at = (level: number): number =>
          harrellDavisOfDescending(descending, buildHarrellDavisWeights(values.length, level));
        expect(at(Math.min(c, d))).toBeLessThanOrEqual(at(Math.max(c, d)) + 1e-12);
      }),
    );
  });
});
