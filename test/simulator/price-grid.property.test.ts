import * as fc from "fast-check";
import { expect, it } from "vitest";
import { wireNumber } from "../../src/simulator/price-grid.ts";

it("writes every number as a decimal that reads back as the same, never with an exponent", () => {
  expect([0, 86_010, 1e21, -1.5e-7].map(wireNumber)).toEqual([
    ...["0.0", "86010.0", "1000000000000000000000.0", "-0.00000015"],
  ]);
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
      const text = wireNumber(value);
      expect(text).toMatch(/^-?\d+\.\d+$/);
      expect(Number(text)).toBe(value === 0 ? 0 : value);
    }),
  );
});
