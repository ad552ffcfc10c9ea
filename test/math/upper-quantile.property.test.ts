import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantileOfSorted } from "../../src/math/quantile.ts";
import { upperQuantile } from "../../src/math/upper-quantile.ts";

// Mutants killed: one value fewer kept, the neighbour above not read, a new largest put one place too low, no
// interpolation.

describe("upperQuantile", () => {
  const values = fc
    .array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ noNaN: true, min: -1e6, max: 1e6 })), {
      minLength: 1,
      maxLength: 300,
    })
    .map((drawn) => Float64Array.from(drawn, (value) => value + 0));

  it("is the quantile of the sorted values, to the last bit", () => {
    fc.assert(
      fc.property(values, fc.constantFrom(0.5, 0.9, 0.99, 0.999, 1), (sample, p) => {
        expect(upperQuantile(sample, p)).toBe(quantileOfSorted(sample.slice().sort(), p));
      }),
    );
  });
});
