import { harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { sortKept } from "../../math/order-statistics.ts";
import { expectedShortfallOfDescending } from "../expected-shortfall.ts";
import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import type { PortfolioWorkspace, SheetPosition } from "./portfolio-var.ts";
import { extremesOf } from "./row-extremes.ts";

/** A changed tail starts from this many times as many of the old tail as it needs: cheaper than looking elsewhere. */
const TAIL_READ = 2;
const SORTING_SLACK = 1e-6;

/** The 99 % tail of a portfolio in which one position is larger, smaller or gone. */
export interface ChangedTail {
  readonly var99Usd: number;
  readonly expectedShortfall99Usd: number;
}

/**
 * The tail after a change of one notional, from few scenarios: those of the portfolio's own tail, and those in which the
 * change alone loses so much that they may have joined it. Where the change is so large that these are not few, from one
 * pass over all.
 *
 * Shapes:  lossesUsd and the workspace as portfolioTail left them; neither is changed
 * Holds:   what portfolioTail says of the losses with the change added, to the last bit
 * Source:  Fagin, Lotem and Naor, Optimal aggregation algorithms for middleware (2003): bounds from two sorted lists
 */
export function changedTail(
  sheet: ScenarioSheet,
  change: SheetPosition,
  lossesUsd: Float64Array,
  scale: number,
  workspace: PortfolioWorkspace,
): ChangedTail {
  const { selection, changed, reach95, reach99, at99, scenarios } = workspace;
  const { indices, values: tailUsd } = selection;
  const { keptValues, values: changedUsd } = changed;
  const returns = dayReturnsOf(sheet, change.row);
  const notionalUsd = change.notionalUsdSigned;
  const read = Math.min(reach95, TAIL_READ * reach99);
  for (let rank = 0; rank < read; rank++) {
    keptValues[rank] = tailUsd[rank]! - notionalUsd * returns[indices[rank]!]!;
  }
  sortKept(changed, read, reach99);
  if (!insertJoined(sheet, change, lossesUsd, read, workspace)) {
    const floorUsd = changedUsd[reach99 - 1]!;
    sortKept(changed, keepReaching(lossesUsd, returns, notionalUsd, floorUsd, keptValues), reach99);
  }
  const var99 = harrellDavisOfDescending(changedUsd, at99);
  const shortfall99 = expectedShortfallOfDescending(changedUsd, scenarios, 0.99);
  return { var99Usd: scale * var99, expectedShortfall99Usd: scale * Math.max(shortfall99, var99) };
}

/**
 * Inserts the changed losses of scenarios outside the `read` worst of before: each lost at most what the last of those
 * did, so only where the change adds more than the floor is above that can it have joined. False, with nothing
 * inserted, when the row's list may end before such changes do.
 */
function insertJoined(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned }: SheetPosition,
  lossesUsd: Float64Array,
  read: number,
  { selection, changed, reach99, scenarios, extremes }: PortfolioWorkspace,
): boolean {
  const changedUsd = changed.values;
  const returns = dayReturnsOf(sheet, row);
  const worst = extremesOf(sheet, row, notionalUsdSigned > 0 ? -1 : 1, extremes);
  const leastUsd = selection.values[read - 1]!;
  const leastPlace = selection.indices[read - 1]!;
  // The list was sorted at another sigma; a hair of slack for what float32 rounded together there.
  const mayJoin = (addedUsd: number, floorUsd: number): boolean =>
    addedUsd + SORTING_SLACK * Math.abs(addedUsd) >= floorUsd - leastUsd;
  const lastAddedUsd = 0 - notionalUsdSigned * returns[worst.at(-1)!]!;
  if (worst.length < scenarios && mayJoin(lastAddedUsd, changedUsd[reach99 - 1]!)) return false;
  for (let i = 0; i < worst.length; i++) {
    const scenario = worst[i]!;
    const addedUsd = 0 - notionalUsdSigned * returns[scenario]!;
    const floorUsd = changedUsd[reach99 - 1]!;
    if (!mayJoin(addedUsd, floorUsd)) return true;
    const lossUsd = lossesUsd[scenario]!;
    if (lossUsd > leastUsd || (lossUsd === leastUsd && scenario <= leastPlace)) continue;
    const joinedUsd = lossUsd - notionalUsdSigned * returns[scenario]!;
    if (joinedUsd > floorUsd) insertDescending(changedUsd, reach99 - 1, joinedUsd);
  }
  return true;
}

/** Puts a value into a descending run that ends before `end`; what stood at `end` is lost. */
function insertDescending(values: Float64Array, end: number, value: number): void {
  let slot = end;
  while (slot > 0 && values[slot - 1]! < value) {
    values[slot] = values[slot - 1]!;
    slot--;
  }
  values[slot] = value;
}

/** Keeps every changed loss that reaches the floor. Four at a time: nearly always none does, and one branch says so. */
function keepReaching(
  lossesUsd: Float64Array,
  returns: Float32Array,
  notionalUsd: number,
  floorUsd: number,
  into: Float64Array,
): number {
  let count = 0;
  let s = 0;
  for (; s + 3 < lossesUsd.length; s += 4) {
    const a = lossesUsd[s]! - notionalUsd * returns[s]!;
    const b = lossesUsd[s + 1]! - notionalUsd * returns[s + 1]!;
    const c = lossesUsd[s + 2]! - notionalUsd * returns[s + 2]!;
    const d = lossesUsd[s + 3]! - notionalUsd * returns[s + 3]!;
    if (a < floorUsd && b < floorUsd && c < floorUsd && d < floorUsd) continue;
    if (a >= floorUsd) into[count++] = a;
    if (b >= floorUsd) into[count++] = b;
    if (c >= floorUsd) into[count++] = c;
    if (d >= floorUsd) into[count++] = d;
  }
  for (; s < lossesUsd.length; s++) {
    const lossUsd = lossesUsd[s]! - notionalUsd * returns[s]!;
    if (lossUsd >= floorUsd) into[count++] = lossUsd;
  }
  return count;
}
