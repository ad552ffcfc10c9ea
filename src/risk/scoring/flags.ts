import { BOOK_MARK_GAP } from "./age-limits.ts";
import { atLeast, CRITICAL_RULES, type CriticalRule, pct, type Rule } from "./critical-flags.ts";
import { FLAG_THRESHOLDS as AT } from "./flag-thresholds.ts";
import type { RiskFacts } from "./risk-facts.ts";
import { VOLATILITY_LADDER } from "../volatility/volatility-model.ts";

interface NoticeRule extends Rule<RiskFacts> {
  readonly severity: "warning" | "info";
}

export type FlagRule = CriticalRule | NoticeRule;

const isMarketStressed = (facts: RiskFacts): boolean =>
  facts.stressedProbability + facts.crisisProbability >= AT.stressedMarketProbability.value;

/** Every flag with its severity and predicate; critical ones first. Names are part of the interface. */
export const FLAG_RULES = {
  ...CRITICAL_RULES,
  thin_book: {
    severity: "warning",
    condition: `no book, or depth within 1 % at most ${pct(AT.thinBookDepthRatio)} of the asset's usual, or the order takes ${pct(AT.thinBookDepthShare)} of it`,
    isRaised: (f) =>
      f.depthShare === null ||
      f.depthShare >= AT.thinBookDepthShare.value ||
      (f.depthRatio !== null && f.depthRatio <= AT.thinBookDepthRatio.value),
  },
  high_slippage: {
    severity: "warning",
    condition: `slippage at least ${AT.highSlippageSigmas.value} one-hour volatilities or ${pct(AT.highSlippageFraction)}`,
    isRaised: (f) =>
      atLeast(f.slippageSigmas, AT.highSlippageSigmas) ||
      atLeast(f.slippageFraction, AT.highSlippageFraction),
  },
  high_leverage: {
    severity: "warning",
    condition: `leverage times one-day volatility at least ${pct(AT.highLeverageMarginSigma)} of margin; without a volatility ${pct(AT.highLeverageShareOfMax)} of the maximum leverage`,
    isRaised: (f) =>
      !f.isClose &&
      (f.marginSigma === null
        ? f.leverage >= AT.highLeverageShareOfMax.value * f.maxLeverage
        : f.marginSigma >= AT.highLeverageMarginSigma.value),
  },
  above_tier_leverage: {
    severity: "warning",
    condition: "the exchange's margin tier for a position of this size allows less leverage than asked for",
    isRaised: (f) => f.isAboveTierLeverage,
  },
  adl_risk: {
    severity: "warning",
    condition: `deleveraging rank, mark/entry (of a short entry/mark) times position over equity, at least ${AT.adlRank.value} in a market that is not normal`,
    isRaised: (f) => f.adlRank >= AT.adlRank.value && isMarketStressed(f),
  },
  partial_liquidation: {
    severity: "warning",
    condition: `position above ${AT.partialLiquidationUsd.value} USD, which the exchange liquidates in pieces of 20 %`,
    isRaised: (f) => f.positionNotionalUsd > AT.partialLiquidationUsd.value,
  },
  funding_anomaly: {
    severity: "warning",
    condition: `|robust z| of the funding rate against its past above ${AT.fundingAnomalyZ.value}`,
    isRaised: (f) => f.fundingZ !== null && Math.abs(f.fundingZ) > AT.fundingAnomalyZ.value,
  },
  funding_expensive: {
    severity: "warning",
    condition: `expected funding paid in 24 h at least ${pct(AT.fundingExpensiveDrag)} of margin`,
    isRaised: (f) => f.fundingDragFraction >= AT.fundingExpensiveDrag.value,
  },
  cex_funding_divergence: {
    severity: "warning",
    condition: `funding and the centralized exchanges' rate differ by a factor of at least ${AT.cexDivergenceRatio.value}, or in sign`,
    isRaised: ({ cexDivergenceRatio: ratio }) =>
      ratio < 0 ||
      ratio >= AT.cexDivergenceRatio.value ||
      (ratio > 0 && ratio <= 1 / AT.cexDivergenceRatio.value),
  },
  high_impact: {
    severity: "warning",
    condition: `expected peak impact at least ${AT.highImpactSigmas.value} one-hour volatilities`,
    isRaised: (f) => atLeast(f.impactSigmas, AT.highImpactSigmas),
  },
  low_volume: {
    severity: "warning",
    condition: `the order is at least ${pct(AT.lowVolumeParticipation)} of the 24-hour volume, or that volume is under ${AT.lowVolumeUsd.value} USD`,
    isRaised: (f) =>
      f.participationFraction >= AT.lowVolumeParticipation.value || f.volume24hUsd < AT.lowVolumeUsd.value,
  },
  high_var: {
    severity: "warning",
    condition: `99 % 24 h expected shortfall after the trade at least ${pct(AT.highVarFraction)} of the equity at stake`,
    isRaised: (f) => atLeast(f.accountLossFraction, AT.highVarFraction),
  },
  oi_near_cap: {
    severity: "warning",
    condition: `the trade adds to an asset whose open interest, with that, is above ${pct(AT.oiNearCap)} of its estimated cap`,
    isRaised: (f) =>
      f.isOpenInterestAtCap ||
      (f.openInterestUtilization !== null && f.openInterestUtilization > AT.oiNearCap.value),
  },
  concentration_risk: {
    severity: "warning",
    condition: `more than ${pct(AT.concentrationShare)} of a portfolio of two or more positions in this asset`,
    isRaised: (f) => f.concentrationShare > AT.concentrationShare.value,
  },
  correlated_exposure: {
    severity: "warning",
    condition: `correlation with another position of at least ${pct(AT.correlatedShare)} of its size, signed by both directions, at least ${AT.correlatedRho.value}`,
    isRaised: (f) => atLeast(f.correlation, AT.correlatedRho),
  },
  stressed_market: {
    severity: "warning",
    condition: "the asset's market is more likely stressed or in crisis than normal",
    isRaised: isMarketStressed,
  },
  insufficient_margin: {
    severity: "warning",
    condition: "equity below the initial margin; assessed as if that margin were posted",
    isRaised: (f) => f.isMarginInsufficient,
  },
  below_min_order: {
    severity: "warning",
    condition: `a long, a short or a position that is held under the exchange's minimum order of ${AT.minOrderUsd.value} USD`,
    isRaised: (f) => !f.isClose && f.orderNotionalUsd < AT.minOrderUsd.value,
  },
  stale_market_data: {
    severity: "warning",
    condition: `book or mark older than its limit, its feed lost or its margin terms unread, or the mark over ${100 * BOOK_MARK_GAP.value.softFraction} % outside the quoted spread; or, of a trade, the mark of another position of the wallet older than its limit; the answer is at best proceed_with_caution`,
    isRaised: (f) => f.isMarketStale,
  },
  stale_wallet_state: {
    severity: "warning",
    condition:
      "wallet state older than its limit or not available; the answer is at best proceed_with_caution",
    isRaised: (f) => f.isWalletStale || f.isWalletMissing,
  },
  collateral_unknown: {
    severity: "warning",
    condition:
      "part of the account's collateral could not be read, its amounts contradict one another, or it holds nothing and may be an agent (API) wallet; the answer is at best proceed_with_caution",
    isRaised: (f) => f.isCollateralUnknown,
  },
  unpriced_position: {
    severity: "warning",
    condition:
      "the wallet holds a position whose risk cannot be modelled; portfolio VaR charges half of its notional, stress leaves it at its mark",
    isRaised: (f) => f.hasUnpricedPosition,
  },
  risk_model_unavailable: {
    severity: "warning",
    condition: "a driver of the score could not be computed and counts as half of the worst",
    isRaised: (f) =>
      f.accountLossFraction === null ||
      f.liquidationProbability === null ||
      f.liquidationSigmas === null ||
      f.impactSigmas === null,
  },
  unified_account: {
    severity: "info",
    condition: "the account shares collateral with its spot balances; what could be read of them is counted",
    isRaised: (f) => f.isUnifiedAccount,
  },
  limited_history: {
    severity: "info",
    condition: `under ${AT.limitedHistoryHours.value} hours of usable history behind the models, or over ${100 * VOLATILITY_LADDER.value.missingFractionMax} % of its hours without a bar`,
    isRaised: (f) => f.historyHours < AT.limitedHistoryHours.value || f.isHistoryPatchy,
  },
  new_listing: {
    severity: "info",
    condition: `under ${AT.newListingHours.value} hours of history`,
    isRaised: (f) => f.isNewListing,
  },
  close_without_position: {
    severity: "info",
    condition: "a close of an asset in which the wallet has no known position",
    isRaised: (f) => f.isCloseWithoutPosition,
  },
  close_exceeds_position: {
    severity: "info",
    condition:
      "a close larger than the position; assessed as a close of all of it, of which all amounts in USD are",
    isRaised: (f) => f.isCloseOversized,
  },
} as const satisfies Record<string, FlagRule>;

export type FlagName = keyof typeof FLAG_RULES;
