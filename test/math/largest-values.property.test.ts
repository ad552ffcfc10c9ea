import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLargestValues, sortLargest } from "../../src/math/largest-values.ts";

// Mutants killed: the last bucket left out, a negative least by buckets.

describe("sortLargest", () => {
  const least = fc.constantFrom(-700, 0, 1e-3, 1, 700);
  const above = fc.oneof(
    fc.integer({ min: 0, max: 4 }).map(Number),
    fc.double({ min: 0, max: 690, noNaN: true }),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
  );

  it("equals sorting everything and taking the first, crowded or spread, of any sign", () => {
    fc.assert(
      fc.property(
        least,
        fc.array(above, { minLength: 1, maxLength: 300 }),
        fc.nat(),
        (from, values, pick) => {
          const memory = createLargestValues(300);
          const given = values.map((value) => from + value);
          memory.given.set(given);
          const count = 1 + (pick % given.length);

          sortLargest(memory, given.length, count, from);

          const wanted = given.toSorted((a, b) => b - a).slice(0, count);
          expect(Array.from(memory.sorted.subarray(0, count))).toEqual(wanted);
        },
      ),
    );
  });
});
