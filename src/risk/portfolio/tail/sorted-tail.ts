import { type AskedBook, fillMissingLosses } from "./asked-book.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import type { TailCandidates } from "./tail-candidates.ts";
import { grownMostUsd, rememberTail, type TailMemory } from "./tail-memory.ts";
import { sortInto, type TailOrder, type TailSorter } from "./tail-order.ts";

/** Moves that insertion may make beside one for each loss. Beyond them the order has changed too much: sort again. */
const MOVES_SPARE = 8;
/** Of the losses at the tail's end: where a loss may have grown by more, the order has changed too much. */
const SIMILAR_SHARE = 0.06;
/** Ranks behind the tail's last in another order whose losses, on average, are the first guess of where it ends. */
const RANKS_AVERAGED = 32;
/** A guess that keeps too few is lowered to this share of itself, so often. */
const LOWERED = 0.8;
const LOWERED_MAX = 4;

/**
 * Sorts the largest changed losses of the candidates, loss − change × return, and remembers their order. Losses that are
 * in order already cost a comparison each, which the processor foresees; sorting anew costs several times that. The other
 * candidates are looked at only if one of them may have come into the tail since they last were.
 *
 * Shapes:  `reach` losses; `similar` is a longer order, of another tail, to guess the end of this one from
 * Holds:   the first `reach` values and slots are those of sorting all candidates, ties in the order of their scenarios,
 *          whatever the memory was; where bounds are met, which move otherwise than notionals do, all are looked at
 */
export function sortTail(
  book: AskedBook,
  column: CandidateColumn,
  changeUsd: number,
  reach: number,
  candidates: TailCandidates,
  memory: TailMemory,
  similar: TailOrder,
  sorter: TailSorter,
): void {
  const { order } = memory;
  const { columns } = candidates;
  const isLinear = book.met.total === 0;
  const grownUsd = isLinear ? grownMostUsd(memory, columns, column, changeUsd) : Infinity;
  const isSimilar = !isLinear || grownUsd < SIMILAR_SHARE * memory.outsideUsd;
  const { values } = sorter.selection;
  const { returns } = column;
  if (
    !isSimilar ||
    !book.kernel.settle(book, returns, changeUsd, order, values, candidates.scenarios, MOVES_SPARE)
  ) {
    sortAnew(book, returns, changeUsd, candidates, order, similar, sorter);
    rememberTail(memory, columns, column, changeUsd, comparedIn(book, candidates), values[order.length - 1]!);
  } else if (memory.compared < candidates.count || !(memory.outsideUsd + grownUsd < values[reach - 1]!)) {
    admitCandidates(book, column, changeUsd, candidates, memory, sorter);
  }
}

/** Admits the candidates that reach the end of a sorted tail. */
export function admitCandidates(
  book: AskedBook,
  column: CandidateColumn,
  changeUsd: number,
  candidates: TailCandidates,
  memory: TailMemory,
  sorter: TailSorter,
): void {
  const { order } = memory;
  const { selection } = sorter;
  const { lossesUsd, kernel } = book;
  const { count, columns } = candidates;
  fillMissingLosses(0, candidates, book);
  // So many losses are no smaller, so that the tail's are not either.
  const leastUsd = selection.values[order.length - 1]!;
  const kept = kernel.keepReaching(lossesUsd, column.returns, changeUsd, leastUsd, count, selection);
  if (kept > order.length) sortInto(order, kept, leastUsd, candidates, sorter, kernel);
  const lastUsd = selection.values[order.length - 1]!;
  rememberTail(memory, columns, column, changeUsd, comparedIn(book, candidates), lastUsd);
}

/** How many candidates need not be looked at again in a book that lies near enough; bounds say of none how near it lies. */
function comparedIn({ met }: AskedBook, { count }: TailCandidates): number {
  return met.total === 0 ? count : 0;
}

/** Sorts the tail from nothing but a guess of where it ends. */
function sortAnew(
  book: AskedBook,
  returns: Float64Array,
  changeUsd: number,
  candidates: TailCandidates,
  order: TailOrder,
  similar: TailOrder,
  sorter: TailSorter,
): void {
  const { selection } = sorter;
  const { kernel, lossesUsd } = book;
  fillMissingLosses(0, candidates, book);
  let leastUsd = averageOf(lossesUsd, returns, changeUsd, similar, order.length);
  let kept = kernel.keepReaching(lossesUsd, returns, changeUsd, leastUsd, candidates.count, selection);
  for (let tries = 0; kept < order.length; tries++) {
    leastUsd = tries < LOWERED_MAX && leastUsd > 0 ? LOWERED * leastUsd : -Infinity;
    kept = kernel.keepReaching(lossesUsd, returns, changeUsd, leastUsd, candidates.count, selection);
  }
  sortInto(order, kept, leastUsd, candidates, sorter, book.kernel);
}

function averageOf(
  lossesUsd: Float64Array,
  returns: Float64Array,
  changeUsd: number,
  order: TailOrder,
  from: number,
): number {
  const to = Math.min(from + RANKS_AVERAGED, order.length);
  let sumUsd = 0;
  for (let rank = from; rank < to; rank++) {
    const slot = order[rank]!;
    sumUsd += lossesUsd[slot]! - changeUsd * returns[slot]!;
  }
  return to > from ? sumUsd / (to - from) : -Infinity;
}
