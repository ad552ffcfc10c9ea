import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RingBuffer } from "../../src/math/ring-buffer.ts";

// Mutants caught when tried: oldest value not subtracted, wrap at capacity - 1, correction left out, at() off by one.

describe("ring buffer", () => {
  it("is the tail of everything pushed", () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(value, { maxLength: 80 }), (capacity, values) => {
        const ring = new RingBuffer(capacity);
        for (const item of values) ring.push(item);
        const tail = values.slice(-capacity);
        expect([...ring.toArray()]).toEqual(tail);
        expect(ring.length).toBe(tail.length);
        tail.forEach((item, i) => expect(ring.at(tail.length - 1 - i)).toBe(item));
        expect(ring.at(tail.length)).toBeUndefined();
        const sum = tail.reduce((total, item) => total + item, 0);
        expect(Math.abs(ring.sum - sum)).toBeLessThanOrEqual(1e-8);
      }),
    );
  });

  it("keeps its sum exact when huge values have passed through", () => {
    const ring = new RingBuffer(3);
    for (const value of [1e16, 1, -1e16, 0.1, 0.2, 0.3]) ring.push(value);
    expect(ring.sum).toBeCloseTo(0.6, 12);
    expect(ring.mean).toBeCloseTo(0.2, 12);
  });

  it("refuses what is not a number", () => {
    expect(() => new RingBuffer(2).push(Number.NaN)).toThrow(/finite/);
    expect(() => new RingBuffer(0)).toThrow(/positive/);
  });
});
