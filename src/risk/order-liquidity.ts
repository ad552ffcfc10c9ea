import type { Direction } from "../domain/trade.ts";
import type { AssetView } from "./asset-view.ts";
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
  /** Null without a book. */
  readonly depth: BookDepth | null;
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
    sigmaDaily: asset.volatility?.sigmaDay ?? null,
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
  const slippage = slippageOf(market, direction, notionalUsd);
  if (market.book === null || depth === null) {
    return { slippage, depth: null, bookShare: Infinity, depthShare: null, depthRatio: null };
  }
  const visibleUsd = takenSideOf(market.book, direction).cumulativeUsd.at(-1) ?? 0;
  const nearUsd = direction > 0 ? depth.askDepth100BpsUsd : depth.bidDepth100BpsUsd;
  const { bookStatistics } = asset;
  return {
    slippage,
    depth,
    bookShare: visibleUsd > 0 ? notionalUsd / visibleUsd : Infinity,
    depthShare: nearUsd > 0 ? notionalUsd / nearUsd : Infinity,
    depthRatio: bookStatistics === null ? null : depthRatioOf(depth.depth100BpsUsd, bookStatistics),
  };
}

export function depthOf(asset: AssetView): BookDepth | null {
  return asset.book === null ? null : bookDepthOf(asset.book);
}
