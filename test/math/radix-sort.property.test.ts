import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ascendingOrder, sortFloats } from "../../src/math/radix-sort.ts";

// Mutants that these kill: sign bit not flipped, negatives not inverted, a pass left out, a view's offset ignored, counts
// or keys of the last sort left over; of doubles: the last pass left out, a digit over both words cut, the low word of a
// negative not inverted.

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

describe("ascendingOrder", () => {
  const doubles = fc.array(
    fc.oneof(
      fc.double({ noNaN: true }),
      fc.float({ noNaN: true }),
      fc.constantFrom(0, -0, Infinity, -Infinity, Number.MIN_VALUE, -Number.MIN_VALUE),
      // Alike but for one of the six digits of eleven bits.
      fc.tuple(fc.nat(2 ** 11 - 1), fc.nat(4)).map(([k, digit]) => 1 + k * 2 ** (11 * digit - 52)),
      fc.tuple(fc.nat(2 ** 11 - 1), fc.nat(4)).map(([k, digit]) => -1 - k * 2 ** (11 * digit - 52)),
    ),
    { maxLength: 300 },
  );

  it("is the order that comparing gives, equal values in their own", () => {
    fc.assert(
      fc.property(doubles, (values) => {
        const places = values.map((_, i) => i);
        const signed = (value: number): number => (Object.is(value, -0) ? -1 : 0);
        const compare = (a: number, b: number): number =>
          values[a]! < values[b]!
            ? -1
            : values[a]! > values[b]!
              ? 1
              : signed(values[a]!) - signed(values[b]!);
        expect([...ascendingOrder(values)]).toEqual(places.sort(compare));
      }),
    );
  });
});
