import type { SheetDay } from "../../scenarios/sheet-day.ts";
import type { TailArena } from "./tail-arena.ts";
import type { TailKernel } from "./tail-kernel.ts";
import type { WholeRows } from "./whole-rows.ts";
import type { TailMemory } from "./tail-memory.ts";

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
  /** No candidate's return is lower, or higher. */
  lowest: number;
  highest: number;
  /** Of the 99 % tails that a change of the row leaves, by the change's purpose and direction. */
  readonly tails: (TailMemory | undefined)[];
}

/** What gathers columns. */
export interface ColumnGatherer {
  readonly kernel: TailKernel;
  readonly rows: WholeRows;
  /** Where the lowest and highest return of a column are put. */
  readonly returnRange: Float64Array;
}

/** Shapes: scenarios by slot, the first `count` of them candidates; returns as long, what stands there does not matter */
export function createColumn(
  row: number,
  day: SheetDay,
  scenarios: Uint32Array,
  count: number,
  returns: Float64Array,
  { kernel, rows, returnRange }: ColumnGatherer,
): CandidateColumn {
  kernel.gatherColumn(rows.returnsOf(row, day), scenarios, count, returns, returnRange);
  const lowest = returnRange[0]!;
  const highest = returnRange[1]!;
  return { row, day, referenceUsd: 0, notionalUsd: 0, returns, lowest, highest, tails: [] };
}

export function setReturn(column: CandidateColumn, slot: number, scenario: number): void {
  const value = column.day.returns[scenario]!;
  column.returns[slot] = value;
  if (value < column.lowest) column.lowest = value;
  if (value > column.highest) column.highest = value;
}

export function growColumn(column: CandidateColumn, capacity: number, arena: TailArena): void {
  const { returns } = column;
  column.returns = arena.doubles(capacity);
  column.returns.set(returns);
  arena.release(returns);
}
