import { ascendingOrder } from "./radix-sort.ts";

/**
 * A series by the order of its values.
 *
 * Shapes:  both of the series' length
 */
export interface RankedSeries {
  /** Places of the values, ascending; ties in their own order. */
  readonly order: Uint32Array;
  /** By place: twice the average rank (1 = smallest) less 2: first + last of the ties' places in order, from 0. */
  readonly ranks: Uint32Array;
  /** Pairs of equal values. */
  readonly tiedPairs: number;
}

export function rankSeries(values: ArrayLike<number>): RankedSeries {
  const n = values.length;
  const order = ascendingOrder(values);
  const ranks = new Uint32Array(n);
  let tiedPairs = 0;
  for (let first = 0; first < n;) {
    let end = first + 1;
    while (end < n && values[order[end]!] === values[order[first]!]) end++;
    for (let i = first; i < end; i++) ranks[order[i]!] = first + end - 1;
    tiedPairs += ((end - first) * (end - first - 1)) / 2;
    first = end;
  }
  return { order, ranks, tiedPairs };
}
