import { type Selection, sortKept } from "../../../math/order-statistics.ts";

/** So many that few of a tail's losses share one. */
const BUCKETS = 256;
/** Insertion stays cheap while no bucket holds more. */
const BUCKET_MAX = 32;

/**
 * The slots of a tail's candidates as they were last found, largest loss first: the first guess of the next answer's,
 * which marks and trades leave nearly as it was.
 *
 * Shapes:  a tenth longer than the tail reads losses; no slot twice
 */
export type TailOrder = Uint16Array;

/** Which scenarios are candidates, and where each stands among them. */
export interface CandidateSlots {
  /** By slot. */
  scenarios: Uint32Array;
  /** By scenario: one more than its slot; 0 for none. */
  readonly slots: Uint16Array;
}

/** Working memory of tails, one per thread. */
export interface TailSorter {
  /** After a tail its values are the tail's losses, largest first. */
  readonly selection: Selection;
  /** By slot; all 0 between calls. */
  readonly isMember: Uint8Array;
  /** By bucket: how many losses it holds, then where the next of them goes. */
  readonly buckets: Uint32Array;
}

export function createTailSorter(scenarios: number, selection: Selection): TailSorter {
  return { selection, isMember: new Uint8Array(scenarios), buckets: new Uint32Array(BUCKETS) };
}

/** Sorts the losses kept, none below `leastUsd`, into an order. */
export function sortInto(
  order: TailOrder,
  kept: number,
  leastUsd: number,
  { slots, scenarios }: CandidateSlots,
  { selection, buckets }: TailSorter,
): void {
  if (sortByBuckets(order, kept, leastUsd, scenarios, selection, buckets)) return;
  const { indices, keptIndices } = selection;
  for (let i = 0; i < kept; i++) keptIndices[i] = scenarios[keptIndices[i]!]!;
  sortKept(selection, kept, order.length);
  for (let rank = 0; rank < order.length; rank++) order[rank] = slots[indices[rank]!]! - 1;
}

/**
 * The share of losses beyond a level falls by about its cube, so that equal intervals of (least / loss)³ hold as many
 * each, and insertion finishes what they begin; false, and nothing done, where losses of another shape crowd.
 *
 * Source:  Gopikrishnan and others, Scaling of the distribution of fluctuations of financial market indices (1999)
 */
function sortByBuckets(
  order: TailOrder,
  kept: number,
  leastUsd: number,
  scenarios: Uint32Array,
  { values, keptValues, keptIndices, buckets }: Selection,
  starts: Uint32Array,
): boolean {
  if (!(leastUsd > 0)) return false;
  starts.fill(0);
  for (let i = 0; i < kept; i++) {
    const ratio = leastUsd / keptValues[i]!;
    const bucket = ((BUCKETS - 1) * ratio * ratio * ratio) | 0;
    buckets[i] = bucket;
    starts[bucket]!++;
  }
  const reach = order.length;
  let end = 0;
  let last = 0;
  for (; last < BUCKETS && end < reach; last++) {
    const held = starts[last]!;
    if (held > BUCKET_MAX) return false;
    starts[last] = end;
    end += held;
  }
  // What lies behind the tail in its last bucket would not fit the order: it is inserted, or not, at the end.
  let behind = 0;
  for (let i = 0; i < kept; i++) {
    const bucket = buckets[i]!;
    if (bucket >= last) continue;
    const place = starts[bucket]!;
    starts[bucket] = place + 1;
    if (place < reach) {
      values[place] = keptValues[i]!;
      order[place] = keptIndices[i]!;
    } else {
      keptValues[behind] = keptValues[i]!;
      keptIndices[behind++] = keptIndices[i]!;
    }
  }
  for (let rank = 1; rank < reach; rank++) {
    const lossUsd = values[rank]!;
    if (values[rank - 1]! > lossUsd) continue;
    sinkLoss(lossUsd, order[rank]!, rank, scenarios, order, values);
  }
  for (let i = 0; i < behind; i++) insertLoss(keptValues[i]!, keptIndices[i]!, scenarios, order, values);
  return true;
}

/** Puts a loss into a tail if it belongs there; what was last is lost. */
export function insertLoss(
  lossUsd: number,
  slot: number,
  scenarios: Uint32Array,
  order: TailOrder,
  values: Float64Array,
): void {
  const last = order.length - 1;
  if (!isBefore(lossUsd, slot, values[last]!, order[last]!, scenarios)) return;
  sinkLoss(lossUsd, slot, last, scenarios, order, values);
}

/** Moves what is behind a loss, up to a place, one place on, and puts it there; the place that it got. */
function sinkLoss(
  lossUsd: number,
  slot: number,
  from: number,
  scenarios: Uint32Array,
  order: TailOrder,
  values: Float64Array,
): number {
  let place = from;
  while (place > 0 && isBefore(lossUsd, slot, values[place - 1]!, order[place - 1]!, scenarios)) {
    values[place] = values[place - 1]!;
    order[place] = order[place - 1]!;
    place--;
  }
  values[place] = lossUsd;
  order[place] = slot;
  return place;
}

function isBefore(
  lossUsd: number,
  slot: number,
  otherUsd: number,
  otherSlot: number,
  scenarios: Uint32Array,
): boolean {
  return lossUsd > otherUsd || (lossUsd === otherUsd && scenarios[slot]! < scenarios[otherSlot]!);
}
