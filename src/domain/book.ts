import type { Ticker } from "./ids.ts";
import type { Direction } from "./trade.ts";

/**
 * One side of a book, best price first.
 *
 * Shapes:  four arrays of one length, 0 or more levels
 * Holds:   prices strictly worsen, sizes are positive, cumulative sums strictly grow
 */
export interface BookSide {
  readonly prices: Float64Array;
  readonly sizesBase: Float64Array;
  /** Running sums, so that a request finds its last level by binary search. */
  readonly cumulativeBase: Float64Array;
  readonly cumulativeUsd: Float64Array;
  /** Of a side that orders have taken from: what it was before, and how much they took. Null as received. */
  readonly taken: TakenLiquidity | null;
}

export interface TakenLiquidity {
  readonly from: BookSide;
  readonly notionalUsd: number;
}

/** Where a part of the merged book came from: best bid/offer, 5 fast levels, 20 slow levels, 3-digit buckets. */
export type BookSource = "touch" | "fast" | "slow" | "coarse";

/** One received view of a book, parsed and checked: no crossed, unsorted or non-positive level. */
export interface BookFrame {
  readonly ticker: Ticker;
  readonly source: BookSource;
  readonly exchangeTimeMs: number;
  readonly arrivedAtMs: number;
  /** Best first. A touch has at most one level a side; delisted coins have none. */
  readonly bids: BookLevels;
  readonly asks: BookLevels;
}

export interface BookLevels {
  readonly prices: Float64Array;
  readonly sizesBase: Float64Array;
}

/** False of a moment in which a side had no orders. */
export function hasTwoSides({ bids, asks }: BookFrame): boolean {
  return bids.prices.length > 0 && asks.prices.length > 0;
}

/** One merged book: the freshest, finest levels near the touch, coarser ones beyond their reach. Never crossed. */
export interface OrderBook {
  readonly midPrice: number;
  readonly bids: BookSide;
  readonly asks: BookSide;
}

/** How far a price is from mid, as a fraction of it, positive where it costs who trades in this direction. */
export function costAgainstMid(price: number, midPrice: number, direction: Direction): number {
  return (direction * (price - midPrice)) / midPrice;
}

/** A side with its running sums. Takes levels best first. */
export function bookSideOf({ prices, sizesBase }: BookLevels, taken: TakenLiquidity | null = null): BookSide {
  const cumulativeBase = new Float64Array(prices.length);
  const cumulativeUsd = new Float64Array(prices.length);
  let base = 0;
  let usd = 0;
  for (let i = 0; i < prices.length; i += 1) {
    base += sizesBase[i]!;
    usd += prices[i]! * sizesBase[i]!;
    cumulativeBase[i] = base;
    cumulativeUsd[i] = usd;
  }
  return { prices, sizesBase, cumulativeBase, cumulativeUsd, taken };
}
