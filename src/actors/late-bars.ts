import type { Bar } from "../domain/bar.ts";
import { type BarColumns, barsFrom, openTimeMsAt } from "../domain/bar-columns.ts";
import { isUsableBar } from "../risk/volatility/conditioned-bars.ts";

/**
 * Whether bars that were fetched come too late to be steps of a model that stands at `steppedToMs`: with trades, not after
 * that, and not among the known ones, or at other prices.
 *
 * Shapes:  both ascending in time
 */
export function hasLateBars(known: BarColumns, fetched: BarColumns, steppedToMs: number): boolean {
  if (fetched.length === 0 || openTimeMsAt(fetched, 0) > steppedToMs) return false;
  const late = barsFrom(fetched).filter((bar) => bar.openTimeMs <= steppedToMs && isUsableBar(bar));
  const first = late[0];
  if (first === undefined) return false;
  const knownAt = new Map(barsFrom(known, first.openTimeMs).map((bar) => [bar.openTimeMs, bar]));
  return late.some((bar) => {
    const before = knownAt.get(bar.openTimeMs);
    return before === undefined || !isUsableBar(before) || !hasSamePrices(bar, before);
  });
}

function hasSamePrices(bar: Bar, other: Bar): boolean {
  const isSameBody = bar.open === other.open && bar.close === other.close;
  return isSameBody && bar.high === other.high && bar.low === other.low;
}
