import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSelection, selectLargest } from "../../src/math/order-statistics.ts";
import { createRandom } from "../../src/math/random.ts";

// Mutants killed: threshold slack removed and the fallback pass with it, ties by the later position, insertion sort
// ascending, right part never sorted, `sortsRight` tested with <=, buckets in ascending order, the last bucket left
// unsorted, crowded buckets as they fell, the values behind the last four left out, counts of the last selection kept.

describe("selectLargest", () => {
  it("equals sorting everything and taking the first, ties by position", () => {
    const coarse = fc.integer({ min: -5, max: 5 }).map(Number);
    const value = fc.oneof(coarse, fc.double({ min: -1e9, max: 1e9, noNaN: true }));
    const sample = fc.array(value, { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(sample, fc.nat(), (values, pick) => {
        expectSelected(Float64Array.from(values), 1 + (pick % values.length));
      }),
    );
  });

  it("does so on samples large enough for the threshold, of every shape", () => {
    const shapes: readonly ((i: number, uniform: number) => number)[] = [
      (_, u) => u,
      (i) => i,
      (i) => -i,
      (_, u) => Math.floor(u * 4),
      () => 7,
      (i, u) => (i % 32 === 0 ? 100 + u : u),
      (_, u) => 1 / u,
    ];
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 900 }), fc.nat(), (seed, count, shape) => {
        const random = createRandom(seed);
        const make = shapes[shape % shapes.length]!;
        expectSelected(
          Float64Array.from({ length: 2048 + (seed % 4) }, (_, i) => make(i, random.uniform())),
          count,
        );
      }),
      { numRuns: 60 },
    );
  });
});

/** One for all, as it is used: what a selection left must not be seen by the next. */
const selection = createSelection(2051);

function expectSelected(sample: Float64Array, count: number): void {
  const before = sample.slice();

  selectLargest(sample, count, selection);

  const order = Array.from(sample.keys()).sort((a, b) => sample[b]! - sample[a]! || a - b);
  expect(Array.from(selection.indices.subarray(0, count))).toEqual(order.slice(0, count));
  expect(Array.from(selection.values.subarray(0, count))).toEqual(
    order.slice(0, count).map((i) => sample[i]),
  );
  expect(sample).toEqual(before);
}
