/**
 * What the score reads of one assessed trade: its drivers, the market's regime and what is missing. Null means that it
 * could not be computed; Infinity is a value (a position that cannot be liquidated has infinite distance).
 */
export interface ScoreFacts {
  readonly isClose: boolean;
  /** Signed cost of the entry fill against mid, without a book against the mark; null of an unknown asset. */
  readonly slippageFraction: number | null;
  /** The same in volatilities of one hour; null without a volatility. */
  readonly slippageSigmas: number | null;
  /** Order over everything the traded side shows; Infinity without a book. */
  readonly bookShare: number;
  /** Order over the traded side's depth within 1 % of mid; null without a book. */
  readonly depthShare: number | null;
  readonly impactSigmas: number | null;
  /** P(the liquidation price is touched within 24 h); null without tails. */
  readonly liquidationProbability: number | null;
  /** What an isolated order adds to the probability that the cross pool, which its margin is taken from, is liquidated. */
  readonly poolLiquidationAdded: number;
  /** |liquidation price / mark - 1|; Infinity when no price liquidates, 0 when it has already happened. */
  readonly liquidationDistanceFraction: number;
  /** |ln(liquidation price / mark)| in volatilities of one day; null without a volatility. */
  readonly liquidationSigmas: number | null;
  /** Maintenance margin over equity of what the position stands on, the cross pool or its own margin; 0 without a position. */
  readonly marginRatio: number;
  /** P(liquidation, or loss of half of the equity behind the position, within 24 h); null without tails. */
  readonly adverseProbability: number | null;
  /** 99 % 24 h expected shortfall after the trade over the equity at stake; null without tails. */
  readonly accountLossFraction: number | null;
  /** Share of the order that pays funding at the current rate; 0 where it receives or owes none. */
  readonly paidFundingShare: number;
  /** Expected funding paid in 24 h over margin; 0 when none is expected. */
  readonly fundingDragFraction: number;
  /** Robust z of the hourly rate; null without a history of rates. */
  readonly fundingZ: number | null;
  readonly isOpenInterestAtCap: boolean;
  /** Open interest over its estimated cap, with the trade's addition; null when no cap is known. */
  readonly openInterestUtilization: number | null;
  /** Position after the trade over open interest. */
  readonly openInterestShare: number;
  readonly stressedProbability: number;
  readonly crisisProbability: number;
  readonly isMarketStale: boolean;
  readonly isWalletStale: boolean;
  readonly isWalletMissing: boolean;
  /** Part of the account's collateral could not be read, and nothing gives it away; or the account contradicts itself. */
  readonly isCollateralUnknown: boolean;
}

/** What the score and the flags may know of one assessed trade, flat. */
export interface RiskFacts extends ScoreFacts {
  /** Depth within 1 % now over what is usual for the asset; null when that is not known. */
  readonly depthRatio: number | null;
  /** Order over the last 24 hours' volume, of 1 USD at least. */
  readonly participationFraction: number;
  readonly volume24hUsd: number;
  /** Of the position after the trade; 0 without one. */
  readonly leverage: number;
  readonly maxLeverage: number;
  /** The exchange grants a position of this notional less leverage than asked for. */
  readonly isAboveTierLeverage: boolean;
  /** Leverage times the volatility of one day: what an ordinary day does to the margin. */
  readonly marginSigma: number | null;
  /** Position over equity, times mark over entry, of a short entry over mark: the exchange's deleveraging order. */
  readonly adlRank: number;
  /** Position in the asset after the trade. */
  readonly positionNotionalUsd: number;
  readonly orderNotionalUsd: number;
  /** Rate over the centralized exchanges' rate; 0 when negligible. */
  readonly cexDivergenceRatio: number;
  /** The asset's part of the account's gross notional after the trade; 0 with fewer than two positions. */
  readonly concentrationShare: number;
  /** Largest correlation with another position, signed by both directions; null when none is known. */
  readonly correlation: number | null;
  readonly historyHours: number;
  /** So many hours behind the models have no bar that the models say so. */
  readonly isHistoryPatchy: boolean;
  readonly isNewListing: boolean;
  readonly isUnifiedAccount: boolean;
  readonly isMarginInsufficient: boolean;
  readonly hasUnpricedPosition: boolean;
  readonly isCloseWithoutPosition: boolean;
  readonly isCloseOversized: boolean;
}
