import type { Calibrated } from "../domain/calibrated.ts";
import type { Ticker, WalletAddress } from "../domain/ids.ts";
import type { AccountAssessment, PositionAssessment } from "./assess-account.ts";
import { PUBLISHED } from "./calibration/calibration.ts";
import { type LiquidityRegime, LIQUIDITY_REGIMES } from "./regime/liquidity-regime.ts";
import { FLAG_THRESHOLDS } from "./scoring/flag-thresholds.ts";

/** When a subscriber wants to hear of a wallet. Every bound is strict: a value published as equal to it is not a breach. */
export interface AlertThresholds {
  /** 0 to 255. */
  readonly maxRiskScore: number;
  readonly minLiquidationDistanceFraction: number;
  /** Of the account's value. */
  readonly maxPortfolioVarFraction: number;
  /** Of margin, over 24 hours. */
  readonly maxFundingDragDailyFraction: number;
}

/** What a subscriber asked for. */
export interface AlertRequest {
  readonly wallet: WalletAddress;
  readonly thresholds: AlertThresholds;
}

/** What a monitor call found. */
export interface MonitoredAccount {
  readonly wallet: WalletAddress;
  readonly assessment: AccountAssessment;
  readonly evaluatedAtMs: number;
}

/** Source: interface specification, AlertConfig. */
export const DEFAULT_ALERT_THRESHOLDS: AlertThresholds = {
  maxRiskScore: 70,
  minLiquidationDistanceFraction: 0.05,
  maxPortfolioVarFraction: 0.5,
  maxFundingDragDailyFraction: 0.01,
};

/** From here on an alert of a score is critical; that of a distance is where its flag is. */
export const CRITICAL_SCORE_MIN: Calibrated = {
  value: 85,
  unit: "score points",
  source: "interface specification, Severity",
  fittedOn: PUBLISHED,
};
/**
 * An account worth less is measured against this: the share stays finite, and beyond any sensible bound. Not more than a
 * cent, because an account of cents can hold what the exchange takes, and its share is what its monitor answer shows.
 */
const ACCOUNT_VALUE_USD_MIN = 0.01;

export type AlertType =
  | "liquidation_proximity"
  | "high_risk_score"
  | "portfolio_var_breach"
  | "funding_drag_excessive"
  | "regime_shift";

/** One threshold found breached. Units of currentValue and threshold: score points, fractions, or regime ordinals. */
export interface AlertBreach {
  readonly type: AlertType;
  /** Null when it is the portfolio's. */
  readonly ticker: Ticker | null;
  readonly severity: "warning" | "critical";
  readonly currentValue: number;
  readonly threshold: number;
}

/** The liquidity regimes that a subscriber was last told of, per asset held. */
export type SeenRegimes = ReadonlyMap<Ticker, LiquidityRegime>;

/**
 * What of an account breaches a subscriber's thresholds, position by position, the portfolio last.
 *
 * Holds:   tightening a threshold never removes a breach; a regime is a breach only against another one seen before
 */
export function breachesOf(
  account: AccountAssessment,
  thresholds: AlertThresholds,
  seen: SeenRegimes,
): AlertBreach[] {
  const breaches: AlertBreach[] = [];
  for (const position of account.positions) addPositionBreaches(breaches, position, thresholds, seen);
  const varFraction = portfolioVarFractionOf(account);
  if (exceeds(varFraction, thresholds.maxPortfolioVarFraction)) {
    breaches.push({
      type: "portfolio_var_breach",
      ticker: null,
      severity: "warning",
      currentValue: varFraction,
      threshold: thresholds.maxPortfolioVarFraction,
    });
  }
  return breaches;
}

/** Portfolio VaR (99 %, 24 h) over the account's value, a cent at least; 0 without positions. */
export function portfolioVarFractionOf({ portfolio, margin }: AccountAssessment): number {
  if (portfolio === null) return 0;
  return portfolio.assessment.tail.var99Usd / Math.max(margin.accountValueUsd, ACCOUNT_VALUE_USD_MIN);
}

/** What the subscriber has seen after this account: an unknown regime leaves the last one, a closed position none. */
export function regimesSeenAfter(account: AccountAssessment, before: SeenRegimes): SeenRegimes {
  const after = new Map<Ticker, LiquidityRegime>();
  for (const { position, regime } of account.positions) {
    const state = regime?.state ?? before.get(position.ticker);
    if (state !== undefined) after.set(position.ticker, state);
  }
  return after;
}

function addPositionBreaches(
  breaches: AlertBreach[],
  { position, liquidation, score, fundingDrag24hOfMarginFraction: drag, regime }: PositionAssessment,
  thresholds: AlertThresholds,
  seen: SeenRegimes,
): void {
  const { ticker } = position;
  const distance = liquidation.distanceFraction;
  if (exceeds(thresholds.minLiquidationDistanceFraction, distance)) {
    breaches.push({
      type: "liquidation_proximity",
      ticker,
      severity: distance < FLAG_THRESHOLDS.nearLiquidationDistance.value ? "critical" : "warning",
      currentValue: distance,
      threshold: thresholds.minLiquidationDistanceFraction,
    });
  }
  if (score.displayed > thresholds.maxRiskScore) {
    breaches.push({
      type: "high_risk_score",
      ticker,
      severity: score.displayed >= CRITICAL_SCORE_MIN.value ? "critical" : "warning",
      currentValue: score.displayed,
      threshold: thresholds.maxRiskScore,
    });
  }
  if (exceeds(drag, thresholds.maxFundingDragDailyFraction)) {
    breaches.push({
      type: "funding_drag_excessive",
      ticker,
      severity: "warning",
      currentValue: drag,
      threshold: thresholds.maxFundingDragDailyFraction,
    });
  }
  const before = seen.get(ticker);
  if (regime !== null && before !== undefined && regime.state !== before) {
    breaches.push({
      type: "regime_shift",
      ticker,
      severity: regime.state === "crisis" ? "critical" : "warning",
      currentValue: regimeOrdinal(regime.state),
      threshold: regimeOrdinal(before),
    });
  }
}

/** Half of the tenth decimal of a percentage, the last that is published. */
const PUBLISHED_WITHIN = 0.51e-12;
/** What computing with a number rounds, of itself. */
const COMPUTED_WITHIN_SHARE = 2 ** -50;

/** By more than a threshold that was copied from an answer can differ from the value it shows. */
function exceeds(fraction: number, other: number): boolean {
  return fraction - other > PUBLISHED_WITHIN + COMPUTED_WITHIN_SHARE * Math.abs(other);
}

/** 0 normal, 1 stressed, 2 crisis. */
function regimeOrdinal(regime: LiquidityRegime): number {
  return LIQUIDITY_REGIMES.indexOf(regime);
}
