import {
  type BookFrame,
  type BookLevels,
  type BookSide,
  bookSideOf,
  type OrderBook,
} from "../domain/book.ts";
import { COARSE_SIGNIFICANT_FIGURES } from "../exchange/hyperliquid/subscriptions.ts";

/** The views of one asset's book, each as last received. */
export interface BookParts {
  readonly touch?: BookFrame | undefined;
  readonly fast?: BookFrame | undefined;
  readonly slow?: BookFrame | undefined;
  /** Prices rounded away from the touch to significantFigures: bids down, asks up. */
  readonly coarse?: BookFrame | undefined;
}

/** The parts of a bucket are as wide as this share of its distance from the best price, or a tenth of the 50 bps of a depth. */
const PART_DISTANCE_SHARE = 0.1;
const PART_WIDTH_FRACTION = 0.0005;

interface Ladder {
  readonly prices: number[];
  readonly sizesBase: number[];
}

/**
 * One book out of its views, or null when no full-precision view has two sides.
 *
 * The newest full-precision view says everything within its reach; an older one adds only what lies beyond, so a level
 * that has gone never survives near the touch and the two sides never cross. The coarse view adds what lies beyond the
 * finest reach; of the bucket in which that reach ends it adds what the finer levels in it do not already hold. A bucket's
 * orders stand anywhere in it, and it can be wider than 50 bps: they are laid out evenly, not all at its far edge.
 *
 * Holds:   never crossed; prices strictly worsen; sizes positive; a coarse view changes no level within the finer reach
 */
export function mergeBook(
  parts: BookParts,
  significantFigures = COARSE_SIGNIFICANT_FIGURES,
): OrderBook | null {
  const fine = [parts.touch, parts.fast, parts.slow].filter((part) => part !== undefined);
  // At the same exchange time two views show the same book; the deeper one then comes first, by levels.
  fine.sort((a, b) => b.exchangeTimeMs - a.exchangeTimeMs || b.bids.prices.length - a.bids.prices.length);
  const newest = fine[0];
  const bestBid = newest?.bids.prices[0];
  const bestAsk = newest?.asks.prices[0];
  if (bestBid === undefined || bestAsk === undefined) return null;
  return {
    midPrice: (bestBid + bestAsk) / 2,
    bids: mergeSide(fine, parts.coarse, "bids", significantFigures),
    asks: mergeSide(fine, parts.coarse, "asks", significantFigures),
  };
}

/** The price at which a coarse bucket's near edge lies; the bucket is named by its far edge. */
export function bucketNearEdge(farEdge: number, side: "bids" | "asks", significantFigures: number): number {
  const exponent = Math.floor(Math.log10(farEdge) + 1e-12);
  // Below a power of ten prices are rounded up in the finer steps of the decade they come from.
  const isDecadeStart = Math.abs(farEdge / 10 ** exponent - 1) < 1e-12;
  const decade = side === "asks" && isDecadeStart ? exponent - 1 : exponent;
  const step = 10 ** (decade - significantFigures + 1);
  return side === "bids" ? farEdge + step : farEdge - step;
}

function mergeSide(
  fine: readonly BookFrame[],
  coarse: BookFrame | undefined,
  side: "bids" | "asks",
  significantFigures: number,
): BookSide {
  const worsening = side === "bids" ? -1 : 1;
  const ladder: Ladder = { prices: [], sizesBase: [] };
  for (const frame of fine) {
    forEachLevel(frame[side], (price, sizeBase) => {
      if (isBeyond(ladder, price, worsening)) push(ladder, price, sizeBase);
    });
  }
  const reach = ladder.prices.at(-1);
  if (coarse !== undefined && reach !== undefined) {
    const fineCount = ladder.prices.length;
    forEachLevel(coarse[side], (farEdge, bucketBase) => {
      if ((farEdge - reach) * worsening <= 0) return;
      const nearEdge = bucketNearEdge(farEdge, side, significantFigures);
      let heldBase = 0;
      for (let i = fineCount - 1; i >= 0 && isInBucket(ladder.prices[i] ?? 0, nearEdge, side); i--) {
        heldBase += ladder.sizesBase[i] ?? 0;
      }
      if (bucketBase > heldBase) layOut(ladder, nearEdge, farEdge, bucketBase - heldBase);
    });
  }
  return withSums(ladder);
}

/** What a bucket adds, evenly over that of it which lies beyond the ladder: equal parts, each at its middle. */
function layOut(ladder: Ladder, nearEdge: number, farEdge: number, bucketBase: number): void {
  const best = ladder.prices[0]!;
  const last = ladder.prices.at(-1)!;
  const from = farEdge < best ? Math.min(nearEdge, last) : Math.max(nearEdge, last);
  const width = Math.abs(farEdge - from);
  const widthMax = Math.max(PART_WIDTH_FRACTION * best, PART_DISTANCE_SHARE * Math.abs(from - best));
  const parts = Math.ceil(width / widthMax);
  for (let i = parts - 1; i >= 0; i--) {
    push(ladder, farEdge + ((i + 0.5) / parts) * (from - farEdge), bucketBase / parts);
  }
}

/** Bid buckets hold [far, near), ask buckets (near, far]; the far edge is beyond every price asked about. */
function isInBucket(price: number, nearEdge: number, side: "bids" | "asks"): boolean {
  const tolerance = nearEdge * 1e-12;
  return side === "bids" ? price < nearEdge - tolerance : price > nearEdge + tolerance;
}

function isBeyond(ladder: Ladder, price: number, worsening: 1 | -1): boolean {
  const last = ladder.prices.at(-1);
  return last === undefined || (price - last) * worsening > 0;
}

function push(ladder: Ladder, price: number, sizeBase: number): void {
  ladder.prices.push(price);
  ladder.sizesBase.push(sizeBase);
}

function forEachLevel(levels: BookLevels, visit: (price: number, sizeBase: number) => void): void {
  const { prices, sizesBase } = levels;
  for (let i = 0; i < prices.length; i++) visit(prices[i]!, sizesBase[i] ?? 0);
}

function withSums({ prices, sizesBase }: Ladder): BookSide {
  return bookSideOf({ prices: Float64Array.from(prices), sizesBase: Float64Array.from(sizesBase) });
}
