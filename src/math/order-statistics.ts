const SAMPLE_SIZE = 128;
const INSERTION_MAX = 12;
/** So many a candidate that losses, dense at their lower end, seldom share one. */
const BUCKETS_PER_CANDIDATE = 2;
const BUCKETS_MAX = 1024;
/** Insertion stays cheap while no bucket holds more. */
const BUCKET_MAX = 24;

/**
 * Reusable memory of a partial selection, so that selecting allocates nothing.
 *
 * Shapes:  values and indices as long as the longest sample selected from; after a selection of k their first k
 *          entries are the k largest values, largest first, and where they stood
 */
export interface Selection {
  readonly values: Float64Array;
  readonly indices: Uint32Array;
  /** Candidates, in the order of their places, and their buckets. */
  readonly keptValues: Float64Array;
  readonly keptIndices: Uint32Array;
  readonly buckets: Uint16Array;
  /** By bucket: how many it holds, then where the next of them goes. */
  readonly slots: Uint32Array;
}

/** What of it may stand in memory of the caller's. */
export type SelectionMemory = Pick<Selection, "values" | "keptValues" | "keptIndices">;

/** Shapes: memory as long as the longest sample */
export function createSelection(
  sampleSizeMax: number,
  memory: SelectionMemory = {
    values: new Float64Array(sampleSizeMax),
    keptValues: new Float64Array(sampleSizeMax),
    keptIndices: new Uint32Array(sampleSizeMax),
  },
): Selection {
  const { values, keptValues, keptIndices } = memory;
  return {
    values,
    indices: new Uint32Array(sampleSizeMax),
    keptValues,
    keptIndices,
    buckets: new Uint16Array(sampleSizeMax),
    slots: new Uint32Array(BUCKETS_MAX),
  };
}

/**
 * Finds the `count` largest values, largest first and ties in the order of their positions; `sample` is not changed.
 * A strided sample gives a threshold that lets few values through, and only the survivors are partially sorted.
 */
export function selectLargest(sample: Float64Array, count: number, into: Selection): void {
  sortKept(into, keepLargest(sample, count, into), count);
}

/** The first half of it: somewhere among the values now kept, whose number is returned, are the `count` largest. */
function keepLargest(sample: Float64Array, count: number, into: Selection): number {
  const kept = keepAtLeast(sample, thresholdGuess(sample, count, into.values), into);
  return kept < count ? keepAtLeast(sample, -Infinity, into) : kept;
}

/**
 * The second half: sorts the candidates so far that the `count` largest stand in front, ties in the order of their places.
 * Losses spread well enough over equal intervals that insertion finishes what one pass into them begins; comparing
 * costs a mispredicted branch each, and a quicksort compares ten times as often. Where they do not, it is one.
 */
export function sortKept(into: Selection, kept: number, count: number): void {
  const { values, indices, keptValues, keptIndices } = into;
  const end = fillBuckets(into, kept, count);
  if (end === null) {
    values.set(keptValues.subarray(0, kept));
    indices.set(keptIndices.subarray(0, kept));
    sortLargestFirst(values, indices, 0, kept - 1, count);
    return;
  }
  sortByInsertion(values, indices, 0, end - 1);
}

/** Moves candidates behind those of larger buckets, in their order; where the `count` largest's buckets end, null if crowded. */
function fillBuckets(into: Selection, kept: number, count: number): number | null {
  const { values, indices, keptValues, keptIndices, buckets, slots } = into;
  let least = Infinity;
  let largest = -Infinity;
  for (let i = 0; i < kept; i++) {
    const value = keptValues[i]!;
    if (value < least) least = value;
    if (value > largest) largest = value;
  }
  const used = Math.min(BUCKETS_MAX, BUCKETS_PER_CANDIDATE * kept);
  const perUnit = (used - 1) / (largest - least);
  if (!(perUnit < Infinity)) return null;
  slots.fill(0, 0, used);
  for (let i = 0; i < kept; i++) {
    const bucket = ((largest - keptValues[i]!) * perUnit) | 0;
    buckets[i] = bucket;
    slots[bucket] = slots[bucket]! + 1;
  }
  let at = 0;
  let end = kept;
  for (let bucket = 0; bucket < used; bucket++) {
    const held = slots[bucket]!;
    if (held > BUCKET_MAX) return null;
    slots[bucket] = at;
    if (at < count) end = at + held;
    at += held;
  }
  for (let i = 0; i < kept; i++) {
    const bucket = buckets[i]!;
    const slot = slots[bucket]!;
    slots[bucket] = slot + 1;
    values[slot] = keptValues[i]!;
    indices[slot] = keptIndices[i]!;
  }
  return end;
}

function keepAtLeast(sample: Float64Array, threshold: number, into: Selection): number {
  let kept = 0;
  let i = 0;
  // Four at a time: mostly none of them is kept, and one branch says so.
  for (; i + 3 < sample.length; i += 4) {
    const a = sample[i]!;
    const b = sample[i + 1]!;
    const c = sample[i + 2]!;
    const d = sample[i + 3]!;
    if (a < threshold && b < threshold && c < threshold && d < threshold) continue;
    if (a >= threshold) keep(into, kept++, a, i);
    if (b >= threshold) keep(into, kept++, b, i + 1);
    if (c >= threshold) keep(into, kept++, c, i + 2);
    if (d >= threshold) keep(into, kept++, d, i + 3);
  }
  for (; i < sample.length; i++) {
    if (sample[i]! >= threshold) keep(into, kept++, sample[i]!, i);
  }
  return kept;
}

function keep({ keptValues, keptIndices }: Selection, at: number, value: number, place: number): void {
  keptValues[at] = value;
  keptIndices[at] = place;
}

/** A value that, with near certainty, at least `count` of the sample reach: three binomial deviations of slack. */
function thresholdGuess(sample: Float64Array, count: number, scratch: Float64Array): number {
  if (sample.length < 4 * SAMPLE_SIZE) return -Infinity;
  const share = count / sample.length;
  const rank = Math.ceil(SAMPLE_SIZE * share + 3 * Math.sqrt(SAMPLE_SIZE * share * (1 - share)) + 1);
  if (rank >= SAMPLE_SIZE) return -Infinity;
  const stride = sample.length / SAMPLE_SIZE;
  // Insertion into the descending run of the `rank` largest sampled values.
  let length = 0;
  for (let i = 0; i < SAMPLE_SIZE; i++) {
    const value = sample[Math.floor(i * stride)]!;
    if (length === rank && value <= scratch[rank - 1]!) continue;
    let slot = length < rank ? length++ : rank - 1;
    while (slot > 0 && scratch[slot - 1]! < value) {
      scratch[slot] = scratch[slot - 1]!;
      slot--;
    }
    scratch[slot] = value;
  }
  return scratch[rank - 1]!;
}

/** Quicksort in descending order that leaves alone whatever lies wholly behind the first `count` places. */
function sortLargestFirst(
  values: Float64Array,
  indices: Uint32Array,
  from: number,
  to: number,
  count: number,
): void {
  let low = from;
  let high = to;
  while (high - low > INSERTION_MAX) {
    const middle = (low + high) >>> 1;
    const pivot = medianOf(values[low]!, values[middle]!, values[high]!);
    const pivotIndex = pivot === values[middle]! ? middle : pivot === values[low]! ? low : high;
    const pivotPlace = indices[pivotIndex]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (isBefore(values[i]!, indices[i]!, pivot, pivotPlace)) i++;
      while (isBefore(pivot, pivotPlace, values[j]!, indices[j]!)) j--;
      if (i <= j) {
        swap(values, indices, i, j);
        i++;
        j--;
      }
    }
    const sortsRight = i < count;
    if (!sortsRight) {
      high = j;
    } else if (j - low < high - i) {
      sortLargestFirst(values, indices, low, j, count);
      low = i;
    } else {
      sortLargestFirst(values, indices, i, high, count);
      high = j;
    }
  }
  sortByInsertion(values, indices, low, high);
}

/** Sorts the places from `low` to `high`, both included. */
function sortByInsertion(values: Float64Array, indices: Uint32Array, low: number, high: number): void {
  for (let i = low + 1; i <= high; i++) {
    const value = values[i]!;
    const place = indices[i]!;
    let slot = i;
    while (slot > low && isBefore(value, place, values[slot - 1]!, indices[slot - 1]!)) {
      values[slot] = values[slot - 1]!;
      indices[slot] = indices[slot - 1]!;
      slot--;
    }
    values[slot] = value;
    indices[slot] = place;
  }
}

function isBefore(value: number, place: number, otherValue: number, otherPlace: number): boolean {
  return value > otherValue || (value === otherValue && place < otherPlace);
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function swap(values: Float64Array, indices: Uint32Array, i: number, j: number): void {
  const value = values[i]!;
  values[i] = values[j]!;
  values[j] = value;
  const place = indices[i]!;
  indices[i] = indices[j]!;
  indices[j] = place;
}
