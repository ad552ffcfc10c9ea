import { describe, expect, it } from "vitest";
import { sharedBlock } from "../../src/domain/shared-memory.ts";

// Mutants killed: a small block as small as asked for, a large one larger, a block of what glibc still keeps.

const KEPT_BYTES_MAX = 32 * 1024 * 1024;

describe("a shared block", () => {
  it("is larger than anything that the allocator keeps, and no larger than asked for where that is", () => {
    for (const bytes of [0, 1, 4096, KEPT_BYTES_MAX]) {
      expect(sharedBlock(bytes).byteLength).toBeGreaterThan(KEPT_BYTES_MAX);
    }
    expect(sharedBlock(2 * KEPT_BYTES_MAX + 8).byteLength).toBe(2 * KEPT_BYTES_MAX + 8);
  });

  it("is of zeros", () => {
    expect(new Float64Array(sharedBlock(8_000), 0, 1_000).every((number) => number === 0)).toBe(true);
  });
});
