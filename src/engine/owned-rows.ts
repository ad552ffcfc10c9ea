import { sharedSingles } from "../domain/shared-memory.ts";
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
  const returns = sharedSingles(day.returns.length);
  returns.set(day.returns);
  return { ...day, returns };
}

/** Its vectors lie one after the other. */
function ownTails(tails: AssetTails): AssetTails {
  const extremes = [...tails.long.adversePaths, ...tails.short.adversePaths];
  const memory = sharedSingles(extremes.reduce((sum, { depths }) => sum + depths.length, 0));
  let end = 0;
  const own = (side: SideTails): SideTails => ({
    ...side,
    adversePaths: side.adversePaths.map((paths): PathExtremes => {
      const depths = memory.subarray(end, (end += paths.depths.length));
      depths.set(paths.depths);
      return { ...paths, depths };
    }),
  });
  return { ...tails, long: own(tails.long), short: own(tails.short) };
}
