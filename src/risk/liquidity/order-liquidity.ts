import type { Direction } from "../../domain/trade.ts";
import type { AssetView } from "../asset-view.ts";
import { depthRatioOf } from "./book-statistics.ts";
import {
  bookDepthOf,
  type BookDepth,
  slippageOf,
  type Slippage,
  type SlippageMarket,
  takenSideOf,
} from "./slippage.ts";

/** What an order meets in the book. */
export interface OrderLiquidity {
  readonly slippage: Slippage;
  /** Order over everything its side shows; Infinity without a level. */
  readonly bookShare: number;
  /** Order over its side's depth within 1 %; null without a book, Infinity where nothing is that near. */
  readonly depthShare: number | null;
  /** Both sides' depth within 1 % over what is usual; null when either is not known. */
  readonly depthRatio: number | null;
}

export function slippageMarketOf(asset: AssetView): SlippageMarket {
  return {
    book: asset.book,
    markPrice: asset.context.markPrice,
    sigmaDay: asset.volatility?.sigmaDay ?? null,
    volume24hUsd: asset.context.volume24hUsd,
  };
}

export function orderLiquidityOf(
  asset: AssetView,
  market: SlippageMarket,
  depth: BookDepth | null,
  direction: Direction,
  notionalUsd: number,
): OrderLiquidity {
  const { bookStatistics } = asset;
  return {
    slippage: slippageOf(market, direction, notionalUsd),
    bookShare: bookShareOf(market, direction, notionalUsd),
    depthShare: depthShareOf(depth, direction, notionalUsd),
    depthRatio:
      depth === null || bookStatistics === null ? null : depthRatioOf(depth.depth100BpsUsd, bookStatistics),
  };
}

export function bookShareOf(
  { book }: Pick<SlippageMarket, "book">,
  direction: Direction,
  notionalUsd: number,
): number {
  if (book === null) return Infinity;
  const { cumulativeUsd } = takenSideOf(book, direction);
  const levels = cumulativeUsd.length;
  return levels === 0 ? Infinity : notionalUsd / cumulativeUsd[levels - 1]!;
}

export function depthShareOf(
  depth: BookDepth | null,
  direction: Direction,
  notionalUsd: number,
): number | null {
  if (depth === null) return null;
  const nearUsd = direction > 0 ? depth.askDepth100BpsUsd : depth.bidDepth100BpsUsd;
  return nearUsd > 0 ? notionalUsd / nearUsd : Infinity;
}

export function depthOf(asset: AssetView): BookDepth | null {
  return asset.book === null ? null : bookDepthOf(asset.book);
}
