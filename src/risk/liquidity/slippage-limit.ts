import type { OrderBook } from "../../domain/book.ts";
import type { Direction } from "../../domain/trade.ts";
import { takenSideOf } from "./slippage.ts";

/**
 * Largest order whose average price stays within a fraction of mid, exact and inside the visible book: the last level
 * that can be taken whole by binary search, then the part x of the next from (U + x) / (B + x / p) = limit price.
 * Holds: 0 when the best price is already beyond the limit; the whole side when all of it is within.
 */
export function notionalAtSlippageUsd(
  book: OrderBook,
  direction: Direction,
  costLimitFraction: number,
): number {
  const side = takenSideOf(book, direction);
  const limitPrice = book.midPrice * (1 + direction * costLimitFraction);
  const isWithin = (level: number): boolean => {
    const averagePrice = side.cumulativeUsd[level]! / side.cumulativeBase[level]!;
    return direction * (averagePrice - limitPrice) <= 0;
  };
  let low = 0;
  let high = side.prices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isWithin(middle)) low = middle + 1;
    else high = middle;
  }
  const takenUsd = low === 0 ? 0 : side.cumulativeUsd[low - 1]!;
  const nextPrice = side.prices[low];
  if (nextPrice === undefined) return takenUsd;
  const wholeUsd = side.cumulativeUsd[low]!;
  // A level at the limit itself fits whole; only rounding has put its average beyond.
  if (direction * (nextPrice - limitPrice) <= 0) return wholeUsd;
  const takenBase = low === 0 ? 0 : side.cumulativeBase[low - 1]!;
  const partUsd = (limitPrice * takenBase - takenUsd) / (1 - limitPrice / nextPrice);
  return Math.min(wholeUsd, takenUsd + Math.max(0, partUsd));
}
