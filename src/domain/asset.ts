import type { Ticker } from "./ids.ts";

/** One step of an asset's margin table: from this position notional on, at most this leverage. */
export interface MarginTier {
  readonly notionalLowerUsd: number;
  readonly maxLeverage: number;
}

/** What the exchange's universe says of one asset. Delisted assets stay listed here: indexes are stable. */
export interface AssetListing {
  readonly ticker: Ticker;
  /** Position in the exchange's own lists; not in ours, which leave out what could not be read. */
  readonly assetIndex: number;
  readonly maxLeverage: number;
  readonly isDelisted: boolean;
  readonly isIsolatedOnly: boolean;
  /** Its margin terms could not be read: nothing is opened, and what it shows as them is as strict as they may be. */
  readonly isCloseOnly: boolean;
  /** Ascending by notional; the first starts at 0. Never empty. */
  readonly marginTiers: readonly MarginTier[];
}

/** The exchange's live facts of one asset, as last received. */
export interface AssetContext {
  readonly markPrice: number;
  /** Null when the book has no two sides (delisted or dead), or when it could not be read. */
  readonly midPrice: number | null;
  /** Hourly rate as the exchange charges it: one eighth of the 8-hour rate. Longs pay when positive. */
  readonly fundingRateHourly: number;
  /** Coins, one side. */
  readonly openInterestBase: number;
  readonly volume24hUsd: number;
  /** Arrival on this machine. */
  readonly arrivedAtMs: number;
}

export interface UniverseAsset {
  readonly listing: AssetListing;
  /** Null where the exchange's row could not be read. */
  readonly context: AssetContext | null;
}

/** In the exchange's order, without the rows whose name could not be read. */
export interface Universe {
  readonly assets: readonly UniverseAsset[];
  /** False where a row was left out: any asset that is not among those read may be there all the same. */
  readonly isWhole: boolean;
}

/** What others will charge at their next funding. */
export interface PredictedFunding {
  readonly ticker: Ticker;
  /** One a centralized venue, already per hour; venues without a rate are left out. */
  readonly cexRatesHourly: readonly number[];
}

/** One hourly settlement of funding. */
export interface FundingSettlement {
  readonly timeMs: number;
  readonly rateHourly: number;
  /** Hour-average premium in 8-hour units; null where the exchange has none. */
  readonly premiumFraction: number | null;
}

/** Those with the largest volume, that first; at most so many. */
export function mostTraded<Asset extends { readonly context: Pick<AssetContext, "volume24hUsd"> }>(
  assets: readonly Asset[],
  count: number,
): readonly Asset[] {
  return assets.toSorted((a, b) => b.context.volume24hUsd - a.context.volume24hUsd).slice(0, count);
}
