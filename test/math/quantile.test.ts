import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { quantileOfSorted } from "../../src/math/quantile.ts";
import { hasVectors } from "../support/shared-data.ts";
import { forEachVector, vectorMismatches } from "../support/vectors.ts";
import { quantileOfType } from "../oracle/quantile-types.ts";
import { ageWeightedVar } from "../oracle/age-weighted-var.ts";
import { loadColumn } from "../support/vectors.ts";

// Mutants killed: h = n·p, floor replaced by round, no interpolation, clamp of the upper neighbour removed.

describe.skipIf(!hasVectors)("quantile oracles", () => {
  forEachVector("quantile_types", (vector) => {
    const { x, p } = vector.input as { x: number[]; p: number[] };
    const sorted = Float64Array.from(x).sort();

    // The service uses type 7 only; the others are the oracle's.
    const others = [1, 2, 3, 4, 5, 6, 8, 9].map((type) => [
      `type${String(type)}`,
      p.map((share) => quantileOfType(sorted, share, type)),
    ]);
    expect(
      vectorMismatches(vector, {
        type7: p.map((share) => quantileOfSorted(sorted, share)),
        ...Object.fromEntries(others),
      }),
    ).toEqual([]);
  });

  forEachVector("age_weighted_var", (vector) => {
    const input = vector.input as { series_csv: string; column: string; lambda: number; c: number };
    const losses = loadColumn(input.series_csv, input.column).map((value) => -value);

    const { value, effectiveSize } = ageWeightedVar(losses, input.lambda, input.c);

    expect(vectorMismatches(vector, { var_long: value, effective_n: effectiveSize })).toEqual([]);
  });
});

describe("quantileOfSorted", () => {
  const sample = fc
    .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 })
    .map((values) => Float64Array.from(values).sort());
  const share = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);

  it("meets every order statistic at (j−1)/(n−1)", () => {
    fc.assert(
      fc.property(sample, (sorted) => {
        sorted.forEach((value, j) => {
          const p = sorted.length === 1 ? 0 : j / (sorted.length - 1);
          const span = sorted.at(-1)! - sorted[0]!;
          expect(Math.abs(quantileOfSorted(sorted, p) - value)).toBeLessThanOrEqual(1e-12 * (span + 1));
        });
      }),
    );
  });

  it("does not fall when the share grows", () => {
    fc.assert(
      fc.property(sample, share, share, (sorted, a, b) => {
        const slack = 1e-9;
        expect(quantileOfSorted(sorted, Math.min(a, b))).toBeLessThanOrEqual(
          quantileOfSorted(sorted, Math.max(a, b)) + slack,
        );
      }),
    );
  });
});
