import { harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { sortLargest } from "../../math/largest-values.ts";
import { expectedShortfallOfDescending } from "../expected-shortfall.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { fillCandidateLosses } from "./asked-book.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { PortfolioWorkspace } from "./portfolio-var.ts";
import { addReaching, columnOf, type TailCandidates } from "./tail-candidates.ts";

/** Ranks behind the tail's last whose changed losses, on average, are the first guess of where the changed tail ends. */
const RANKS_AVERAGED = 32;
/** A guess that keeps too few is lowered to this share of itself, so often. */
const LOWERED = 0.8;
const LOWERED_MAX = 4;

/** The 99 % tail of a portfolio in which one position is larger, smaller or gone. */
export interface ChangedTail {
  readonly var99Usd: number;
  readonly expectedShortfall99Usd: number;
}

/**
 * The tail after a change of one notional, from the candidates and those that the change may carry to it.
 *
 * Shapes:  candidates and workspace as bookTail left them; candidates may become more
 * Holds:   what portfolioTail says of the losses with the change added, to the last bit
 */
export function changedTail(
  sheet: ScenarioSheet,
  change: SheetPosition,
  scale: number,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): ChangedTail {
  const { book, changed, reach99, at99, scenarios, extremes } = workspace;
  const { sorted } = changed;
  const changeUsd = change.notionalUsdSigned;
  const column = columnOf(sheet, change.row, candidates);
  sortChanged(column.returns, changeUsd, candidates.count, workspace);
  const known = candidates.count;
  addReaching(sheet, column, changeUsd, sorted[reach99 - 1]!, book.rest, candidates, extremes);
  if (candidates.count > known) {
    fillCandidateLosses(known, candidates, book);
    for (let slot = known; slot < candidates.count; slot++) {
      insertDescending(sorted, reach99 - 1, book.lossesUsd[slot]! - changeUsd * column.returns[slot]!);
    }
  }
  const var99 = harrellDavisOfDescending(sorted, at99);
  const shortfall99 = expectedShortfallOfDescending(sorted, scenarios, 0.99);
  return { var99Usd: scale * var99, expectedShortfall99Usd: scale * Math.max(shortfall99, var99) };
}

/** Sorts the largest changed losses of the candidates. */
function sortChanged(
  returns: Float64Array,
  changeUsd: number,
  count: number,
  { book, changed, reach95, reach99 }: PortfolioWorkspace,
): void {
  const { lossesUsd, tailSlots } = book;
  const averaged = Math.min(RANKS_AVERAGED, reach95 - reach99);
  let sumUsd = 0;
  for (let rank = reach99; rank < reach99 + averaged; rank++) {
    const slot = tailSlots[rank]!;
    sumUsd += lossesUsd[slot]! - changeUsd * returns[slot]!;
  }
  let leastUsd = sumUsd / averaged;
  let kept = keepReaching(lossesUsd, returns, changeUsd, leastUsd, count, changed.given);
  for (let tries = 0; kept < reach99; tries++) {
    leastUsd = tries < LOWERED_MAX && leastUsd > 0 ? LOWERED * leastUsd : -Infinity;
    kept = keepReaching(lossesUsd, returns, changeUsd, leastUsd, count, changed.given);
  }
  sortLargest(changed, kept, reach99, leastUsd);
}

function keepReaching(
  lossesUsd: Float64Array,
  returns: Float64Array,
  changeUsd: number,
  leastUsd: number,
  count: number,
  into: Float64Array,
): number {
  let kept = 0;
  let slot = 0;
  // Four at a time: behind the tail mostly none of them is kept, and one branch says so.
  for (; slot + 3 < count; slot += 4) {
    const a = lossesUsd[slot]! - changeUsd * returns[slot]!;
    const b = lossesUsd[slot + 1]! - changeUsd * returns[slot + 1]!;
    const c = lossesUsd[slot + 2]! - changeUsd * returns[slot + 2]!;
    const d = lossesUsd[slot + 3]! - changeUsd * returns[slot + 3]!;
    if (a < leastUsd && b < leastUsd && c < leastUsd && d < leastUsd) continue;
    if (!(a < leastUsd)) into[kept++] = a;
    if (!(b < leastUsd)) into[kept++] = b;
    if (!(c < leastUsd)) into[kept++] = c;
    if (!(d < leastUsd)) into[kept++] = d;
  }
  for (; slot < count; slot++) {
    const lossUsd = lossesUsd[slot]! - changeUsd * returns[slot]!;
    if (!(lossUsd < leastUsd)) into[kept++] = lossUsd;
  }
  return kept;
}

/** Puts a value into a descending run that ends before `end`, if it belongs there; what stood at `end` is lost. */
function insertDescending(values: Float64Array, end: number, value: number): void {
  if (!(value > values[end]!)) return;
  let slot = end;
  while (slot > 0 && values[slot - 1]! < value) {
    values[slot] = values[slot - 1]!;
    slot--;
  }
  values[slot] = value;
}
