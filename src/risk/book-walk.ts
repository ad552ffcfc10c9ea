import type { BookSide } from "../domain/book.ts";

/** The visible part of a walk. */
export interface BookWalk {
  readonly filledUsd: number;
  readonly filledBase: number;
  readonly unfilledUsd: number;
  /** Index of the last level touched; -1 for an empty side. */
  readonly lastLevel: number;
}

/** Index of the first level whose cumulative USD reaches an amount; the number of levels when none does. */
export function levelReaching(side: BookSide, notionalUsd: number): number {
  let low = 0;
  let high = side.cumulativeUsd.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (side.cumulativeUsd[middle]! < notionalUsd) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes USD from the best level on, in O(log levels) by the cumulative sums. */
export function walkSide(side: BookSide, notionalUsd: number): BookWalk {
  const count = side.prices.length;
  const level = levelReaching(side, notionalUsd);
  const beforeUsd = level === 0 ? 0 : side.cumulativeUsd[level - 1]!;
  const beforeBase = level === 0 ? 0 : side.cumulativeBase[level - 1]!;
  if (level === count) {
    return {
      filledUsd: beforeUsd,
      filledBase: beforeBase,
      unfilledUsd: notionalUsd - beforeUsd,
      lastLevel: count - 1,
    };
  }
  const filledBase = beforeBase + (notionalUsd - beforeUsd) / side.prices[level]!;
  return { filledUsd: notionalUsd, filledBase, unfilledUsd: 0, lastLevel: level };
}
