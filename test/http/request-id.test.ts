import { describe, expect, it } from "vitest";
import { newRequestId } from "../../src/http/request-id.ts";

// Mutants killed by hand: a block used twice; the version or the variant not set; the next id begun a digit early; a digit
// of a byte written twice, or a byte.

const MANY = 10_000;

describe("newRequestId", () => {
  it("is a UUID of version 4", () => {
    for (let i = 0; i < MANY; i++) {
      expect(newRequestId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it("never comes again", () => {
    const ids = Array.from({ length: MANY }, newRequestId);

    expect(new Set(ids).size).toBe(MANY);
  });

  it("leaves 122 bits to chance, each set in half of the ids and equal to each other in half of them", () => {
    const ids = Array.from({ length: MANY }, () => Buffer.from(newRequestId().replaceAll("-", ""), "hex"));
    const bits = Array.from({ length: 128 }, (_, bit) =>
      Uint8Array.from(ids, (id) => (id[bit >> 3]! >> (7 - (bit & 7))) & 1),
    );
    const isFair = (hits: number): boolean => Math.abs(hits / MANY - 0.5) < 6 * Math.sqrt(0.25 / MANY);

    const fixed = bits.flatMap((column, bit) => (isFair(column.reduce((sum, x) => sum + x, 0)) ? [] : [bit]));
    expect(fixed).toEqual([48, 49, 50, 51, 64, 65]);

    const free = bits.filter((_, bit) => !fixed.includes(bit));
    const tied = free.flatMap((a, i) => free.slice(i + 1).filter((b) => !isFair(agreements(a, b))));
    expect(tied).toHaveLength(0);
  });
});

function agreements(a: Uint8Array, b: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) count++;
  return count;
}
