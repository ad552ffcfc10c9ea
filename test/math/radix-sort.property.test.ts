import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortFloats } from "../../src/math/radix-sort.ts";

// Mutants that these kill: sign bit not flipped, negatives not inverted, a pass left out, a view's offset ignored, counts
// or keys of the last sort left over.

describe("sortFloats", () => {
  const floats = fc.array(
    fc.oneof(
      fc.float({ noNaN: true }),
      fc.constantFrom(0, -0, Infinity, -Infinity, 1.4e-45, -1.4e-45, 1, -1),
      // Alike but for the middle, and but for the last, eleven bits.
      fc.nat(2 ** 11).map((k) => -1 - k * 2 ** -12),
      fc.nat(2 ** 11).map((k) => 1 + k * 2 ** -23),
    ),
    { maxLength: 300 },
  );

  it("gives the very bits that the built-in sort gives", () => {
    fc.assert(
      fc.property(floats, (values) => {
        const sorted = Float32Array.from(values);
        sortFloats(sorted);
        const expected = Float32Array.from(values).sort();
        expect(new Uint32Array(sorted.buffer)).toEqual(new Uint32Array(expected.buffer));
      }),
    );
  });

  it("sorts a view and leaves what is around it", () => {
    const whole = Float32Array.of(9, 3, -2, 1, -9);
    sortFloats(whole.subarray(1, 4));
    expect([...whole]).toEqual([9, -2, 1, 3, -9]);
  });
});
