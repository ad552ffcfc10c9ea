import type { Selection } from "../../math/order-statistics.ts";
import type { TailCandidates } from "./tail-candidates.ts";
import { insertLoss, sinkLoss, sortInto, type TailOrder, type TailSorter } from "./tail-order.ts";

/** Losses that insertion moves, for each so far and to begin with; beyond it the order has changed too much. */
const MOVES_PER_RANK = 2;
const MOVES_MIN = 16;
/** Losses that have come into the tail; beyond it sorting anew is cheaper. */
const NEW_MAX = 16;
/** Ranks behind the tail's last in another order whose losses, on average, are the first guess of where it ends. */
const RANKS_AVERAGED = 32;
/** A guess that keeps too few is lowered to this share of itself, so often. */
const LOWERED = 0.8;
const LOWERED_MAX = 4;

/**
 * Sorts the largest changed losses of the candidates, loss − change × return, and remembers their order. Losses that are
 * in order already cost a comparison each, which the processor foresees; sorting anew costs several times that.
 *
 * Shapes:  `similar` is a longer order, of another tail, to guess the end of this one from
 * Holds:   values and slots are those of sorting all candidates, ties in the order of their scenarios, whatever the
 *          orders were
 */
export function sortTail(
  lossesUsd: Float64Array,
  returns: Float64Array,
  changeUsd: number,
  candidates: TailCandidates,
  order: TailOrder,
  similar: TailOrder,
  sorter: TailSorter,
): void {
  const reach = order.length;
  const { selection, isMember } = sorter;
  const { values, keptValues, keptIndices } = selection;
  const { scenarios } = candidates;
  if (!settle(lossesUsd, returns, changeUsd, candidates, order, values)) {
    let leastUsd = averageOf(lossesUsd, returns, changeUsd, similar, reach);
    let kept = keepReaching(lossesUsd, returns, changeUsd, leastUsd, candidates, selection);
    for (let tries = 0; kept < reach; tries++) {
      leastUsd = tries < LOWERED_MAX && leastUsd > 0 ? LOWERED * leastUsd : -Infinity;
      kept = keepReaching(lossesUsd, returns, changeUsd, leastUsd, candidates, selection);
    }
    sortInto(order, kept, leastUsd, candidates, sorter);
    return;
  }
  // So many losses are no smaller, so that the tail's are not either.
  const kept = keepReaching(lossesUsd, returns, changeUsd, values[reach - 1]!, candidates, selection);
  if (kept === reach) return;
  if (kept > reach + NEW_MAX) {
    sortInto(order, kept, values[reach - 1]!, candidates, sorter);
    return;
  }
  for (let rank = 0; rank < reach; rank++) isMember[order[rank]!] = 1;
  for (let i = 0; i < kept; i++) {
    const slot = keptIndices[i]!;
    // Every member of before is met, and its flag taken back; one that an insertion dropped stays out.
    if (isMember[slot] === 0) insertLoss(keptValues[i]!, slot, scenarios, order, values);
    else isMember[slot] = 0;
  }
}

/** Admits candidates from a slot on to a sorted tail. */
export function admitCandidates(
  lossesUsd: Float64Array,
  returns: Float64Array,
  changeUsd: number,
  from: number,
  candidates: TailCandidates,
  order: TailOrder,
  sorter: TailSorter,
): void {
  const { selection } = sorter;
  const { values } = selection;
  const { count, scenarios } = candidates;
  if (count > from + NEW_MAX) {
    const leastUsd = values[order.length - 1]!;
    const kept = keepReaching(lossesUsd, returns, changeUsd, leastUsd, candidates, selection);
    sortInto(order, kept, leastUsd, candidates, sorter);
    return;
  }
  for (let slot = from; slot < count; slot++) {
    insertLoss(lossesUsd[slot]! - changeUsd * returns[slot]!, slot, scenarios, order, values);
  }
}

/** Sorts the losses of the order's slots; false where that moves too many, or some of them are candidates no more. */
function settle(
  lossesUsd: Float64Array,
  returns: Float64Array,
  changeUsd: number,
  { count, scenarios }: TailCandidates,
  order: TailOrder,
  values: Float64Array,
): boolean {
  let moves = MOVES_MIN;
  for (let rank = 0; rank < order.length; rank++) {
    const slot = order[rank]!;
    if (slot >= count) return false;
    const lossUsd = lossesUsd[slot]! - changeUsd * returns[slot]!;
    values[rank] = lossUsd;
    moves += MOVES_PER_RANK;
    if (rank === 0 || values[rank - 1]! > lossUsd) continue;
    moves -= rank - sinkLoss(lossUsd, slot, rank, scenarios, order, values);
    if (moves < 0) return false;
  }
  return true;
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

function keepReaching(
  lossesUsd: Float64Array,
  returns: Float64Array,
  changeUsd: number,
  leastUsd: number,
  { count }: TailCandidates,
  { keptValues, keptIndices }: Selection,
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
    if (!(a < leastUsd)) {
      keptValues[kept] = a;
      keptIndices[kept++] = slot;
    }
    if (!(b < leastUsd)) {
      keptValues[kept] = b;
      keptIndices[kept++] = slot + 1;
    }
    if (!(c < leastUsd)) {
      keptValues[kept] = c;
      keptIndices[kept++] = slot + 2;
    }
    if (!(d < leastUsd)) {
      keptValues[kept] = d;
      keptIndices[kept++] = slot + 3;
    }
  }
  for (; slot < count; slot++) {
    const lossUsd = lossesUsd[slot]! - changeUsd * returns[slot]!;
    if (lossUsd < leastUsd) continue;
    keptValues[kept] = lossUsd;
    keptIndices[kept++] = slot;
  }
  return kept;
}
