import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";

const LINE_BYTES = 64;
const GROWN_PAST_BYTES = 4 * 1024 * 1024;

type View = Float64Array | Uint32Array | Uint16Array;

/** Few lengths, so that what was given back is taken again; some beyond what the memory begins with. */
const taking = fc.record({
  kind: fc.constantFrom("doubles" as const, "integers" as const, "order" as const),
  length: fc.constantFrom(0, 1, 46, 96, 1_024, 1_024, 2_048, 30_000),
});
const step = fc.oneof(taking, fc.record({ released: fc.nat() }));

describe("TailArena", () => {
  it("lets nobody share memory that is in use, whatever was given back and however it grew", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const arena = new TailArena();
        const inUse: { view: View; mark: number }[] = [];
        for (const [mark, asked] of steps.entries()) {
          if ("released" in asked) {
            const [gone] = inUse.splice(asked.released % Math.max(1, inUse.length), 1);
            if (gone === undefined) continue;
            expect(isAll(gone.view, gone.mark)).toBe(true);
            arena.release(gone.view);
          } else {
            const view = arena[asked.kind](asked.length);
            expect(view.length).toBe(asked.length);
            expect(view.byteOffset % LINE_BYTES).toBe(0);
            inUse.push({ view: view.fill(mark), mark });
          }
        }
        for (const { view, mark } of inUse) expect(isAll(view, mark)).toBe(true);
      }),
    );
  });

  it("takes what was given back before it grows", () => {
    const arena = new TailArena();
    const first = arena.doubles(GROWN_PAST_BYTES / 8);
    const grownTo = arena.memory.buffer.byteLength;

    for (let n = 0; n < 100; n++) {
      arena.release(first);
      expect(arena.doubles(GROWN_PAST_BYTES / 8).byteOffset).toBe(first.byteOffset);
    }

    expect(arena.memory.buffer.byteLength).toBe(grownTo);
  });

  it("keeps views of before it grew on the memory of after it", () => {
    const arena = new TailArena();
    const before = arena.doubles(8);
    arena.doubles(GROWN_PAST_BYTES / 8);

    before[3] = 7;

    expect(new Float64Array(arena.memory.buffer, before.byteOffset, 8)[3]).toBe(7);
  });
});

function isAll(view: View, mark: number): boolean {
  for (const value of view) if (value !== mark) return false;
  return true;
}
