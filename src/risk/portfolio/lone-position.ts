import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { isNegligible, type PositionAttribution, standaloneVar99Usd } from "./attribution.ts";
import { boundedVar99Usd } from "./bounded-parts.ts";
import type { JointRisk, RowChanges } from "./joint-risk.ts";
import type { BoundedPosition } from "./loss-bound.ts";
import { type PortfolioWorkspace, portfolioTailOfDescending } from "./portfolio-var.ts";
import { rowShortfall99Usd } from "./row-shortfall.ts";
import { isMet, isMetIn, takeBounds } from "./tail/met-losses.ts";
import { extremesOf, SORTING_SLACK } from "./tail/row-extremes.ts";

/**
 * The position that an account holds alone, whose tails are those of its row at any size; null where there are others, or
 * where another row is to be changed.
 */
export function lonePositionOf(
  positions: readonly BoundedPosition[],
  changes: RowChanges | null,
): BoundedPosition | null {
  if (positions.length !== 1) return null;
  const changedRow = changes === null || changes.changesUsd.length === 0 ? null : changes.row;
  return changedRow === null || changedRow === positions[0]!.row ? positions[0]! : null;
}

/**
 * Joint risk of a position held alone, from the extremes of its row, which last as long as a draw: what bookTail finds
 * in all scenarios, and finds anew for every size that differs much from the last.
 *
 * Holds:   the tail is that of all scenarios, to the last bit; the position is all of the account's risk; null where its
 *          bound is met by losses that reach beyond the extremes
 */
export function lonePositionRisk(
  sheet: ScenarioSheet,
  position: BoundedPosition,
  changes: RowChanges | null,
  workspace: PortfolioWorkspace,
): JointRisk | null {
  const { tailLossesUsd, book, steps } = workspace;
  takeBounds(sheet, [position], steps, book.met);
  if (!fillTail(sheet, position, tailLossesUsd, workspace)) return null;
  const tail = portfolioTailOfDescending(tailLossesUsd, workspace);
  const inFullUsd = standaloneVar99Usd(sheet, position);
  const part: PositionAttribution = {
    incrementalVarUsd: tail.var99Usd,
    componentVarUsd: tail.var99Usd,
    componentVarShare: isNegligible(tail.var99Usd, inFullUsd) ? null : 1,
  };
  const { row, notionalUsdSigned: heldUsd, bound } = position;
  const changesUsd = changes?.changesUsd ?? [];
  const shortfallOf = (usd: number): number => rowShortfall99Usd(sheet, row, heldUsd + usd, workspace);
  return {
    attribution: {
      tail,
      aloneVar99Usd: isMet(0, book.met) ? boundedVar99Usd(sheet, 0, position, workspace) : inFullUsd,
      positions: [part],
    },
    // What is asked about is counted in full.
    askedShortfall99Usd:
      bound !== null && changes?.row === row ? shortfallOf(0) : tail.expectedShortfall99Usd,
    changedShortfalls99Usd: changesUsd.map(shortfallOf),
    tailLossesUsd,
  };
}

/** The largest losses of the position, largest first; false where they may reach beyond its row's extremes. */
function fillTail(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned, bound }: BoundedPosition,
  lossesUsd: Float64Array,
  { extremes, book: { met } }: PortfolioWorkspace,
): boolean {
  const reach = lossesUsd.length;
  const list = met.lists[0]!;
  const metCount = Math.min(list.count, reach);
  lossesUsd.fill(met.equitiesUsd[0]!, 0, metCount);
  const { returns } = sheet.days[row]!;
  const worst = extremesOf(sheet, row, notionalUsdSigned > 0 ? -1 : 1, extremes);
  let count = metCount;
  let others = 0;
  let leastUsd = Infinity;
  for (let k = 0; k < worst.length && others < reach; k++) {
    const scenario = worst[k]!;
    leastUsd = 0 - notionalUsdSigned * returns[scenario]!;
    if (metCount > 0 && isMetIn(scenario, list)) continue;
    others++;
    if (count < reach) sink(leastUsd, count++, lossesUsd);
    else if (leastUsd > lossesUsd[reach - 1]!) sink(leastUsd, reach - 1, lossesUsd);
  }
  if (others === reach || worst.length === sheet.scenarios) return true;
  // A scenario behind the extremes lost no more than the last of them, nor, if it did not meet the bound, than there.
  const atBoundUsd = Math.abs(notionalUsdSigned * Math.expm1(bound?.logBarrier ?? Infinity));
  return count === reach && lossesUsd[reach - 1]! >= Math.min(leastUsd, (1 + SORTING_SLACK) * atBoundUsd);
}

/** Puts a loss where it belongs among those before a place. */
function sink(lossUsd: number, from: number, lossesUsd: Float64Array): void {
  let place = from;
  for (; place > 0 && lossesUsd[place - 1]! < lossUsd; place--) lossesUsd[place] = lossesUsd[place - 1]!;
  lossesUsd[place] = lossUsd;
}
