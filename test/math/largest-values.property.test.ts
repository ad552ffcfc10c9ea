import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partitionLargest, sortLargest } from "../../src/math/largest-values.ts";

// Mutants seen to fail: count off by one, values behind the length taken, front ascending.

// Not -0: which of two equal zeros comes first is nobody's business.
const coarse = fc.integer({ min: -5, max: 5 }).map((x) => x + 0);
const value = fc.oneof(
  coarse,
  fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((x) => x + 0),
);
const sample = fc.array(value, { minLength: 1, maxLength: 400 });

describe("partitionLargest", () => {
  it("puts the largest in front and names the smallest of them", () => {
    fc.assert(
      fc.property(sample, fc.nat(), (values, pick) => {
        const count = 1 + (pick % values.length);
        const { wanted, given, length } = arranged(values, count);

        expect(partitionLargest(given, length, count)).toBe(wanted.at(-1));
        expect([...given.subarray(0, count)].sort(descending)).toEqual(wanted);
        expect([...given.subarray(0, length)].sort(descending)).toEqual([...values].sort(descending));
      }),
    );
  });
});

describe("sortLargest", () => {
  it("equals sorting everything and taking the first", () => {
    fc.assert(
      fc.property(sample, fc.nat(), (values, pick) => {
        const count = 1 + (pick % values.length);
        const { wanted, given, length } = arranged(values, count);

        sortLargest(given, length, count);

        expect([...given.subarray(0, count)]).toEqual(wanted);
      }),
    );
  });
});

function descending(a: number, b: number): number {
  return b - a;
}

/** The values with larger ones behind their length, which must not be seen. */
function arranged(
  values: readonly number[],
  count: number,
): { wanted: number[]; given: Float64Array; length: number } {
  const wanted = [...values].sort(descending).slice(0, count);
  return { wanted, given: Float64Array.from([...values, 1e12, 1e12]), length: values.length };
}
