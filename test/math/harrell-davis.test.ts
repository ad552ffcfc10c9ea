import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildHarrellDavisWeights,
  harrellDavisOfDescending,
  harrellDavisReach,
} from "../../src/math/harrell-davis.ts";
import { regularizedIncompleteBeta } from "../../src/math/incomplete-beta.ts";
import { expectedShortfallOfDescending } from "../../src/risk/expected-shortfall.ts";
import { hasVectors } from "../support/shared-data.ts";
import { loadColumn, vectorCases, withinTolerance } from "../support/vectors.ts";

// Mutants killed: a and b swapped, (n+1) replaced by n, firstRank off by one, no renormalisation after a wider cut,
// weights read in ascending order; in the tail mean: n(1−c) floored, the fractional share dropped.

interface SideCase {
  readonly c: number;
  readonly var_hd: number;
  readonly es: number;
}

describe.skipIf(!hasVectors)("historical VaR and ES of real series", () => {
  it.each(vectorCases("risk_measures", "hs_var_es"))("$id", (vector) => {
    const input = vector.input as { series_csv: string; column: string };
    const returns = loadColumn(input.series_csv, input.column);
    const tolerance = { rel: 1e-9, abs: 1e-12 };

    for (const [name, sign] of [
      ["long", -1],
      ["short", 1],
    ] as const) {
      const descending = returns
        .map((value) => sign * value)
        .sort()
        .reverse();
      for (const expected of vector.expected[name] as SideCase[]) {
        const weights = buildHarrellDavisWeights(descending.length, expected.c);
        const value = harrellDavisOfDescending(descending, weights);
        const shortfall = expectedShortfallOfDescending(descending, descending.length, expected.c);
        expect(withinTolerance(value, expected.var_hd, tolerance), `${name} ${expected.c} VaR`).toBe(true);
        expect(withinTolerance(shortfall, expected.es, tolerance), `${name} ${expected.c} ES`).toBe(true);
      }
    }
  });
});

describe("Harrell–Davis weights", () => {
  const size = fc.integer({ min: 1, max: 600 });
  const confidence = fc.double({ min: 0.01, max: 0.999, noNaN: true });

  it("are the increments of the incomplete beta function, all of them", () => {
    fc.assert(
      fc.property(size, confidence, (n, c) => {
        const weights = buildHarrellDavisWeights(n, c);
        const a = (n + 1) * c;
        const b = (n + 1) * (1 - c);
        for (let j = 1; j <= n; j++) {
          const wanted =
            regularizedIncompleteBeta(j / n, a, b) - regularizedIncompleteBeta((j - 1) / n, a, b);
          const stored = weights.weights[n - j - weights.firstRank] ?? 0;
          expect(Math.abs(stored - wanted)).toBeLessThan(1e-11);
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

  it("store a small part of a large sample", () => {
    expect(buildHarrellDavisWeights(4096, 0.99).weights.length).toBeLessThan(130);
    expect(harrellDavisReach(buildHarrellDavisWeights(4096, 0.95))).toBeLessThan(340);
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
