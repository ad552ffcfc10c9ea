/** A power of two, so few that clearing and summing them costs less than the values do. */
const BUCKETS = 256;
/** Insertion stays cheap while no bucket holds more. */
const BUCKET_MAX = 32;

/**
 * Reusable memory of sorting the largest of some values; where they stood is not kept.
 *
 * Shapes:  given and sorted as long as the most values ever given
 */
export interface LargestValues {
  /** Filled by the caller. */
  readonly given: Float64Array;
  /** The largest of them, largest first. */
  readonly sorted: Float64Array;
  readonly buckets: Uint8Array;
  /** By bucket: how many it holds, then where the next of them goes. */
  readonly slots: Uint32Array;
}

export function createLargestValues(valuesMax: number): LargestValues {
  return {
    given: new Float64Array(valuesMax),
    sorted: new Float64Array(valuesMax),
    buckets: new Uint8Array(valuesMax),
    slots: new Uint32Array(BUCKETS),
  };
}

/**
 * Sorts the `count` largest of the first `length` given values, at least so many and none below `least`. The share of
 * losses beyond a level falls by about its cube, so that equal intervals of (least / value)³ hold as many each, and
 * insertion finishes what they begin; values of another shape cost time only.
 *
 * Source:  Gopikrishnan and others, Scaling of the distribution of fluctuations of financial market indices (1999)
 */
export function sortLargest(
  { given, sorted, buckets, slots }: LargestValues,
  length: number,
  count: number,
  least: number,
): void {
  if (!(least > 0)) {
    sortAll(given, sorted, length);
    return;
  }
  slots.fill(0);
  for (let i = 0; i < length; i++) {
    const ratio = least / given[i]!;
    const bucket = (BUCKETS - 1) * ratio * ratio * ratio;
    buckets[i] = bucket;
    slots[buckets[i]!]!++;
  }
  let end = 0;
  let last = 0;
  for (; last < BUCKETS && end < count; last++) {
    const held = slots[last]!;
    if (held > BUCKET_MAX) {
      sortAll(given, sorted, length);
      return;
    }
    slots[last] = end;
    end += held;
  }
  for (let i = 0; i < length; i++) {
    const bucket = buckets[i]!;
    if (bucket >= last) continue;
    const slot = slots[bucket]!;
    slots[bucket] = slot + 1;
    sorted[slot] = given[i]!;
  }
  for (let i = 1; i < end; i++) {
    const value = sorted[i]!;
    let slot = i;
    while (slot > 0 && value > sorted[slot - 1]!) {
      sorted[slot] = sorted[slot - 1]!;
      slot--;
    }
    sorted[slot] = value;
  }
}

function sortAll(given: Float64Array, sorted: Float64Array, length: number): void {
  sorted.set(given.subarray(0, length));
  sorted.subarray(0, length).sort().reverse();
}
