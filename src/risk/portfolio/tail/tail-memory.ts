import type { CandidateColumn } from "./candidate-column.ts";
import { createReachCover, type ReachCover, ROUNDING } from "./reach-cover.ts";
import type { TailArena } from "./tail-arena.ts";
import type { TailOrder } from "./tail-order.ts";

/** Of the losses that a tail reads: so many more are kept in order, that small changes of the book come from among them. */
const SPARE_SHARE = 0.1;

/** What is kept of a tail from one request to the next. */
export interface TailMemory {
  /** Longer than the tail where there are candidates enough. */
  readonly order: TailOrder;
  /** The candidates below this slot were compared; what came later may be in the tail or not. 0 where nothing is known. */
  compared: number;
  /** Of these none outside the order lost more, in the book that was then asked about. */
  outsideUsd: number;
  /** What that book held, the change included, by column. */
  readonly notionalsUsd: number[];
  readonly cover: ReachCover;
}

/** A tail of which only a first guess is known. */
export function createTailMemory(likely: TailOrder, reach: number, arena: TailArena): TailMemory {
  const first = likely.subarray(0, reach + Math.ceil(SPARE_SHARE * reach));
  const order = arena.order(first.length);
  order.set(first);
  return {
    order,
    compared: 0,
    outsideUsd: 0,
    notionalsUsd: [],
    cover: createReachCover(),
  };
}

/** Takes the book as it is for the one that the candidates were compared in. */
export function rememberTail(
  memory: TailMemory,
  columns: readonly CandidateColumn[],
  changed: CandidateColumn,
  changeUsd: number,
  compared: number,
  outsideUsd: number,
): void {
  memory.compared = compared;
  memory.outsideUsd = outsideUsd;
  for (let i = 0; i < columns.length; i++) memory.notionalsUsd[i] = heldUsd(columns[i]!, changed, changeUsd);
}

/**
 * The most by which a candidate's loss can have grown since: each row's notional moved by so much, and no candidate's
 * return lies beyond the row's lowest and highest.
 *
 * Holds:   while what was outside the order, and this, is below the tail's last loss, the order begins with the tail
 */
export function grownMostUsd(
  { notionalsUsd }: TailMemory,
  columns: readonly CandidateColumn[],
  changed: CandidateColumn,
  changeUsd: number,
): number {
  let grownUsd = 0;
  let grossUsd = 0;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!;
    const nowUsd = heldUsd(column, changed, changeUsd);
    // A column that came later held nothing.
    const thenUsd = i < notionalsUsd.length ? notionalsUsd[i]! : 0;
    const movedUsd = nowUsd - thenUsd;
    grownUsd -= movedUsd * (movedUsd > 0 ? column.lowest : column.highest);
    grossUsd += Math.abs(nowUsd) + Math.abs(thenUsd);
  }
  return grownUsd + ROUNDING * grossUsd;
}

function heldUsd(column: CandidateColumn, changed: CandidateColumn, changeUsd: number): number {
  return column === changed ? column.notionalUsd + changeUsd : column.notionalUsd;
}
