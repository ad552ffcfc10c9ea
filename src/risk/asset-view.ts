import type { AssetContext, AssetListing } from "../domain/asset.ts";
import type { OrderBook } from "../domain/book.ts";
import type { BookStatistics } from "./liquidity/book-statistics.ts";
import type { DrawdownFacts } from "./drawdown.ts";
import type { FundingOutlook } from "./funding.ts";
import type { MarginSchedule } from "./margin/margin.ts";
import type { OpenInterestFacts } from "./liquidity/open-interest.ts";
import type { LiquidityRegimeFacts } from "./regime/liquidity-regime.ts";
import type { StressShocks } from "./stress/stress-shocks.ts";
import type { AssetTails } from "./tails/var.ts";
import type { VolatilityFacts } from "./volatility/volatility-facts.ts";

/**
 * Everything a request may know of one asset, computed before the request. Immutable; replaced whole. A part is
 * null when it is not known (too little history, no book): the request then fails towards caution and flags it.
 */
export interface AssetView {
  readonly listing: AssetListing;
  /** Maintenance rates and deductions of the listing's tiers, ready to be read. */
  readonly marginSchedule: MarginSchedule;
  readonly context: AssetContext;
  readonly book: OrderBook | null;
  /** Rolling spread and depth, what is normal for this asset. */
  readonly bookStatistics: BookStatistics | null;
  readonly openInterest: OpenInterestFacts;
  readonly funding: FundingOutlook;
  /** Sigma term structure, daily sigma, volatility regime and the model that gave them. */
  readonly volatility: VolatilityFacts | null;
  /** VaR, ES, Monte Carlo and EVT numbers per side, level and horizon; sorted path extremes for touch probability. */
  readonly tails: AssetTails | null;
  readonly liquidityRegime: LiquidityRegimeFacts | null;
  readonly drawdown: DrawdownFacts | null;
  /** One shock per stress scenario, in the order of the scenario table. */
  readonly stressShocks: StressShocks;
  /** Row of the asset in the joint scenario sheet; null when it has none. */
  readonly sheetRow: number | null;
  /** Hours of usable history behind the models. */
  readonly historyHours: number;
  /** Listed for less than the calibration's new-listing limit, as the history shows; false while it is not read. */
  readonly isNewListing: boolean;
}
