import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import {
  type CandidateColumn,
  type ColumnGatherer,
  createColumn,
  growColumn,
  setReturn,
} from "./candidate-column.ts";
import type { TailArena } from "./tail-arena.ts";
import { createTailMemory, type TailMemory } from "./tail-memory.ts";
import type { CandidateSlots, TailOrder } from "./tail-order.ts";

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
  /** Of the reference book, every scenario that is no candidate; −Infinity where one is. */
  readonly restLossesUsd: Float64Array;
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
    restLossesUsd: arena.doubles(scenarios),
    restLossUsd: Infinity,
  };
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
export function columnOf(
  sheet: ScenarioSheet,
  row: number,
  candidates: TailCandidates,
  gatherer: ColumnGatherer,
): CandidateColumn {
  const { columns, scenarios, count, spareReturns, arena } = candidates;
  for (let i = 0; i < columns.length; i++) if (columns[i]!.row === row) return columns[i]!;
  const returns = spareReturns.pop() ?? arena.doubles(scenarios.length);
  const column = createColumn(row, sheet.days[row]!, scenarios, count, returns, gatherer);
  columns.push(column);
  return column;
}

/** Gives a scenario the next slot. */
export function addCandidate(scenario: number, candidates: TailCandidates): void {
  const { columns, slots, restLossesUsd } = candidates;
  if (candidates.count === candidates.scenarios.length) growCapacity(candidates);
  const slot = candidates.count++;
  candidates.scenarios[slot] = scenario;
  slots[scenario] = slot + 1;
  restLossesUsd[scenario] = -Infinity;
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
