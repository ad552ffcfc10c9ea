import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAD_TO_SIGMA, medianOf } from "../../src/math/median.ts";
import { normalQuantile } from "../../src/math/normal.ts";

describe("medianOf", () => {
  it("is the middle value, or half-way between the two in the middle", () => {
    expect(medianOf([7, -1, 3])).toBe(3);
    expect(medianOf([4, 1, 3, 2])).toBe(2.5);
    expect(medianOf([])).toBeNaN();
  });

  it("has as many values below it as above, and leaves the values as they were", () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (given) => {
        const before = [...given];
        const median = medianOf(given);

        expect(given).toEqual(before);
        expect(given.filter((value) => value < median).length).toBeLessThanOrEqual(given.length / 2);
        expect(given.filter((value) => value > median).length).toBeLessThanOrEqual(given.length / 2);
      }),
    );
  });

  it("scales a normal's median absolute deviation to its standard deviation", () => {
    expect(MAD_TO_SIGMA * normalQuantile(0.75)).toBeCloseTo(1, 4);
  });
});
