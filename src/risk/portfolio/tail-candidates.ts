import { selectLargest, type Selection } from "../../math/order-statistics.ts";
import type { SheetDay } from "../scenarios/sheet-day.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { fillPortfolioLosses, type SheetPosition } from "./portfolio-losses.ts";
import { extremesOf, type RowExtremes } from "./row-extremes.ts";
import type { TailOrder } from "./tail-order.ts";

/** Candidates of a reference book, over the scenarios that a 95 % tail reads: what sizes and marks may move by. */
const CANDIDATES_PER_READ = 2.5;
const CAPACITY_MIN = 1024;
/** The lists of extremes were sorted at another sigma; a hair of slack for what float32 rounded together there. */
const SORTING_SLACK = 1e-6;

/** One asset's returns of the day over the candidates. */
export interface CandidateColumn {
  readonly row: number;
  readonly day: SheetDay;
  /** What the reference book holds in it, netted. */
  referenceUsd: number;
  /** What the book asked about holds in it, netted. */
  notionalUsd: number;
  /** By slot; doubles, because they are read many times and made once. */
  returns: Float64Array;
  /** Of the 99 % tails that a change of the row leaves, by the change's purpose and direction. */
  readonly orders: (TailOrder | undefined)[];
}

/**
 * The scenarios that can be in the tail of one wallet's book, with the returns of its assets side by side: a fifth of
 * all, so that a book and its changes are read from a block that fits the nearest cache. They are the worst of a
 * reference book; from how a book differs from it, in marks or by a trade, follows what the others can have lost at
 * most, and those that may have lost more are added when they are first needed.
 *
 * Holds:   what is read from them does not depend on which they are, as long as none is missing; valid while every
 *          row's day is what it was
 */
export interface TailCandidates {
  count: number;
  /** So many of them are the worst of the reference book, worst first; the others were added since. */
  anchored: number;
  /** By slot. */
  scenarios: Uint32Array;
  /** By scenario: one more than its slot; 0 for none. */
  readonly slots: Uint16Array;
  /** Of the 95 % tail of the book asked about last. */
  order: TailOrder;
  /** Of the reference book: slot by slot. */
  referenceOrder: TailOrder;
  readonly columns: CandidateColumn[];
  /** Of the reference book, every scenario. */
  readonly referenceLossesUsd: Float64Array;
  /** No scenario but the first candidates lost more in the reference book. */
  restLossUsd: number;
}

export function createTailCandidates(scenarios: number): TailCandidates {
  return {
    count: 0,
    anchored: 0,
    scenarios: new Uint32Array(Math.min(CAPACITY_MIN, scenarios)),
    slots: new Uint16Array(scenarios),
    order: new Uint16Array(0),
    referenceOrder: new Uint16Array(0),
    columns: [],
    referenceLossesUsd: new Float64Array(scenarios),
    restLossUsd: Infinity,
  };
}

/** Begins anew with the worst scenarios of a reference book, found by a pass over all. */
export function anchorCandidates(
  sheet: ScenarioSheet,
  reference: readonly SheetPosition[],
  reach95: number,
  candidates: TailCandidates,
  selection: Selection,
): void {
  const { slots, columns, referenceLossesUsd } = candidates;
  fillPortfolioLosses(sheet, reference, referenceLossesUsd);
  const count = Math.min(sheet.scenarios, Math.ceil(CANDIDATES_PER_READ * reach95));
  selectLargest(referenceLossesUsd, count, selection);
  const isAll = count === sheet.scenarios;
  candidates.restLossUsd = isAll ? -Infinity : selection.values[count - 1]!;
  slots.fill(0);
  columns.length = 0;
  candidates.count = 0;
  candidates.anchored = count;
  for (let slot = 0; slot < count; slot++) addCandidate(selection.indices[slot]!, candidates);
  candidates.referenceOrder = Uint16Array.from({ length: count }, (_, slot) => slot);
  candidates.order = candidates.referenceOrder.slice(0, reach95);
  for (const { row, notionalUsdSigned } of reference) {
    columnOf(sheet, row, candidates).referenceUsd += notionalUsdSigned;
  }
}

/** Whether every column still is its row's day. */
export function isCurrent(sheet: ScenarioSheet, { count, columns }: TailCandidates): boolean {
  if (count === 0) return false;
  for (let i = 0; i < columns.length; i++) {
    if (columns[i]!.day !== sheet.days[columns[i]!.row]) return false;
  }
  return true;
}

/** Back to the worst scenarios of the reference book. */
export function dropAdded(candidates: TailCandidates): void {
  const { anchored, scenarios, slots } = candidates;
  for (let slot = anchored; slot < candidates.count; slot++) slots[scenarios[slot]!] = 0;
  candidates.count = anchored;
}

/** The column of a row, gathered when first asked for. */
export function columnOf(sheet: ScenarioSheet, row: number, candidates: TailCandidates): CandidateColumn {
  const { columns, scenarios, count } = candidates;
  for (let i = 0; i < columns.length; i++) if (columns[i]!.row === row) return columns[i]!;
  const day = sheet.days[row]!;
  const returns = new Float64Array(scenarios.length);
  for (let slot = 0; slot < count; slot++) returns[slot] = day.returns[scenarios[slot]!]!;
  const column = { row, day, referenceUsd: 0, notionalUsd: 0, returns, orders: [] };
  columns.push(column);
  return column;
}

function addCandidate(scenario: number, candidates: TailCandidates): void {
  const { columns, slots } = candidates;
  if (candidates.count === candidates.scenarios.length) growCapacity(candidates);
  const slot = candidates.count++;
  candidates.scenarios[slot] = scenario;
  slots[scenario] = slot + 1;
  for (let i = 0; i < columns.length; i++) columns[i]!.returns[slot] = columns[i]!.day.returns[scenario]!;
}

function growCapacity(candidates: TailCandidates): void {
  const { scenarios, columns } = candidates;
  const capacity = 2 * scenarios.length;
  candidates.scenarios = new Uint32Array(capacity);
  candidates.scenarios.set(scenarios);
  for (const column of columns) {
    const { returns } = column;
    column.returns = new Float64Array(capacity);
    column.returns.set(returns);
  }
}

/** The most that a scenario loses by a change of the row's notional, but for the `skipped` that lose more. */
export function worstChangeUsd(
  sheet: ScenarioSheet,
  { row, day }: CandidateColumn,
  changeUsd: number,
  extremes: RowExtremes,
  skipped = 0,
): number {
  if (changeUsd === 0) return 0;
  const worst = extremesOf(sheet, row, changeUsd > 0 ? -1 : 1, extremes);
  const lossUsd = 0 - changeUsd * day.returns[worst[Math.min(skipped, worst.length - 1)]!]!;
  return lossUsd + SORTING_SLACK * Math.abs(lossUsd);
}

/** What bounds the losses that scenarios which are no candidates have in the book that is asked about. */
export interface RestBound {
  /** None lost more. */
  lossUsd: number;
  /** None lost more but for the change of one row, the far one: */
  nearLossUsd: number;
  /** Each lost at most this more than in the reference book, but for the same change. */
  slackUsd: number;
  farChangeUsd: number;
  /** All scenarios of the far row. */
  farReturns: Float32Array;
}

/**
 * Adds the scenarios that a change of one row's notional may carry to a floor. The row's own extremes come first, until
 * they add too little; where their list ends before, every scenario is looked at.
 *
 * Source:  Fagin, Lotem and Naor, Optimal aggregation algorithms for middleware (2003): bounds from two sorted lists
 */
export function addReaching(
  sheet: ScenarioSheet,
  { row, day: { returns } }: CandidateColumn,
  changeUsd: number,
  floorUsd: number,
  { lossUsd, nearLossUsd, slackUsd, farChangeUsd, farReturns }: RestBound,
  candidates: TailCandidates,
  extremes: RowExtremes,
): void {
  const { slots, referenceLossesUsd } = candidates;
  // Two changes of one row are one: taking a trade back leaves the reference.
  const isFar = returns === farReturns;
  const movedUsd = isFar ? farChangeUsd + changeUsd : changeUsd;
  const otherUsd = isFar ? 0 : farChangeUsd;
  const boundUsd = isFar ? nearLossUsd : lossUsd;
  const leastUsd = floorUsd - slackUsd;
  const worst = extremesOf(sheet, row, movedUsd > 0 ? -1 : 1, extremes);
  for (let i = 0; i < worst.length; i++) {
    const scenario = worst[i]!;
    const addedUsd = 0 - movedUsd * returns[scenario]!;
    if (boundUsd + addedUsd + SORTING_SLACK * Math.abs(addedUsd) < floorUsd) return;
    if (slots[scenario] !== 0) continue;
    const mostUsd = referenceLossesUsd[scenario]! - otherUsd * farReturns[scenario]! + addedUsd;
    if (mostUsd >= leastUsd) addCandidate(scenario, candidates);
  }
  if (worst.length === sheet.scenarios) return;
  for (let scenario = 0; scenario < referenceLossesUsd.length; scenario++) {
    const mostUsd =
      referenceLossesUsd[scenario]! - otherUsd * farReturns[scenario]! - movedUsd * returns[scenario]!;
    if (mostUsd >= leastUsd && slots[scenario] === 0) addCandidate(scenario, candidates);
  }
}
