import type { WireBook, WireLevel } from "../exchange/hyperliquid/wire.ts";
import { hashUniform, mixHash } from "./noise.ts";
import { gridScale, priceDecimals, roundTo, tickSize, wireNumber } from "./price-grid.ts";

/** One side's resting orders from the touch outwards. */
export interface BookSide {
  readonly prices: number[];
  readonly sizes: number[];
  readonly orderCounts: number[];
}

/** The whole ladder at one instant: every view (raw, fast, aggregated, touch, impact) is cut from the same object. */
export interface SimulatedBook {
  readonly timeMs: number;
  readonly szDecimals: number;
  readonly bids: BookSide;
  readonly asks: BookSide;
}

export interface BookShape {
  readonly seed: number;
  readonly timeMs: number;
  readonly szDecimals: number;
  readonly midPrice: number;
  readonly halfSpreadFraction: number;
  /** Resting notional within 50 bps of the mid. */
  readonly bidDepth50Usd: number;
  readonly askDepth50Usd: number;
}

/**
 * Depth within a distance x grows in proportion near the touch and as its root far out: x / sqrt(x + knee). On a BTC
 * book recorded at four aggregations at one instant: 13.7, 80, 114 and 375 M USD within 3, 15, 30 and 300 bps.
 */
const DEPTH_KNEE = 0.002;
const REFERENCE_DISTANCE = 0.005;
const LADDER_DISTANCE_MAX = 0.15;
/** Gap to the next level: a share of the distance so far and of the half-spread, at least a tick. */
const GAP_PER_DISTANCE = 0.035;
const GAP_PER_HALF_SPREAD = 0.4;
/** Orders at a price stay for about this long before their sizes are drawn anew. */
const ORDER_LIFE_MS = 8000;
const BOOK_LEVELS = 20;
const FAST_BOOK_LEVELS = 5;

const EMPTY_SIDE: BookSide = { prices: [], sizes: [], orderCounts: [] };

export function emptyBook(timeMs: number, szDecimals: number): SimulatedBook {
  return { timeMs, szDecimals, bids: EMPTY_SIDE, asks: EMPTY_SIDE };
}

/** Best prices on the grid around the mid, never crossed or locked. */
export function touchOf(shape: BookShape): { bid: number; ask: number } {
  const scale = gridScale(shape.midPrice, shape.szDecimals);
  const bidTicks = Math.max(1, Math.floor(shape.midPrice * (1 - shape.halfSpreadFraction) * scale));
  const askTicks = Math.max(bidTicks + 1, Math.ceil(shape.midPrice * (1 + shape.halfSpreadFraction) * scale));
  return {
    bid: onGrid(bidTicks / scale, shape.szDecimals, Math.floor),
    ask: onGrid(askTicks / scale, shape.szDecimals, Math.ceil),
  };
}

function onGrid(price: number, szDecimals: number, towards: (ticks: number) => number): number {
  const scale = gridScale(price, szDecimals);
  const ticks = price * scale;
  const nearest = Math.round(ticks);
  return (Math.abs(ticks - nearest) < 1e-6 ? nearest : towards(ticks)) / scale;
}

/** Builds the ladder; with a notional, only as far from the touch as that much rests: the same levels, fewer of them. */
export function buildBook(shape: BookShape, untilUsd = Number.POSITIVE_INFINITY): SimulatedBook {
  const { bid, ask } = touchOf(shape);
  return {
    timeMs: shape.timeMs,
    szDecimals: shape.szDecimals,
    bids: buildSide(shape, -1, bid, shape.bidDepth50Usd, untilUsd),
    asks: buildSide(shape, 1, ask, shape.askDepth50Usd, untilUsd),
  };
}

function buildSide(
  shape: BookShape,
  outward: -1 | 1,
  touch: number,
  depth50Usd: number,
  untilUsd: number,
): BookSide {
  const side: BookSide = { prices: [], sizes: [], orderCounts: [] };
  const { midPrice, szDecimals } = shape;
  const lots = 10 ** szDecimals;
  const usdPerUnit = (depth50Usd / REFERENCE_DISTANCE) * Math.sqrt(REFERENCE_DISTANCE + DEPTH_KNEE);
  const cumulativeUsd = (distance: number): number =>
    (usdPerUnit * distance) / Math.sqrt(distance + DEPTH_KNEE);
  let price = touch;
  let coveredUsd = 0;
  let restingUsd = 0;
  for (;;) {
    const distance = Math.abs(price / midPrice - 1);
    if (distance > LADDER_DISTANCE_MAX || restingUsd >= untilUsd) return side;
    const tick = tickSize(price, szDecimals);
    const priceWord = Math.round(price / tick);
    const word = mixHash(shape.seed ^ outward, priceWord);
    const life = Math.floor((shape.timeMs + (word >>> 8)) / ORDER_LIFE_MS);
    const jitter = 0.5 + hashUniform(word, 0x5bd1);
    const gap = Math.max(
      tick,
      midPrice * jitter * (GAP_PER_DISTANCE * distance + GAP_PER_HALF_SPREAD * shape.halfSpreadFraction),
    );
    const next = nextPrice(price, outward, gap, tick, szDecimals);
    // The level carries the depth up to half-way to the next one, with heavy-tailed order sizes of mean one.
    const reachUsd = cumulativeUsd(Math.abs((0.5 * (price + next)) / midPrice - 1));
    const sizeNoise = 0.6 * Math.max(0.01, hashUniform(word, life)) ** -0.4;
    const size = Math.max(1, Math.round((((reachUsd - coveredUsd) * sizeNoise) / price) * lots)) / lots;
    coveredUsd = reachUsd;
    restingUsd += price * size;
    side.prices.push(price);
    side.sizes.push(size);
    side.orderCounts.push(1 + Math.floor(12 * hashUniform(word, life + 1) ** 2));
    price = next;
  }
}

function nextPrice(price: number, outward: -1 | 1, gap: number, tick: number, szDecimals: number): number {
  const target = price + outward * gap;
  const rounded = onGrid(target, szDecimals, Math.round);
  if (outward * (rounded - price) > 0.5 * tickSize(target, szDecimals)) return rounded;
  return onGrid(price + outward * tick, szDecimals, outward === 1 ? Math.ceil : Math.floor);
}

/** Mean price of taking the notional from a side; undefined when the side is thinner. */
export function averagePriceOf(side: BookSide, notionalUsd: number): number | undefined {
  let leftUsd = notionalUsd;
  let base = 0;
  for (let i = 0; i < side.prices.length; i++) {
    const levelUsd = side.prices[i]! * side.sizes[i]!;
    if (levelUsd >= leftUsd) return notionalUsd / (base + leftUsd / side.prices[i]!);
    leftUsd -= levelUsd;
    base += side.sizes[i]!;
  }
  return undefined;
}

/** Base size that could be sold or bought, and its mean price, up to the wanted size. */
export function takeFrom(side: BookSide, sizeBase: number): { filledBase: number; averagePrice: number } {
  let left = sizeBase;
  let cost = 0;
  for (let i = 0; i < side.prices.length && left > 0; i++) {
    const take = Math.min(left, side.sizes[i]!);
    cost += take * side.prices[i]!;
    left -= take;
  }
  const filledBase = sizeBase - left;
  return { filledBase, averagePrice: filledBase > 0 ? cost / filledBase : 0 };
}

const level = (price: number, size: number, count: number, szDecimals: number): WireLevel => ({
  px: wireNumber(price),
  sz: wireNumber(roundTo(size, szDecimals)),
  n: count,
});

export function touchLevel(side: BookSide, szDecimals: number): WireLevel | null {
  return side.prices.length === 0
    ? null
    : level(side.prices[0]!, side.sizes[0]!, side.orderCounts[0]!, szDecimals);
}

function rawLevels(side: BookSide, szDecimals: number, levelsMax: number): WireLevel[] {
  const count = Math.min(levelsMax, side.prices.length);
  return Array.from({ length: count }, (_, i) =>
    level(side.prices[i]!, side.sizes[i]!, side.orderCounts[i]!, szDecimals),
  );
}

interface BucketGrid {
  readonly nSigFigs: number;
  readonly mantissa: number;
}

/**
 * The bucket of a price, of mantissa · 10^(digits − nSigFigs) with the price's own digits: bids floor, asks ceil.
 * Source: the exchange's order-book server.
 */
function bucketOf(price: number, szDecimals: number, grid: BucketGrid, towards: "floor" | "ceil"): number {
  const digits = Math.floor(Math.log10(price) + 1e-12) + 1;
  const step = Math.max(grid.mantissa * 10 ** (digits - grid.nSigFigs), tickSize(price, szDecimals));
  const steps = towards === "floor" ? Math.floor(price / step + 1e-6) : Math.ceil(price / step - 1e-6);
  return roundTo(steps * step, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}

function bucketLevels(
  side: BookSide,
  szDecimals: number,
  grid: BucketGrid,
  towards: "floor" | "ceil",
): WireLevel[] {
  const levels: WireLevel[] = [];
  let bucket = Number.NaN;
  let size = 0;
  let orderCount = 0;
  const flush = (): void => {
    if (orderCount > 0) levels.push(level(bucket, size, orderCount, szDecimals));
  };
  for (let i = 0; i < side.prices.length && levels.length < BOOK_LEVELS; i++) {
    const own = bucketOf(side.prices[i]!, szDecimals, grid, towards);
    if (own !== bucket) {
      flush();
      bucket = own;
      size = 0;
      orderCount = 0;
    }
    size += side.sizes[i]!;
    orderCount += side.orderCounts[i]!;
  }
  if (levels.length < BOOK_LEVELS) flush();
  return levels;
}

interface BookView {
  readonly nSigFigs?: number | null;
  readonly mantissa?: number | null;
  readonly fast?: boolean;
}

/** The book as the exchange sends it: raw 20 or 5 levels, or 20 buckets with the raw spread beside them. */
export function wireBook(coin: string, book: SimulatedBook, view: BookView): WireBook {
  const { bids, asks, szDecimals, timeMs } = book;
  const fast = view.fast === true;
  const nSigFigs = view.nSigFigs ?? null;
  if (nSigFigs === null) {
    const levelsMax = fast ? FAST_BOOK_LEVELS : BOOK_LEVELS;
    const levels: WireBook["levels"] = [
      rawLevels(bids, szDecimals, levelsMax),
      rawLevels(asks, szDecimals, levelsMax),
    ];
    return { coin, time: timeMs, levels, ...(fast && { fast }) };
  }
  const reference = bids.prices[0] ?? asks.prices[0];
  if (reference === undefined) return { coin, time: timeMs, levels: [[], []], ...(fast && { fast }) };
  const grid: BucketGrid = { nSigFigs, mantissa: view.mantissa ?? 1 };
  const levels: WireBook["levels"] = [
    bucketLevels(bids, szDecimals, grid, "floor"),
    bucketLevels(asks, szDecimals, grid, "ceil"),
  ];
  if (fast) levels.forEach((side) => side.splice(FAST_BOOK_LEVELS));
  const spread = bids.prices.length > 0 && asks.prices.length > 0 ? asks.prices[0]! - bids.prices[0]! : 0;
  const spreadText = wireNumber(roundTo(spread, priceDecimals(reference, szDecimals)));
  return { coin, time: timeMs, levels, spread: spreadText, ...(fast && { fast }) };
}
