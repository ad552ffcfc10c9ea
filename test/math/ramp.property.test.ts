import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ramp, rampInverse, rampValue } from "../../src/math/ramp.ts";
import { between } from "../support/arbitraries.ts";

// Mutants killed by hand: a falling curve read as a rising one; the other end of its bracket.

const ROUNDING = 1e-9;

const ascending = fc
  .uniqueArray(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 6 })
  .map((xs) => xs.toSorted((a, b) => a - b))
  .filter((xs) => xs.every((x, i) => i === 0 || x - xs[i - 1]! > 1e-3));

const curve: fc.Arbitrary<Ramp> = fc
  .tuple(ascending, ascending, fc.boolean())
  .map(([at, value, isFalling]) => {
    const count = Math.min(at.length, value.length);
    const heights = value.slice(0, count);
    return { at: at.slice(0, count), value: isFalling ? heights.toReversed() : heights };
  });

describe("rampInverse", () => {
  it("is where the curve, rising or falling, has the height", () => {
    fc.assert(
      fc.property(curve, between(0, 1), (ramp, share) => {
        const ends = [ramp.value[0]!, ramp.value.at(-1)!] as const;
        const height = ends[0] + share * (ends[1] - ends[0]);
        const x = rampInverse(ramp, height);

        expect(x).toBeGreaterThanOrEqual(ramp.at[0]! - ROUNDING);
        expect(x).toBeLessThanOrEqual(ramp.at.at(-1)! + ROUNDING);
        // A steep piece turns the rounding of x into height.
        expect(Math.abs(rampValue(ramp, x) - height)).toBeLessThan(1e-6);
      }),
    );
  });

  it("is an end beyond the heights that the curve has", () => {
    const falling = { at: [1, 2, 4], value: [1, 0.7, 0] };
    expect([2, 0.7, -1].map((height) => rampInverse(falling, height))).toEqual([1, 2, 4]);
  });
});
