import { bookSideOf, type BookLevels, type BookSide, type OrderBook } from "../../domain/book.ts";
import type { Direction } from "../../domain/trade.ts";
import { levelReaching, takenSideOf } from "./slippage.ts";

/** What is left of the last level when an order takes all that is visible: its price still stands, its size does not. */
const EXHAUSTED_FRACTION = 1e-9;

/**
 * The book after a market order has taken from it. The mid stays where it was, so that the costs of an order taken in
 * parts add up to the cost of the whole, beyond the last visible level too.
 *
 * Holds:   the other side is untouched; what m and then n leave is what m + n leaves
 */
export function withoutLiquidity(book: OrderBook, direction: Direction, notionalUsd: number): OrderBook {
  const side = takenSideOf(book, direction);
  if (notionalUsd <= 0 || side.prices.length === 0) return book;
  const from = side.taken?.from ?? side;
  const taken = { from, notionalUsd: (side.taken?.notionalUsd ?? 0) + notionalUsd };
  const left = bookSideOf(remainingLevels(from, taken.notionalUsd), taken);
  return {
    midPrice: book.midPrice,
    bids: direction > 0 ? book.bids : left,
    asks: direction > 0 ? left : book.asks,
  };
}

function remainingLevels(side: BookSide, takenUsd: number): BookLevels {
  const deepest = side.prices.length - 1;
  const reached = levelReaching(side, takenUsd);
  const level = Math.min(reached, deepest);
  const leftUsd = reached > deepest ? 0 : side.cumulativeUsd[level]! - takenUsd;
  const leftBase = leftUsd / side.prices[level]!;
  const dustBase = EXHAUSTED_FRACTION * side.sizesBase[level]!;
  // A level that is used up to the last coin goes, unless it is the last of its side.
  const isGone = leftBase < dustBase && level < deepest;
  const first = isGone ? level + 1 : level;
  const prices = side.prices.slice(first);
  const sizesBase = side.sizesBase.slice(first);
  if (!isGone) sizesBase[0] = Math.max(leftBase, dustBase);
  return { prices, sizesBase };
}
