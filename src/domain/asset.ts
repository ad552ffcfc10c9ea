import type { Ticker } from "./ids.ts";

/** One step of an asset's margin table: from this position notional on, at most this leverage. */
export interface MarginTier {
  readonly notionalLowerUsd: number;
  readonly maxLeverage: number;
}

/** What the exchange's universe says of one asset. Delisted assets stay listed here: indexes are stable. */
export interface AssetListing {
  readonly ticker: Ticker;
  /** Position in the exchange's universe; contexts are joined by it. */
  readonly assetIndex: number;
  /** Sizes are multiples of 10^-sizeDecimals coins. */
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  readonly isDelisted: boolean;
  readonly isIsolatedOnly: boolean;
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

/** Listings and contexts joined by index, then usable by name. */
export interface Universe {
  readonly listings: readonly AssetListing[];
  /** Same order and length as listings; null where the exchange's row could not be read. */
  readonly contexts: readonly (AssetContext | null)[];
}

/** What a venue will charge at its next funding, already per hour. */
export interface VenueFunding {
  readonly venue: string;
  readonly rateHourly: number;
  readonly intervalHours: number;
}

export interface PredictedFunding {
  readonly ticker: Ticker;
  /** Centralized venues only; venues without a rate are left out. */
  readonly venues: readonly VenueFunding[];
}

/** One hourly settlement of funding. */
export interface FundingSettlement {
  readonly timeMs: number;
  readonly rateHourly: number;
  /** Hour-average premium in 8-hour units; null where the exchange has none. */
  readonly premiumFraction: number | null;
}
