import { selectLargest, type Selection } from "../../../math/order-statistics.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import { type CandidateColumn, createColumn, growColumn, setReturn } from "./candidate-column.ts";
import { fillPortfolioLosses, type SheetPosition } from "../portfolio-losses.ts";
import { isCovered, type ReachCover } from "./reach-cover.ts";
import { extremesOf, type RowExtremes, SORTING_SLACK, worstChangeUsd } from "./row-extremes.ts";
import type { TailArena } from "./tail-arena.ts";
import { createTailMemory, type TailMemory } from "./tail-memory.ts";
import type { CandidateSlots, TailOrder } from "./tail-order.ts";

/** Candidates of a reference book, over the scenarios that a 95 % tail reads: what sizes and marks may move by. */
const CANDIDATES_PER_READ = 2.5;
/** Whole blocks, whatever the number of candidates. */
const CAPACITY_MIN = 1024;
/** An account of more positions leaves no more than so many behind, 8 kB each. */
const SPARE_RETURNS_MAX = 16;

/**
 * The scenarios that can be in the tail of one wallet's book, with the returns of its assets side by side: a fifth of
 * all, so that a book and its changes are read from a block that fits the nearest cache. They are the worst of a
 * reference book; from how a book differs from it, in marks or by a trade, follows what the others can have lost at
 * most, and those that may have lost more are added when they are first needed.
 *
 * Holds:   what is read from them does not depend on which they are, as long as none is missing; valid while every
 *          row's day is what it was
 */
export interface TailCandidates extends CandidateSlots {
  /** Holds the columns, the scenarios and every order. */
  readonly arena: TailArena;
  count: number;
  /** How often the reference book was replaced since the candidates were found. */
  moves: number;
  /** What the losses of the reference book may have lost by rounding since. */
  roundingUsd: number;
  /** The 95 % tail of the book asked about last. */
  tail: TailMemory;
  /** Of the reference book: slot by slot. */
  referenceOrder: TailOrder;
  readonly columns: CandidateColumn[];
  /** Returns of columns that are gone, for those to come: as long as there are slots. */
  readonly spareReturns: Float64Array[];
  /** Of the reference book, every scenario. */
  readonly referenceLossesUsd: Float64Array;
  /** No scenario but the first candidates lost more in the reference book. */
  restLossUsd: number;
}

export function createTailCandidates(scenarios: number, arena: TailArena): TailCandidates {
  return {
    arena,
    count: 0,
    moves: 0,
    roundingUsd: 0,
    scenarios: arena.integers(CAPACITY_MIN),
    slots: new Uint16Array(scenarios),
    tail: createTailMemory(new Uint16Array(0), 0, arena),
    referenceOrder: new Uint16Array(0),
    columns: [],
    spareReturns: [],
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
  const { referenceLossesUsd } = candidates;
  fillPortfolioLosses(sheet, reference, referenceLossesUsd);
  const count = Math.min(sheet.scenarios, Math.ceil(CANDIDATES_PER_READ * reach95));
  selectLargest(referenceLossesUsd, count, selection);
  const isAll = count === sheet.scenarios;
  candidates.restLossUsd = isAll ? -Infinity : selection.values[count - 1]!;
  forgetCandidates(candidates);
  candidates.moves = 0;
  candidates.roundingUsd = 0;
  for (let slot = 0; slot < count; slot++) addCandidate(selection.indices[slot]!, candidates);
  candidates.referenceOrder = new Uint16Array(count);
  for (let slot = 0; slot < count; slot++) candidates.referenceOrder[slot] = slot;
  candidates.arena.release(candidates.tail.order);
  candidates.tail = createTailMemory(candidates.referenceOrder, reach95, candidates.arena);
  for (const { row, notionalUsdSigned } of reference) {
    columnOf(sheet, row, candidates).referenceUsd += notionalUsdSigned;
  }
}

/** Keeps the memory only. */
export function forgetCandidates(candidates: TailCandidates): void {
  const { slots, columns, spareReturns, arena } = candidates;
  for (const { returns, tails } of columns) {
    if (spareReturns.length < SPARE_RETURNS_MAX) spareReturns.push(returns);
    else arena.release(returns);
    for (const tail of tails) if (tail !== undefined) arena.release(tail.order);
  }
  columns.length = 0;
  slots.fill(0);
  candidates.count = 0;
}

/** Whether every column still is its row's day. */
export function isCurrent(sheet: ScenarioSheet, { count, columns }: TailCandidates): boolean {
  if (count === 0) return false;
  for (let i = 0; i < columns.length; i++) {
    if (columns[i]!.day !== sheet.days[columns[i]!.row]) return false;
  }
  return true;
}

/** The column of a row, gathered when first asked for. */
export function columnOf(sheet: ScenarioSheet, row: number, candidates: TailCandidates): CandidateColumn {
  const { columns, scenarios, count, spareReturns, arena } = candidates;
  for (let i = 0; i < columns.length; i++) if (columns[i]!.row === row) return columns[i]!;
  const returns = spareReturns.pop() ?? arena.doubles(scenarios.length);
  const column = createColumn(row, sheet.days[row]!, scenarios, count, returns);
  columns.push(column);
  return column;
}

/** Gives a scenario the next slot. */
export function addCandidate(scenario: number, candidates: TailCandidates): void {
  const { columns, slots } = candidates;
  if (candidates.count === candidates.scenarios.length) growCapacity(candidates);
  const slot = candidates.count++;
  candidates.scenarios[slot] = scenario;
  slots[scenario] = slot + 1;
  for (let i = 0; i < columns.length; i++) setReturn(columns[i]!, slot, scenario);
}

function growCapacity(candidates: TailCandidates): void {
  const { scenarios, columns, spareReturns, arena } = candidates;
  const capacity = 2 * scenarios.length;
  candidates.scenarios = arena.integers(capacity);
  candidates.scenarios.set(scenarios);
  arena.release(scenarios);
  for (const returns of spareReturns) arena.release(returns);
  spareReturns.length = 0;
  for (const column of columns) growColumn(column, capacity, arena);
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
  far: CandidateColumn | null;
}

/**
 * Adds the scenarios that a change of one row's notional may carry to a floor, and those that it may carry to a margin
 * below it, so that the next search for the same tail finds itself covered though marks moved a little. The row's own
 * extremes come first, until they add too little; where their list would end before, every scenario is looked at.
 *
 * Source:  Fagin, Lotem and Naor, Optimal aggregation algorithms for middleware (2003): bounds from two sorted lists
 */
export function addReaching(
  sheet: ScenarioSheet,
  column: CandidateColumn,
  changeUsd: number,
  floorUsd: number,
  marginUsd: number,
  { lossUsd, nearLossUsd, slackUsd, farChangeUsd, far: farthest }: RestBound,
  cover: ReachCover,
  candidates: TailCandidates,
  extremes: RowExtremes,
): void {
  const { restLossUsd, moves } = candidates;
  const far = farthest ?? column;
  // Two changes of one row are one: taking a trade back leaves the reference.
  const isFar = column === far;
  const movedUsd = isFar ? farChangeUsd + changeUsd : changeUsd;
  const otherUsd = isFar ? 0 : farChangeUsd;
  const floorOfRestUsd = floorUsd - slackUsd;
  if (isCovered(cover, sheet, column, movedUsd, far, otherUsd, floorOfRestUsd, restLossUsd, moves, extremes))
    return;
  cover.column = column;
  cover.movedUsd = movedUsd;
  cover.far = far;
  cover.otherUsd = otherUsd;
  cover.leastUsd = floorOfRestUsd - marginUsd;
  cover.moves = moves;
  const boundUsd = (isFar ? nearLossUsd : lossUsd) - slackUsd;
  const listed = extremesOf(sheet, column.row, movedUsd > 0 ? -1 : 1, extremes).length;
  const isListEnough =
    listed === sheet.scenarios ||
    boundUsd + worstChangeUsd(sheet, column, movedUsd, extremes, listed - 1) < cover.leastUsd;
  if (isListEnough) addListed(sheet, column, cover, boundUsd, far, candidates, extremes);
  else addFromAll(column, cover, far, candidates);
}

/** Walks a row's extremes as long as a scenario that moved as far can reach what is searched. */
function addListed(
  sheet: ScenarioSheet,
  { row, day: { returns } }: CandidateColumn,
  { movedUsd, otherUsd, leastUsd }: ReachCover,
  boundUsd: number,
  far: CandidateColumn,
  candidates: TailCandidates,
  extremes: RowExtremes,
): void {
  const { slots, referenceLossesUsd } = candidates;
  const farReturns = far.day.returns;
  const worst = extremesOf(sheet, row, movedUsd > 0 ? -1 : 1, extremes);
  for (let i = 0; i < worst.length; i++) {
    const scenario = worst[i]!;
    const addedUsd = 0 - movedUsd * returns[scenario]!;
    if (boundUsd + addedUsd + SORTING_SLACK * Math.abs(addedUsd) < leastUsd) return;
    if (slots[scenario] !== 0) continue;
    const mostUsd = referenceLossesUsd[scenario]! - otherUsd * farReturns[scenario]! + addedUsd;
    if (mostUsd >= leastUsd) addCandidate(scenario, candidates);
  }
}

function addFromAll(
  { day: { returns } }: CandidateColumn,
  { movedUsd, otherUsd, leastUsd }: ReachCover,
  far: CandidateColumn,
  candidates: TailCandidates,
): void {
  const { slots, referenceLossesUsd } = candidates;
  const farReturns = far.day.returns;
  for (let scenario = 0; scenario < referenceLossesUsd.length; scenario++) {
    const mostUsd =
      referenceLossesUsd[scenario]! - otherUsd * farReturns[scenario]! - movedUsd * returns[scenario]!;
    if (mostUsd >= leastUsd && slots[scenario] === 0) addCandidate(scenario, candidates);
  }
}
