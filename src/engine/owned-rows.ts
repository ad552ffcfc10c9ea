import type { DrawnSheet } from "../refit/sheet-job.ts";
import type { PathExtremes } from "../risk/scenarios/path-extremes.ts";
import type { SheetDay } from "../risk/scenarios/sheet-day.ts";
import type { AssetTails, SideTails } from "../risk/tails/var.ts";

/**
 * A draw whose assets each have shared memory of their own for what snapshots keep of them. It was drawn into one block,
 * which would stay for as long as anybody remembers one asset's state; and in parts of its own, all over the arena of the
 * thread that drew, it would keep the whole of that from going back to the system.
 */
export function ownRows({ sheet, rows }: DrawnSheet): DrawnSheet {
  return {
    sheet: { ...sheet, days: sheet.days.map(ownDay) },
    rows: rows.map((row) => ({ ...row, tails: ownTails(row.tails) })),
  };
}

function ownDay(day: SheetDay): SheetDay {
  return { ...day, returns: memoryFor(day.returns.length).take(day.returns) };
}

function ownTails(tails: AssetTails): AssetTails {
  const extremes = [...tails.long.adversePaths, ...tails.short.adversePaths];
  const memory = memoryFor(extremes.reduce((sum, { depths }) => sum + depths.length, 0));
  const own = (side: SideTails): SideTails => ({
    ...side,
    adversePaths: side.adversePaths.map((paths): PathExtremes => {
      return { ...paths, depths: memory.take(paths.depths) };
    }),
  });
  return { ...tails, long: own(tails.long), short: own(tails.short) };
}

/** Shared memory that vectors are copied into, one after the other. */
function memoryFor(length: number): { take(vector: Float32Array): Float32Array } {
  const memory = new Float32Array(new SharedArrayBuffer(length * Float32Array.BYTES_PER_ELEMENT));
  let end = 0;
  return {
    take(vector) {
      const copy = memory.subarray(end, (end += vector.length));
      copy.set(vector);
      return copy;
    },
  };
}
