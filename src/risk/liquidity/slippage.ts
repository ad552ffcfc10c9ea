import { type BookSide, bookSideOf, costAgainstMid, type OrderBook } from "../../domain/book.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { Direction } from "../../domain/trade.ts";
import { PUBLISHED } from "../calibration/calibration.ts";
import { beyondBook } from "./depth-curve.ts";

export const SLIPPAGE_CALIBRATION = {
  depthNearFraction: {
    value: 0.005,
    unit: "fraction of mid",
    source: "interface specification: depth_50bps",
    fittedOn: PUBLISHED,
  },
  depthFarFraction: {
    value: 0.01,
    unit: "fraction of mid",
    source: "interface specification: depth_100bps",
    fittedOn: PUBLISHED,
  },
} as const satisfies Record<string, Calibrated>;

/** Prices that equal a bound up to rounding count as inside it. */
const BOUND_TOLERANCE = 1e-12;

/** What a market order of a size pays against one book. */
export interface Slippage {
  readonly midPrice: number;
  /** Average price of the whole order, the part beyond the book included. */
  readonly fillPrice: number;
  /** direction x (fillPrice - midPrice) / midPrice: positive costs the trader. */
  readonly costFraction: number;
  readonly halfSpreadFraction: number;
}

/** Liquidity facts of a book, independent of any order. */
export interface BookDepth {
  /** Both sides within 50 and 100 bps of mid. */
  readonly depth50BpsUsd: number;
  readonly depth100BpsUsd: number;
  readonly bidDepth100BpsUsd: number;
  readonly askDepth100BpsUsd: number;
  /** (bid - ask) / (bid + ask) within 50 bps; 0 when both are empty. */
  readonly imbalance: number;
  readonly spreadFraction: number;
}

/** Order-independent market facts that price what the book does not show. */
export interface SlippageMarket {
  readonly book: OrderBook | null;
  /** Stands for the mid when there is no book. */
  readonly markPrice: number;
  readonly sigmaDay: number | null;
  readonly volume24hUsd: number;
}

const EMPTY_SIDE = bookSideOf({ prices: new Float64Array(0), sizesBase: new Float64Array(0) });

/** The side a market order takes from. */
export function takenSideOf(book: OrderBook, direction: Direction): BookSide {
  return direction > 0 ? book.asks : book.bids;
}

/**
 * Average price of a market order against mid. The visible levels are walked; what they do not hold is priced by the
 * book's depth curve up to 5 % from mid and by square-root impact beyond. Holds: non-decreasing in notionalUsd; on a
 * side that orders have taken from, the costs of all of them add up to the cost of one order of their size.
 */
export function slippageOf(market: SlippageMarket, direction: Direction, notionalUsd: number): Slippage {
  const midPrice = midPriceOf(market);
  const fillPrice = fillPriceOf(market, direction, notionalUsd);
  return {
    midPrice,
    fillPrice,
    costFraction: costAgainstMid(fillPrice, midPrice, direction),
    halfSpreadFraction: halfSpreadFractionOf(market, direction),
  };
}

/** The average price alone; an order of nothing meets the best price. */
export function fillPriceOf(market: SlippageMarket, direction: Direction, notionalUsd: number): number {
  const side = sideOf(market, direction);
  if (notionalUsd <= 0) return bestPriceOf(side, midPriceOf(market));
  return priceFrom(market, direction, side, notionalUsd);
}

/**
 * On a side that orders have taken from and that does not show enough any more, this one's part of the walk that all of
 * them make through what it was. What is left of it is walked as it stands: of the difference of two long walks a short one
 * would be lost in rounding.
 */
function priceFrom(
  market: SlippageMarket,
  direction: Direction,
  side: BookSide,
  notionalUsd: number,
): number {
  if (side.taken === null || notionalUsd <= side.cumulativeUsd.at(-1)!) {
    return notionalUsd / walkedBase(market, direction, side, notionalUsd);
  }
  const { from, notionalUsd: takenUsd } = side.taken;
  const withBase = walkedBase(market, direction, from, takenUsd + notionalUsd);
  return notionalUsd / (withBase - walkedBase(market, direction, from, takenUsd));
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

/** Coins that an amount is worth, from the best level on and beyond the last, in O(log levels) by the cumulative sums. */
function walkedBase(
  market: SlippageMarket,
  direction: Direction,
  side: BookSide,
  notionalUsd: number,
): number {
  const { prices, cumulativeUsd, cumulativeBase } = side;
  const level = levelReaching(side, notionalUsd);
  const beforeUsd = level === 0 ? 0 : cumulativeUsd[level - 1]!;
  const beforeBase = level === 0 ? 0 : cumulativeBase[level - 1]!;
  const restUsd = notionalUsd - beforeUsd;
  if (level < prices.length) return beforeBase + restUsd / prices[level]!;
  return beforeBase + beyondBook(market, side, midPriceOf(market), direction, restUsd);
}

/** What an order pays against mid: direction x (fill - mid) / mid. */
export function slippageFractionOf(
  market: SlippageMarket,
  direction: Direction,
  notionalUsd: number,
): number {
  return costAgainstMid(fillPriceOf(market, direction, notionalUsd), midPriceOf(market), direction);
}

/** Half of the quoted spread on the side that this direction takes from, as a fraction of mid. */
export function halfSpreadFractionOf(market: SlippageMarket, direction: Direction): number {
  const midPrice = midPriceOf(market);
  return costAgainstMid(bestPriceOf(sideOf(market, direction), midPrice), midPrice, direction);
}

export function midPriceOf({ book, markPrice }: SlippageMarket): number {
  return book === null ? markPrice : book.midPrice;
}

function sideOf({ book }: SlippageMarket, direction: Direction): BookSide {
  return book === null ? EMPTY_SIDE : takenSideOf(book, direction);
}

function bestPriceOf({ prices }: BookSide, midPrice: number): number {
  return prices.length === 0 ? midPrice : prices[0]!;
}

/** USD within a fraction of mid on the side that this direction takes from, by binary search. */
export function sideDepthUsd(book: OrderBook, direction: Direction, fraction: number): number {
  const { midPrice } = book;
  const side = takenSideOf(book, direction);
  const isAsk = direction > 0;
  const bound = isAsk
    ? midPrice * (1 + fraction) * (1 + BOUND_TOLERANCE)
    : midPrice * (1 - fraction) * (1 - BOUND_TOLERANCE);
  let low = 0;
  let high = side.prices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const price = side.prices[middle]!;
    if (isAsk ? price <= bound : price >= bound) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : side.cumulativeUsd[low - 1]!;
}

/** Depth within 50 and 100 bps of mid, both sides and each, and the imbalance of the nearer. */
export function bookDepthOf(book: OrderBook): BookDepth {
  const near = SLIPPAGE_CALIBRATION.depthNearFraction.value;
  const far = SLIPPAGE_CALIBRATION.depthFarFraction.value;
  const bidDepth50BpsUsd = sideDepthUsd(book, -1, near);
  const askDepth50BpsUsd = sideDepthUsd(book, 1, near);
  const bidDepth100BpsUsd = sideDepthUsd(book, -1, far);
  const askDepth100BpsUsd = sideDepthUsd(book, 1, far);
  const depth50BpsUsd = bidDepth50BpsUsd + askDepth50BpsUsd;
  return {
    depth50BpsUsd,
    depth100BpsUsd: bidDepth100BpsUsd + askDepth100BpsUsd,
    bidDepth100BpsUsd,
    askDepth100BpsUsd,
    imbalance: depth50BpsUsd > 0 ? (bidDepth50BpsUsd - askDepth50BpsUsd) / depth50BpsUsd : 0,
    spreadFraction: spreadFractionOf(book),
  };
}

/** (best ask - best bid) / mid; 0 when a side is empty. */
export function spreadFractionOf(book: OrderBook): number {
  const bid = book.bids.prices[0];
  const ask = book.asks.prices[0];
  return bid === undefined || ask === undefined ? 0 : (ask - bid) / book.midPrice;
}
