import type { MarginMode } from "../domain/account.ts";
import type { Cost } from "./cost.ts";
import type { DrawdownFacts } from "./drawdown.ts";
import type { ExtremeTail } from "./tails/evt.ts";
import type { Fees } from "./fees.ts";
import type { FundingOutlook } from "./funding.ts";
import type { Greeks } from "./greeks.ts";
import type { Impact } from "./liquidity/impact.ts";
import type { LiquidationFacts } from "./margin/liquidation.ts";
import type { MonteCarlo } from "./tails/monte-carlo.ts";
import type { OpenInterestFacts } from "./liquidity/open-interest.ts";
import type { PairDependence } from "./portfolio/dependence/pair-dependence.ts";
import type { PortfolioAssessment } from "./portfolio/portfolio-assessment.ts";
import type { PortfolioStress } from "./stress/portfolio-stress.ts";
import type { LiquidityRegimeFacts } from "./regime/liquidity-regime.ts";
import type { ResolvedTrade } from "./trade/resolved-trade.ts";
import type { Explanation } from "./scoring/explanation.ts";
import type { RiskScore } from "./scoring/score.ts";
import type { Sizing } from "./sizing/sizing.ts";
import type { BookDepth, Slippage } from "./liquidity/slippage.ts";
import type { TradeStress } from "./stress/stress.ts";
import type { AppliedTrade } from "./trade/trade-application.ts";
import type { ValueAtRisk } from "./tails/var.ts";
import type { VolatilityFacts } from "./volatility/volatility-facts.ts";

export interface PortfolioRisk {
  readonly assessment: PortfolioAssessment;
  /** Null without joint scenarios. */
  readonly tailDependence: readonly PairDependence[] | null;
  /** The worst of the cross account's and the isolated positions' within 24 h; null when none is known. */
  readonly liquidationProbability: number | null;
}

/**
 * What a request finds out about one trade, in fractions and USD; response/ encodes it. Blocks of the trade itself
 * (slippage, VaR, stress, fees, cost, Greeks) speak of `trade.notionalUsd` on `trade.exposureDirection`; liquidation
 * and portfolio blocks of the account after the trade.
 */
export interface Assessment {
  readonly trade: ResolvedTrade;
  readonly markPrice: number;
  readonly maxLeverage: number;
  readonly score: RiskScore;
  readonly slippage: Slippage;
  /** Null without a book. */
  readonly depth: BookDepth | null;
  readonly liquidation: LiquidationFacts;
  /** "close" when the trade only reduces. */
  readonly liquidationMode: MarginMode | "close";
  readonly funding: FundingOutlook;
  /** The rate of now held for a year. */
  readonly annualisedFundingFraction: number;
  /** Whether the described side pays at the rate of now; nobody does where an order only reduces. */
  readonly agentPaysFunding: boolean;
  readonly impact: Impact;
  /** Null without tails. */
  readonly valueAtRisk: ValueAtRisk | null;
  readonly volatility: VolatilityFacts | null;
  readonly openInterest: OpenInterestFacts;
  readonly stress: TradeStress;
  /** Null with fewer than two positions before the trade. */
  readonly portfolioRisk: PortfolioRisk | null;
  /** Null without a position before the trade; so is the attribution. */
  readonly portfolioStress: PortfolioStress | null;
  readonly portfolioAttribution: PortfolioAssessment | null;
  readonly fees: Fees;
  readonly cost: Cost;
  /** Null for a close. */
  readonly sizing: Sizing | null;
  /** Undefined when not asked for; null without tails. */
  readonly monteCarlo: MonteCarlo | null | undefined;
  readonly extremeTail: ExtremeTail | null;
  readonly greeks: Greeks;
  readonly regime: LiquidityRegimeFacts | null;
  readonly drawdown: DrawdownFacts | null;
  /** Null without a drawdown to tell the asset's noise from. */
  readonly suggestedStopFraction: number | null;
  /** Undefined when not asked for. */
  readonly explanation: Explanation | undefined;
  /** The account after the trade: what the next trade of a batch starts from. */
  readonly applied: AppliedTrade;
}
