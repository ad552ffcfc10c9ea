import { bookSideOf, type BookLevels, type BookSide, type OrderBook } from "../domain/book.ts";
import type { Direction } from "../domain/trade.ts";
import { walkSide } from "./slippage.ts";

/** What is left of the last level when an order takes all that is visible: its price still stands, its size does not. */
const EXHAUSTED_FRACTION = 1e-9;

/**
 * The book after a market order has taken from it. The mid stays where it was, so that the costs of an order taken in
 * parts add up to the cost of the whole.
 *
 * Holds:   the other side is untouched; a walk of n after a walk of m ends where a walk of m + n ends
 */
export function withoutLiquidity(book: OrderBook, direction: Direction, notionalUsd: number): OrderBook {
  const isBuy = direction > 0;
  const side = isBuy ? book.asks : book.bids;
  if (notionalUsd <= 0 || side.prices.length === 0) return book;
  const { filledUsd, unfilledUsd, lastLevel } = walkSide(side, notionalUsd);
  const left = remainingLevels(side, lastLevel, unfilledUsd > 0 ? Infinity : filledUsd);
  return isBuy ? { ...book, asks: bookSideOf(left) } : { ...book, bids: bookSideOf(left) };
}

function remainingLevels(side: BookSide, lastLevel: number, takenUsd: number): BookLevels {
  const price = side.prices[lastLevel]!;
  const leftBase = (side.cumulativeUsd[lastLevel]! - takenUsd) / price;
  const dustBase = EXHAUSTED_FRACTION * side.sizesBase[lastLevel]!;
  const isUsedUp = leftBase < dustBase;
  // A level that is used up to the last coin goes, unless it is the last of its side.
  const first = isUsedUp && lastLevel < side.prices.length - 1 ? lastLevel + 1 : lastLevel;
  const prices = side.prices.slice(first);
  const sizesBase = side.sizesBase.slice(first);
  if (first === lastLevel) sizesBase[0] = Math.max(leftBase, dustBase);
  return { prices, sizesBase };
}
