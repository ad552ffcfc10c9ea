// Generated from schemas/ by scripts/generate-contracts.ts. Do not edit: run `npm run generate`.

/**
 * Advice that follows from the risk score and the bands in force.
 */
export type Recommendation = "proceed" | "proceed_with_caution" | "abort";
/**
 * identity: the published probability stands. platt: logistic in its log-odds. isotonic: non-decreasing steps joined by straight lines.
 */
export type ProbabilityMethod = "identity" | "platt" | "isotonic";
/**
 * The method tried.
 */
export type RecalibrationMethod = "platt" | "isotonic";
/**
 * Error identifier.
 */
export type AlertRejectionCode = "invalid_config";
/**
 * Verdict of an asset's VaR backtest.
 */
export type CalibrationStatus =
  | "pass"
  | "too_many_breaches"
  | "too_few_breaches"
  | "clustered_breaches"
  | "es_understated"
  | "insufficient_data";
/**
 * Body of a 401.
 */
export type AuthenticationError = AuthenticationMessage | AuthenticationCode;
/**
 * What is wrong.
 */
export type AuthenticationMessageText = "missing or invalid Authorization header" | "invalid API key";
/**
 * Error identifier.
 */
export type UnauthorizedCode = "unauthorized";
/**
 * long loses when the price falls, short when it rises.
 */
export type Side = "long" | "short";
/**
 * Basel traffic light: green without a breach or below the 95th percentile of the binomial, yellow below the 99.99th, red beyond.
 */
export type BaselZone = "green" | "yellow" | "red";
/**
 * long opens or adds to a long position, short to a short one, close reduces what is open.
 */
export type TradeAction = "long" | "short" | "close";
/**
 * Margin mode.
 */
export type MarginMode = "cross" | "isolated";
export type BatchEntry = ValidateResponse | FailedEntry;
/**
 * Margin mode of the position, or close when the trade only reduces it.
 */
export type LiquidationMode = "cross" | "isolated" | "close";
/**
 * Who pays.
 */
export type FundingDirection = "longs_pay" | "shorts_pay";
/**
 * Volatility regime.
 */
export type VolatilityRegime = "low" | "normal" | "high";
/**
 * The binding constraint.
 */
export type SizeLimitReason = "book_depth" | "oi_capacity" | "margin_headroom" | "market_impact";
/**
 * The regime.
 */
export type RegimeState = "normal" | "stressed" | "crisis";
/**
 * Name of the component, as in model-info weights.
 */
export type RiskComponent = "slippage" | "liquidation" | "funding" | "impact" | "var" | "oi";
/**
 * The recommendation it would reach.
 */
export type BetterRecommendation = "proceed" | "proceed_with_caution";
/**
 * Always abort.
 */
export type FailedRecommendation = "abort";
/**
 * healthy: no critical failure, pooled breach rate within 0.8 to 1.25 times the expected one; degraded: under 30 % of assets critical, pooled within 0.7 to 1.5 times; miscalibrated: beyond either; insufficient_data: fewer than five assets tested. A pooled rate counts only where its interval excludes the expected one.
 */
export type AggregateStatus = "healthy" | "degraded" | "miscalibrated" | "insufficient_data";
/**
 * How bad something is.
 */
export type Severity = "critical" | "warning" | "info";
/**
 * Body of every answer that is not a success.
 */
export type ErrorBody = ValidationError | AuthenticationError | RateLimitError | ServiceError;
/**
 * Error identifier.
 */
export type ValidationErrorCode = "validation_error" | "batch_too_large";
/**
 * Error identifier.
 */
export type RateLimitErrorCode = "rate_limited";
/**
 * Error identifier.
 */
export type ServiceErrorCode =
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "payload_too_large"
  | "unsupported_media_type"
  | "internal_error"
  | "upstream_error"
  | "unavailable"
  | "timeout";
/**
 * ok: answering from live data; starting: warming up; degraded: no live data of assets with half of the traded volume, nothing heard of the exchange for 15 seconds, or the service stops (ready is false), or over a quarter of the listed assets has no volatility model, or can only be closed, or outcomes cannot be recorded (ready is true).
 */
export type HealthStatus = "ok" | "starting" | "degraded";
/**
 * Always recorded.
 */
export type OutcomeStatus = "recorded";
/**
 * Message to a subscriber whose threshold a monitor call found breached.
 */
export type RiskAlert = {
  alert_type: AlertType;
  /**
   * Address, in lower case.
   */
  wallet: string;
  /**
   * Ticker; null for portfolio-level alerts.
   */
  asset: null | string;
  severity: AlertSeverity;
  /**
   * What happened, for people.
   */
  message: string;
  /**
   * When it was found. ISO 8601, UTC.
   */
  timestamp: string;
  /**
   * Metric value that triggered the alert, in the unit of its threshold. For regime_shift the regime now: 0 normal, 1 stressed, 2 crisis.
   */
  current_value: number;
  /**
   * Threshold breached. For regime_shift the regime that this subscriber last saw, as its number.
   */
  threshold: number;
};
/**
 * What was breached.
 */
export type AlertType =
  | "liquidation_proximity"
  | "high_risk_score"
  | "portfolio_var_breach"
  | "funding_drag_excessive"
  | "regime_shift";
/**
 * critical: risk score of 85 or more, liquidation distance under 2 %, or a shift to crisis; warning: every other breach.
 */
export type AlertSeverity = "warning" | "critical";
/**
 * What a client calls one of its messages: a text of 1 to 64 characters or an integer of at most 2^53 - 1 either way, beyond which JSON readers lose digits.
 */
export type MessageId = string | number;
/**
 * The answer where status is 200, else why there is none.
 */
export type ValidateReplyBody = ValidateResponse | ValidationError | RateLimitError | ServiceError;

/**
 * Answer of GET /v1/accuracy, recomputed every 5 minutes. Outcomes are self-reported and exist only for trades that were taken.
 */
export interface AccuracyResponse {
  /**
   * When it was computed. ISO 8601, UTC.
   */
  computed_at: string;
  /**
   * Number of recorded outcomes that count.
   */
  total_outcomes: number;
  /**
   * Those with a published probability: recorded under a known calibration, and not a close, whose score is capped. The scores of probabilities are over these.
   */
  scored_outcomes: number;
  /**
   * Outcomes that are recorded and not counted.
   */
  left_out: LeftOutOutcomes;
  /**
   * Mean squared difference between the predicted probability of an adverse outcome and what happened. 0 (perfect) to 1; null without outcomes.
   */
  brier_score: null | number;
  /**
   * One entry per range of ten score points.
   */
  calibration_curve: CalibrationCurveEntry[];
  /**
   * One entry per recommendation band.
   */
  band_stats: BandStatsEntry[];
  /**
   * The same over outcomes recorded in the last 7 days; null when there are none.
   */
  recent_7d: null | RecentAccuracy;
  /**
   * Fraction of adverse outcomes. 0 to 1; null without outcomes.
   */
  base_rate: null | number;
  /**
   * 1 - Brier score over that of always forecasting the base rate known so far; null when that is 0 or unknown.
   */
  brier_skill: null | number;
  /**
   * Decomposition of the Brier score; null without outcomes.
   */
  murphy: null | MurphyDecomposition;
  /**
   * Mean negative log likelihood, probabilities clipped at 1e-15; null without outcomes.
   */
  log_loss: null | number;
  /**
   * Probability that an adverse outcome was given the higher risk, ties counted half; null unless both kinds exist.
   */
  auc: null | number;
  /**
   * Mean gap between predicted and observed, over 10 bins of equal mass; null without outcomes.
   */
  expected_calibration_error: null | number;
  /**
   * One entry per calibration hash, those with the most outcomes first, at most 50.
   */
  by_calibration: CalibrationAccuracy[];
  score_probability: ScoreProbability;
}
/**
 * Recorded outcomes that no statistic counts.
 */
export interface LeftOutOutcomes {
  /**
   * Number of those whose entry or exit price the market did not trade at in their time.
   */
  prices_outside_market: number;
  /**
   * Number of those that one key has beyond what it may count for: 500, or as many as all other keys have together if that is more.
   */
  over_key_cap: number;
}
/**
 * Outcomes whose risk score at entry fell into one range.
 */
export interface CalibrationCurveEntry {
  /**
   * Range of risk scores, lower bound included: 0-10, 10-20, ..., 90-100.
   */
  predicted_risk_range: string;
  /**
   * Number of outcomes.
   */
  count: number;
  /**
   * Fraction of them that lost money. 0 to 1; null when there are none.
   */
  actual_loss_rate: null | number;
  /**
   * Mean PnL. Percent; null when there are none.
   */
  avg_pnl_pct: null | number;
  /**
   * 95 % Wilson interval of actual_loss_rate, low and high. 0 to 1; null when there are none.
   */
  loss_rate_interval: null | [number, number];
  /**
   * Mean probability of an adverse outcome that was published with their scores. 0 to 1; null when there was none.
   */
  predicted_adverse_rate: null | number;
  /**
   * Fraction of those that were adverse. 0 to 1; null when there are none.
   */
  adverse_rate: null | number;
  /**
   * 95 % Wilson interval of adverse_rate, low and high. 0 to 1; null when there are none.
   */
  adverse_rate_interval: null | [number, number];
}
/**
 * Outcomes of one recommendation band.
 */
export interface BandStatsEntry {
  /**
   * The band.
   */
  recommendation: Recommendation;
  /**
   * Number of outcomes.
   */
  count: number;
  /**
   * Share that made money. Percent; null when there are none.
   */
  profitable_pct: null | number;
  /**
   * Mean PnL. Percent; null when there are none.
   */
  avg_pnl_pct: null | number;
  /**
   * Mean PnL. USD; null when there are none.
   */
  avg_pnl_usd: null | number;
  /**
   * Median PnL. Percent; null when there are none.
   */
  median_pnl_pct: null | number;
  /**
   * 95 % Wilson interval of profitable_pct, low and high. Percent; null when there are none.
   */
  profitable_interval_pct: null | [number, number];
  /**
   * Mean probability of an adverse outcome that was published with their scores. 0 to 1; null when there was none.
   */
  predicted_adverse_rate: null | number;
  /**
   * Fraction of those that were adverse. 0 to 1; null when there are none.
   */
  adverse_rate: null | number;
  /**
   * 95 % Wilson interval of adverse_rate, low and high. 0 to 1; null when there are none.
   */
  adverse_rate_interval: null | [number, number];
}
/**
 * Outcomes of the last 7 days.
 */
export interface RecentAccuracy {
  /**
   * Number of outcomes.
   */
  total_outcomes: number;
  /**
   * Mean squared difference between the predicted probability of an adverse outcome and what happened, over these outcomes. 0 (perfect) to 1; null where none is scored.
   */
  brier_score: null | number;
  /**
   * Share that made money. Percent.
   */
  profitable_pct: number;
}
/**
 * brier_score = reliability - resolution + uncertainty + within_bin.
 */
export interface MurphyDecomposition {
  /**
   * How far predicted probabilities lie from observed frequencies; 0 is perfect.
   */
  reliability: number;
  /**
   * How far observed frequencies differ between bins; more is better.
   */
  resolution: number;
  /**
   * Variance of the outcome itself.
   */
  uncertainty: number;
  /**
   * Variance less twice the covariance inside bins, which closes the identity.
   */
  within_bin: number;
}
/**
 * Outcomes under one calibration.
 */
export interface CalibrationAccuracy {
  /**
   * The calibration the outcomes were recorded with.
   */
  calibration_hash: string;
  /**
   * False when this service never published the calibration.
   */
  known: boolean;
  /**
   * Number of outcomes.
   */
  total_outcomes: number;
  /**
   * Those with a published probability.
   */
  scored_outcomes: number;
  /**
   * Mean negative log likelihood of these outcomes, probabilities clipped at 1e-15; null where none is scored.
   */
  log_loss: null | number;
  /**
   * Mean squared difference between the predicted probability of an adverse outcome and what happened, over these outcomes. 0 (perfect) to 1; null where none is scored.
   */
  brier_score: null | number;
  /**
   * 1 - Brier score over that of always forecasting the base rate known so far, over these outcomes; null when that is 0 or unknown.
   */
  brier_skill: null | number;
  /**
   * Decomposition of their Brier score; null where none is scored.
   */
  murphy: null | MurphyDecomposition;
  /**
   * Probability that an adverse one of these outcomes was given the higher risk, ties counted half; null unless both kinds exist.
   */
  auc: null | number;
  /**
   * Mean gap between predicted and observed, over 10 bins of equal mass of these outcomes; null where none is scored.
   */
  expected_calibration_error: null | number;
  /**
   * Fraction of adverse ones among these outcomes. 0 to 1; null where none is scored.
   */
  base_rate: null | number;
}
/**
 * What a score has turned out to mean: the published probability of an adverse outcome, recalibrated on the recorded outcomes where that has proved better out of sample.
 */
export interface ScoreProbability {
  method: ProbabilityMethod;
  /**
   * Outcomes with a published probability, all of which a recalibration rests on.
   */
  observations: number;
  /**
   * One entry per method with enough outcomes to be tried. A method is taken when its log loss is lower by more than one standard error.
   */
  evidence: RecalibrationEvidence[];
  /**
   * At every tenth score from 0 to 100, never decreasing.
   */
  curve: ScoreProbabilityPoint[];
}
/**
 * Each outcome forecast by a fit on only those recorded before it.
 */
export interface RecalibrationEvidence {
  method: RecalibrationMethod;
  /**
   * Outcomes forecast so.
   */
  observations: number;
  /**
   * Log loss of the published probability on them.
   */
  published_log_loss: number;
  /**
   * Log loss of the recalibrated one.
   */
  recalibrated_log_loss: number;
  /**
   * Of the difference of the two.
   */
  standard_error: number;
}
/**
 * What one score means.
 */
export interface ScoreProbabilityPoint {
  /**
   * The score. 0 to 100.
   */
  risk_score: number;
  /**
   * Probability of an adverse outcome by the calibration in force. 0 to 1.
   */
  published_probability: number;
  /**
   * The same by the recorded outcomes. 0 to 1.
   */
  probability: number;
}
/**
 * First message of a client on GET /v1/alerts/ws. A later valid one replaces it. At most 4096 characters, counted as UTF-16 code units; one of more than 16384 bytes ends the connection without an answer.
 */
export interface AlertConfig {
  /**
   * Address to monitor.
   */
  wallet: string;
  /**
   * When to alert.
   */
  thresholds?: null | AlertThresholds;
}
/**
 * Only these four keys are accepted.
 */
export interface AlertThresholds {
  /**
   * Alert when the risk score exceeds it. Unsigned 8-bit integer.
   */
  max_risk_score?: null | number;
  /**
   * Alert when the liquidation distance falls below it. Percent.
   */
  min_liquidation_distance_pct?: null | number;
  /**
   * Alert when the portfolio VaR exceeds it. Percent of the account value, which counts as a cent where it is less.
   */
  max_portfolio_var_pct?: null | number;
  /**
   * Alert when the daily funding drag exceeds it. Percent of margin.
   */
  max_funding_drag_daily_pct?: null | number;
}
/**
 * Reply to an AlertConfig that is not valid; the socket stays open for another try.
 */
export interface AlertRejection {
  error: AlertRejectionCode;
  /**
   * The field and what was expected.
   */
  detail: string;
}
/**
 * Reply to a valid AlertConfig.
 */
export interface AlertSubscribed {
  /**
   * The monitored address, in lower case.
   */
  subscribed: string;
}
/**
 * VaR health of one asset: 24-hour 99 % VaR, out of sample, non-overlapping days, long and short.
 */
export interface AssetCalibration {
  /**
   * Ticker.
   */
  asset: string;
  /**
   * Number of forecasts tested: each day has one for a long and one for a short.
   */
  observations: number;
  /**
   * Fraction of those forecasts whose loss exceeded the VaR. 0 to 1; null without observations.
   */
  var_99_breach_rate: null | number;
  /**
   * Fraction to be expected. 0 to 1.
   */
  var_99_expected_rate: number;
  /**
   * Kupiec test of that fraction, two-sided; null without observations.
   */
  kupiec_p_value: null | number;
  /**
   * The verdict.
   */
  status: CalibrationStatus;
}
/**
 * One tradable asset.
 */
export interface AssetRecord {
  /**
   * Asset ticker.
   */
  name: string;
  /**
   * Current mark price. USD per coin.
   */
  mark_price: number;
  /**
   * Maximum leverage allowed.
   */
  max_leverage: number;
  /**
   * 8-hour funding rate: 8 x the hourly one. Fraction of notional per 8 hours.
   */
  funding_rate_8h: number;
  /**
   * Hourly funding rate, as in the funding block. Fraction of notional per hour.
   */
  funding_rate_hourly: number;
  /**
   * Open interest, one side. USD.
   */
  oi: number;
  /**
   * Traded volume of the last 24 hours. USD.
   */
  volume_24h: number;
  /**
   * When true, cross mode is refused.
   */
  only_isolated: boolean;
  /**
   * Number of margin tiers.
   */
  margin_tiers: number;
}
/**
 * Answer of GET /v1/assets. Delisted assets, and those that can only be closed, are left out.
 */
export interface AssetsResponse {
  /**
   * The tradable assets.
   */
  assets: AssetRecord[];
}
/**
 * One position's part in the portfolio's 99 % VaR.
 */
export interface AttributionEntry {
  /**
   * Ticker.
   */
  asset: string;
  /**
   * Change in portfolio VaR from adding this position (incremental VaR). USD; negative for a hedge.
   */
  marginal_var: number;
  /**
   * The position's share of portfolio VaR; the shares sum to it. USD; negative for a hedge.
   */
  component_var: number;
  /**
   * Component VaR over total. Percent; null when the total is 0.
   */
  component_var_pct: null | number;
}
/**
 * error says what is wrong.
 */
export interface AuthenticationMessage {
  error: AuthenticationMessageText;
}
/**
 * error is a code and message says what is wrong.
 */
export interface AuthenticationCode {
  error: UnauthorizedCode;
  /**
   * What is wrong.
   */
  message: string;
}
/**
 * Forecasts of one horizon and confidence for one side against what happened.
 */
export interface BacktestResult {
  /**
   * The side that bore the losses.
   */
  side: Side;
  /**
   * Horizon of the forecast. Hours.
   */
  horizon_hours: number;
  /**
   * Confidence of the VaR: 0.95 or 0.99.
   */
  confidence: 0.95 | 0.99;
  /**
   * Number of non-overlapping forecasts.
   */
  observations: number;
  /**
   * Losses beyond the VaR.
   */
  breaches: number;
  /**
   * Number to be expected: (1 - confidence) x observations.
   */
  expected_breaches: number;
  /**
   * Breaches over observations. 0 to 1; null without observations.
   */
  breach_rate: null | number;
  /**
   * Kupiec: is the breach rate right; null without observations.
   */
  kupiec: null | CoverageTest;
  /**
   * Christoffersen: do breaches cluster; null without observations.
   */
  christoffersen_independence: null | CoverageTest;
  /**
   * Both together; null without observations.
   */
  christoffersen_conditional_coverage: null | CoverageTest;
  /**
   * Basel traffic light; null without observations.
   */
  basel_zone: null | BaselZone;
  /**
   * Engle and Manganelli: can a breach be foretold from breaches before it and the VaR; null with too few observations.
   */
  dynamic_quantile_p_value: null | number;
  /**
   * Weibull test of the times between breaches: slow clustering; null with too few breaches.
   */
  duration_p_value: null | number;
  /**
   * Largest capital won in the running month by betting against the VaR, from 1: valid however often it is looked at. 20 warns, 100 convicts; null without observations.
   */
  e_value_var: null | number;
  /**
   * The same against the expected shortfall; null without observations.
   */
  e_value_es: null | number;
  /**
   * Acerbi and Szekely's second test of the expected shortfall; null without observations.
   */
  expected_shortfall_test: null | ExpectedShortfallTest;
  /**
   * Mean tick loss of the VaR forecasts against simple models over the same periods; null where these had no history to forecast from.
   */
  quantile_loss: null | QuantileLoss;
}
/**
 * A likelihood-ratio test of the breach sequence.
 */
export interface CoverageTest {
  /**
   * Likelihood ratio.
   */
  statistic: number;
  /**
   * Probability of a statistic at least as large under a correct model.
   */
  p_value: number;
}
/**
 * Near 0 for a right model, negative when the shortfall is understated.
 */
export interface ExpectedShortfallTest {
  /**
   * The statistic Z2.
   */
  z2: number;
  /**
   * Critical value at 1 %; below it the shortfall is understated.
   */
  critical_value: number;
  /**
   * True when z2 lies below the critical value.
   */
  understated: boolean;
}
/**
 * Percent of notional; less is better.
 */
export interface QuantileLoss {
  /**
   * This engine's model.
   */
  model: number;
  /**
   * Historical simulation of the last 250 days.
   */
  historical_simulation: number;
  /**
   * RiskMetrics: exponentially weighted volatility with a normal quantile.
   */
  ewma: number;
  /**
   * GARCH(1,1) with a normal quantile.
   */
  gaussian: number;
}
/**
 * Answer of GET /v1/backtest/{asset}: rolling out-of-sample forecasts, each made from data before it.
 */
export interface BacktestResponse {
  /**
   * Ticker.
   */
  asset: string;
  /**
   * When it was computed. ISO 8601, UTC.
   */
  computed_at: string;
  /**
   * Number of 24-hour forecasts tested, long and short, as in calibration health.
   */
  observations: number;
  /**
   * Fraction of those forecasts whose loss exceeded the 99 % VaR. 0 to 1; null without observations.
   */
  var_99_breach_rate: null | number;
  /**
   * Fraction to be expected. 0 to 1.
   */
  var_99_expected_rate: number;
  /**
   * Kupiec test of that fraction; null without observations.
   */
  kupiec_p_value: null | number;
  /**
   * The verdict.
   */
  status: CalibrationStatus;
  /**
   * The time the tested forecasts cover; null before the first of them is over.
   */
  window: null | BacktestWindow;
  forecasts: BacktestForecasts;
  /**
   * What this record has taught: the sigma of 24 hours is multiplied by it, in the hours 5 to 24 of the scenarios. Moves at most 2 % per day, within 0.8 and 1.5. An asset of less than 720 hours is multiplied by what the others' records have taught instead, fits.sigma_recalibration.market_multiplier of model-info.
   */
  sigma_multiplier: number;
  /**
   * One entry per side, horizon and confidence.
   */
  results: BacktestResult[];
  /**
   * The recent days, oldest first, for plotting.
   */
  series: BacktestPoint[];
}
/**
 * The time the tested forecasts cover.
 */
export interface BacktestWindow {
  /**
   * First forecast. ISO 8601, UTC.
   */
  from: string;
  /**
   * End of the last forecast's horizon. ISO 8601, UTC.
   */
  to: string;
  /**
   * History each forecast was estimated on, at most. Hours.
   */
  estimation_hours: number;
  /**
   * Time between refits, at most. Hours.
   */
  refit_hours: number;
}
/**
 * Finished forecasts of all horizons, by how they were made.
 */
export interface BacktestForecasts {
  /**
   * Stored before their period began: what this service answered with.
   */
  live: number;
  /**
   * Made afterwards by walking through the candles before each period, with weekly refits.
   */
  replayed: number;
}
/**
 * One day: what was forecast, and what happened.
 */
export interface BacktestPoint {
  /**
   * When the forecast was made. ISO 8601, UTC.
   */
  time: string;
  /**
   * Price return of the next 24 hours. Percent.
   */
  return_pct: number;
  /**
   * 24-hour 95 % VaR of a long. Percent.
   */
  var_95_long_pct: number;
  /**
   * 24-hour 99 % VaR of a long. Percent.
   */
  var_99_long_pct: number;
  /**
   * 24-hour 95 % VaR of a short. Percent.
   */
  var_95_short_pct: number;
  /**
   * 24-hour 99 % VaR of a short. Percent.
   */
  var_99_short_pct: number;
}
/**
 * The part of a batch request that must hold for any trade to be evaluated. A trade that does not match batch-trade fails alone, with meta.error in its place.
 */
export interface BatchEnvelope {
  /**
   * The wallet whose account the trades would join.
   */
  wallet: string;
  /**
   * The planned trades in order.
   *
   * @minItems 1
   * @maxItems 50
   */
  trades: [unknown, ...unknown[]];
}
/**
 * Body of POST /v1/validate/batch: 1 to 50 trades, each evaluated against the wallet state that the earlier ones leave behind.
 */
export interface BatchRequest {
  /**
   * The wallet whose account the trades would join.
   */
  wallet: string;
  /**
   * The planned trades in order.
   *
   * @minItems 1
   * @maxItems 50
   */
  trades: [BatchTrade, ...BatchTrade[]];
}
/**
 * One planned trade of a batch; the wallet is the batch's.
 */
export interface BatchTrade {
  /**
   * Ticker of an asset listed on the exchange.
   */
  asset: string;
  /**
   * What the trade does: long, short or close.
   */
  action: TradeAction;
  /**
   * Position size. USD, positive, at most 100000000. A close larger than the position is assessed as a close of all of it: amounts in USD are then of the position at its mark, and the flag close_exceeds_position says so.
   */
  size: number;
  /**
   * Leverage multiplier. At least 1 and at most the asset's maximum; omitted, the leverage of the wallet's position in the asset, else 1. A close keeps the position's.
   */
  leverage?: null | number;
  /**
   * Margin mode of a new position; one that is held keeps its own. Isolated-only assets refuse cross.
   */
  mode?: null | MarginMode;
  /**
   * Adds the monte_carlo block to the response.
   */
  monte_carlo?: null | boolean;
  /**
   * Adds the explanation block to the response.
   */
  explain?: null | boolean;
}
/**
 * Answer of POST /v1/validate/batch.
 */
export interface BatchResponse {
  /**
   * One entry per trade, in trade order.
   */
  results: BatchEntry[];
}
/**
 * Answer of POST /v1/validate.
 */
export interface ValidateResponse {
  /**
   * 0 (lowest risk) to 100 (highest risk).
   */
  risk_score: number;
  /**
   * Advice that follows from the score.
   */
  recommendation: Recommendation;
  /**
   * Risk flags naming specific concerns; model-info lists every flag with its severity and condition.
   *
   * Items: Stable machine-readable name in snake_case.
   */
  flags: string[];
  slippage: SlippageBlock;
  liquidation: LiquidationBlock;
  funding: FundingBlock;
  impact: ImpactBlock;
  var: VarBlock;
  oi: OiBlock;
  /**
   * One entry per historical scenario.
   */
  stress: StressEntry[];
  portfolio_risk?: PortfolioRisk;
  portfolio_stress?: PortfolioStress;
  fees: FeesBlock;
  cost_analysis: CostAnalysis;
  /**
   * Sizing guidance; null for a close.
   */
  sizing: null | SizingBlock;
  /**
   * Simulation of the position; null when the asset has no scenarios.
   */
  monte_carlo?: null | MonteCarloBlock;
  /**
   * Extreme-value tail estimates; null when the asset has no scenarios.
   */
  evt: null | EvtBlock;
  /**
   * Position sensitivities.
   */
  greeks: null | GreeksBlock;
  /**
   * Liquidity regime; null before the asset is first measured, and of a delisted one.
   */
  regime: null | RegimeBlock;
  /**
   * Drawdown metrics; null when the asset has no usable history.
   */
  drawdown: null | DrawdownBlock;
  /**
   * Marginal and component VaR; absent when the wallet has no position before the trade.
   */
  portfolio_attribution?: null | PortfolioAttribution;
  explanation?: Explanation;
  meta: MetaBlock;
  model_version: ModelVersion;
}
/**
 * Cost of walking the order book with the whole order.
 */
export interface SlippageBlock {
  /**
   * Expected slippage against the mid. Basis points; null when there is no book at all.
   */
  bps: null | number;
  /**
   * Estimated average fill price. USD per coin; null when there is no book at all.
   */
  fill_price: null | number;
  /**
   * Current mid price of the order book. USD per coin; null when there is no book at all.
   */
  mid_price: null | number;
  /**
   * Liquidity within 50 bps of mid, both sides. USD.
   */
  depth_50bps: number;
  /**
   * Liquidity within 100 bps of mid, both sides. USD.
   */
  depth_100bps: number;
  /**
   * -1 to 1: positive is bid-heavy, 0 is balanced or an empty book.
   */
  bid_ask_imbalance: number;
}
/**
 * Where the position, as it stands after the trade, would be liquidated.
 */
export interface LiquidationBlock {
  /**
   * Estimated liquidation price. USD per coin; 0 when no positive price liquidates the position.
   */
  price: number;
  /**
   * Distance from the mark price to the liquidation price. Percent of the mark price; 100 when no positive price liquidates the position, over 100 is possible for a short.
   */
  distance_pct: number;
  /**
   * Available margin that the account uses after the trade. Percent.
   */
  margin_used_pct: number;
  /**
   * Notional over equity after the trade, of what carries the position: the cross account, or an isolated position alone.
   */
  effective_leverage: number;
  mode: LiquidationMode;
}
/**
 * What holding the position costs or earns in funding.
 */
export interface FundingBlock {
  /**
   * Current hourly rate, one eighth of the 8-hour rate. Fraction of notional per hour; positive when longs pay.
   */
  funding_rate: number;
  /**
   * Funding cost projected over a year at the current rate. Percent of notional; positive when longs pay.
   */
  annualized_pct: number;
  /**
   * The exchange's rate over the rate of centralized exchanges; 0 when the rates are negligible.
   */
  vs_cex_divergence: number;
  direction: FundingDirection;
  /**
   * True when the requester pays funding, at the rate of now, on what the order opens, or on the position that a close leaves; false when it receives it, nobody pays, or the order only reduces a position; then the score's funding component is 0.
   */
  agent_pays: boolean;
}
/**
 * Square-root market impact of the order.
 */
export interface ImpactBlock {
  /**
   * Estimated market impact. Basis points; 10000, the cap, when nothing traded or the volatility is unknown.
   */
  expected_bps: number;
  /**
   * Trade size over the asset's volume of the last 24 hours. Percent.
   */
  participation_pct: number;
}
/**
 * Value at risk and expected shortfall of the order by itself, or of what a close takes off; of a position that a monitor answer lists. An order against a position has the risk of its own side; portfolio_risk has what the account is left with. Losses are positive.
 */
export interface VarBlock {
  /**
   * 24-hour VaR at 95 %. Percent of notional; null when the asset has no scenarios.
   */
  pct_95_24h: null | number;
  /**
   * 24-hour VaR at 99 %. Percent of notional; null when the asset has no scenarios.
   */
  pct_99_24h: null | number;
  /**
   * 24-hour VaR at 95 %. USD; null when the asset has no scenarios.
   */
  dollar_95_24h: null | number;
  /**
   * 24-hour VaR at 99 %. USD; null when the asset has no scenarios.
   */
  dollar_99_24h: null | number;
  /**
   * Liquidity-adjusted 24-hour VaR at 95 %, with spread and slippage of a stressed exit; a long's is its notional at most. USD; null when the asset has no scenarios.
   */
  lvar_95_24h: null | number;
  /**
   * Liquidity-adjusted 24-hour VaR at 99 %, with spread and slippage of a stressed exit; a long's is its notional at most. USD; null when the asset has no scenarios.
   */
  lvar_99_24h: null | number;
  /**
   * 4-hour VaR at 99 %. Percent of notional; null when the asset has no scenarios.
   */
  pct_99_4h: null | number;
  /**
   * 7-day VaR at 99 %. Percent of notional; null when the asset has no scenarios.
   */
  pct_99_7d: null | number;
  /**
   * 4-hour VaR at 99 %. USD; null when the asset has no scenarios.
   */
  dollar_99_4h: null | number;
  /**
   * 7-day VaR at 99 %. USD; null when the asset has no scenarios.
   */
  dollar_99_7d: null | number;
  /**
   * 24-hour expected shortfall at 95 %: mean loss beyond the VaR. Percent of notional; null when the asset has no scenarios.
   */
  es_95_24h: null | number;
  /**
   * 24-hour expected shortfall at 99 %: mean loss beyond the VaR. Percent of notional; null when the asset has no scenarios.
   */
  es_99_24h: null | number;
  /**
   * 24-hour VaR at 99 % over the posted margin. Percent: 5 % of notional at 20x is 100 %; null when the asset has no scenarios.
   */
  margin_var_99_pct: null | number;
  /**
   * Where the volatility forecast stands against the asset's own history: low, normal or high; null when the asset has no forecast.
   */
  volatility_regime: null | VolatilityRegime;
  /**
   * Term structure of the forecast; null when the asset has no forecast.
   */
  volatility_forecast: null | VolatilityForecast;
}
/**
 * Term structure of the volatility forecast. Annualized over 365 x 24 hours; fractions, 0.65 is 65 %.
 */
export interface VolatilityForecast {
  /**
   * Forecast 1-hour volatility, annualized. Fraction.
   */
  sigma_1h: number;
  /**
   * Forecast 4-hour volatility, annualized. Fraction.
   */
  sigma_4h: number;
  /**
   * Forecast 1-day volatility, annualized. Fraction.
   */
  sigma_1d: number;
  /**
   * Forecast 7-day volatility, annualized. Fraction.
   */
  sigma_7d: number;
  /**
   * Long-run unconditional volatility, annualized. Fraction.
   */
  long_run_sigma: number;
}
/**
 * Open interest of the asset against the exchange's cap.
 */
export interface OiBlock {
  /**
   * Current open interest, one side. USD.
   */
  current: number;
  /**
   * True when the exchange lists the asset as at its open-interest cap.
   */
  at_cap: boolean;
  /**
   * Open interest over the estimated cap. Percent; at least 100 at the cap.
   */
  utilization_pct: number;
}
/**
 * One historical scenario: what the order, or what a close takes off, gains or loses, and whether the position that it leaves survives. A long or a short that only reduces a position is a gain where the position falls; it bears neither funding nor a cost of leaving.
 */
export interface StressEntry {
  /**
   * Scenario identifier; model-info lists them.
   */
  scenario: string;
  /**
   * What happened, for people.
   */
  description: string;
  /**
   * Estimated PnL after funding and liquidity cost. Percent of the order at its mark; losses negative, a long's its size and its funding at most. A position liquidated where prices come back has no part in the recovery.
   */
  pnl_pct: number;
  /**
   * Estimated PnL after funding and liquidity cost. USD; losses negative.
   */
  pnl_usd: number;
  /**
   * Projected funding cost under the scenario of what the order opens, or of what a close takes off. Percent of the order at its mark; negative is received.
   */
  funding_cost_pct: number;
  /**
   * Estimated cost of leaving what the order opens, or a close takes off, at the shocked price through the scenario's thin book. Percent of the order at its mark.
   */
  liquidity_cost_pct: number;
  /**
   * Distance from the shocked price to liquidation. Percent; 0 when the position does not survive, 100 when no positive price liquidates it.
   */
  liquidation_distance_pct: number;
  /**
   * True when the position is not liquidated under the scenario.
   */
  survives: boolean;
}
/**
 * Joint risk of every open position after the trade, 24 hours. Losses are positive.
 */
export interface PortfolioRisk {
  /**
   * Portfolio 99 % VaR, correlation-aware. USD; a position outside the joint scenarios is added at its own, without diversification.
   */
  portfolio_var_99_24h: number;
  /**
   * Portfolio 99 % expected shortfall. USD; a position outside the joint scenarios is added at its own, without diversification.
   */
  portfolio_es_99_24h: number;
  /**
   * Number of open positions after the trade.
   */
  position_count: number;
  /**
   * Portfolio-level simulation; null when no position is in the joint scenarios.
   */
  monte_carlo: null | PortfolioMonteCarlo;
  /**
   * One entry per pair of the six largest positions in the joint scenarios; null without such scenarios.
   */
  tail_dependence: null | TailDependenceEntry[];
}
/**
 * The portfolio after the trade on the joint scenario sheet, 24 hours. Losses are positive.
 */
export interface PortfolioMonteCarlo {
  /**
   * Number of joint scenarios of 24 hours, which every number of the block is of.
   */
  simulations: number;
  /**
   * 95 % VaR. USD.
   */
  var_95: number;
  /**
   * 99 % VaR. USD.
   */
  var_99: number;
  /**
   * 95 % expected shortfall. USD.
   */
  es_95: number;
  /**
   * 99 % expected shortfall. USD.
   */
  es_99: number;
  /**
   * Probability that the cross positions or, if that is likelier, one of the isolated positions is liquidated within 24 hours. 0 to 1.
   */
  liquidation_probability: number;
  /**
   * One entry per open position.
   */
  positions: PortfolioMonteCarloPosition[];
}
/**
 * One position's part.
 */
export interface PortfolioMonteCarloPosition {
  /**
   * Ticker.
   */
  asset: string;
  /**
   * Change of the portfolio's 99 % VaR from adding the position. USD; negative for a hedge.
   */
  marginal_var_99: number;
  /**
   * Part of the portfolio's 99 % VaR; the parts sum to it. USD; negative for a hedge.
   */
  component_var_99: number;
}
/**
 * How two assets fall and rise together, from a t copula of their residuals.
 */
export interface TailDependenceEntry {
  /**
   * Ticker.
   */
  asset_a: string;
  /**
   * Ticker.
   */
  asset_b: string;
  /**
   * Probability of a joint extreme fall given one falls. 0 to 1.
   */
  lower_tail_lambda: number;
  /**
   * Probability of a joint extreme rise given one rises. 0 to 1.
   */
  upper_tail_lambda: number;
  /**
   * Linear correlation of hourly returns as each asset's volatility model leaves them, over its forecast for the hour. -1 to 1.
   */
  pearson_rho: number;
  /**
   * Degrees of freedom of the t copula.
   */
  degrees_of_freedom: number;
}
/**
 * The portfolio after the trade under the scenario that is worst for it.
 */
export interface PortfolioStress {
  /**
   * The worst scenario's identifier.
   */
  scenario: string;
  /**
   * Total PnL. USD; losses negative.
   */
  total_pnl_usd: number;
  /**
   * Total PnL. Percent of the account value, to which a margin pool below nothing adds nothing here: an isolated position, or the cross account; losses negative, 0 of no value.
   */
  total_pnl_pct: number;
  /**
   * Funding cost of all positions, of those that are liquidated their equity at most. Percent of the same value; negative is received.
   */
  total_funding_cost_pct: number;
  /**
   * True when the cross positions are not liquidated and something is left, a position or cash; and of an account that the trade leaves without positions.
   */
  account_survives: boolean;
  /**
   * Number of positions that are liquidated.
   */
  positions_liquidated: number;
}
/**
 * Estimated trading fees of the order.
 */
export interface FeesBlock {
  /**
   * Taker fee rate. Basis points of notional.
   */
  taker_fee_bps: number;
  /**
   * Estimated fee for the trade. USD.
   */
  estimated_fee_usd: number;
  /**
   * The fee over the margin posted. Percent.
   */
  fee_pct_of_margin: number;
}
/**
 * All costs of the trade together.
 */
export interface CostAnalysis {
  /**
   * Slippage + impact + taker fee. Basis points; null when there is no book at all.
   */
  total_entry_cost_bps: null | number;
  /**
   * Entry plus exit cost. Basis points; null when there is no book at all.
   */
  total_round_trip_cost_bps: null | number;
  /**
   * Price move that pays for all costs of the round trip, the same at any leverage; of the margin they are leverage times as much. Percent of price; null when there is no book at all.
   */
  breakeven_move_pct: null | number;
  /**
   * Projected funding cost of 24 hours on what the order opens, or on what a close leaves; 0 when the order only reduces a position. The rate is forecast back towards its median, so that its sign may differ from what agent_pays says of now. Percent of the order's margin; negative is received.
   */
  funding_drag_24h_pct: number;
  /**
   * 0 (negligible) to 1 (extremely expensive); 1 when there is no book at all.
   */
  cost_score: number;
}
/**
 * How large the trade could be.
 */
export interface SizingBlock {
  /**
   * Largest size that keeps all risk metrics within safe thresholds. USD.
   */
  max_safe_size_usd: number;
  /**
   * Recommended size, with a safety margin: its score is 5 points inside the proceed band or, where the smallest order leaves less than 10, half of what that leaves; 0 where no size is inside. USD.
   */
  suggested_size_usd: number;
  size_limit_reason: SizeLimitReason;
}
/**
 * Distribution of the position's 24-hour return on the scenario sheet. Losses are positive in var and expected shortfall, negative in returns.
 */
export interface MonteCarloBlock {
  /**
   * Number of simulated paths of 24 hours, which every number of the block is of.
   */
  simulations: number;
  /**
   * 95 % VaR from simulation. Percent of notional.
   */
  var_95: number;
  /**
   * 99 % VaR from simulation. Percent of notional.
   */
  var_99: number;
  /**
   * Expected shortfall at 95 %. Percent of notional.
   */
  expected_shortfall_95: number;
  /**
   * Expected shortfall at 99 %. Percent of notional.
   */
  expected_shortfall_99: number;
  /**
   * Median simulated return of the position. Percent of notional.
   */
  median_return: number;
  /**
   * Worst simulated return of the position. Percent of notional.
   */
  worst_case: number;
  /**
   * Lower and upper bound of the central 95 % of simulated returns. Percent of notional.
   *
   * @minItems 2
   * @maxItems 2
   *
   * Items: Percent, signed: 1 is one hundredth.
   */
  confidence_interval: [number, number];
}
/**
 * Extreme-value estimate of the 24-hour tail. Losses are positive.
 */
export interface EvtBlock {
  /**
   * 99.9 % VaR over 24 hours. Percent of notional.
   */
  var_99_9: number;
  /**
   * 99.9 % expected shortfall over 24 hours. Percent of notional.
   */
  expected_shortfall_99_9: number;
}
/**
 * Sensitivities of the traded position.
 */
export interface GreeksBlock {
  /**
   * dPnL / dPrice. USD per USD of price, which is signed coins.
   */
  delta: number;
  /**
   * dDelta / dPrice. Coins per USD; 0 for a linear perpetual.
   */
  gamma: number;
  /**
   * dPnL / dVol: change of the 24-hour 99 % expected shortfall, as PnL, per point of annualized volatility. USD; null when the asset has no scenarios.
   */
  vega: null | number;
  /**
   * PnL of one day from funding and the amortised cost of leaving, of what the order opens or a close takes off. USD per day, erosion negative; null when there is no book at all.
   */
  theta: null | number;
  /**
   * Change of liquidation distance (percent) per percent of price; 0 when no positive price liquidates the position.
   */
  liquidation_gamma: number;
}
/**
 * Liquidity regime of the asset.
 */
export interface RegimeBlock {
  state: RegimeState;
  /**
   * Posterior probability of the state, drawn toward a third by the weight of the features that are missing. 0 to 1.
   */
  confidence: number;
}
/**
 * Drawdown of the asset's hourly closing prices, the mark of now the last of them, and stops that follow from its volatility.
 */
export interface DrawdownBlock {
  /**
   * Maximum historical drawdown of the asset, over the hours that are kept: half a year at most. Percent.
   */
  max_drawdown_pct: number;
  /**
   * Current drawdown from the running peak. Percent.
   */
  current_drawdown_pct: number;
  /**
   * Value of one coin at the peak before the maximum drawdown. USD.
   */
  peak_equity: number;
  /**
   * Value of one coin at the trough of the maximum drawdown. USD.
   */
  trough_equity: number;
  /**
   * Time since the running peak. Hours; 0 at a new high.
   */
  drawdown_duration_hours: number;
  /**
   * Annualized log return over maximum drawdown; null without a drawdown or with less than 30 days of history.
   */
  calmar_ratio: null | number;
  /**
   * ATR-based trailing stop distance, with the running hour once that is wider than the average. Percent of price.
   */
  trailing_stop_distance_pct: number;
  /**
   * Suggested stop-loss distance from volatility and leverage. Percent of price; always inside the liquidation distance.
   */
  suggested_stop_loss_pct: number;
}
/**
 * Marginal and component VaR of the portfolio: after the trade in a validate answer, as it stands in a monitor answer.
 */
export interface PortfolioAttribution {
  /**
   * Total portfolio 99 % VaR, 24 hours. USD.
   */
  total_var_99: number;
  /**
   * How much less the VaR is than the sum of the standalone ones. Percent; slightly negative when VaR is not subadditive.
   */
  diversification_benefit_pct: number;
  /**
   * One entry per open position.
   */
  positions: AttributionEntry[];
}
/**
 * How the risk score came about, told twice: points + compounding + adjustment = risk_score, and share points + base points = unrounded score.
 */
export interface Explanation {
  /**
   * The score before it is rounded for display; the recommendation follows from it.
   */
  unrounded_score: number;
  /**
   * The six components.
   */
  components: ExplainedComponent[];
  /**
   * Points added because several components are elevated together, the regime's part included.
   */
  compounding_points: number;
  /**
   * Points added by a floor, such as that of a critical flag, or taken away by a cap, such as that of a close, or by rounding.
   */
  adjustment_points: number;
  /**
   * What made the adjustment, for people; null when it is only rounding.
   */
  adjustment_reason: null | string;
  /**
   * Points of stale inputs, which no component carries.
   */
  base_points: number;
  /**
   * The smallest single change that reaches the next better band; null when the recommendation is already proceed.
   */
  next_better_band: null | NextBetterBand;
}
/**
 * One of the six components.
 */
export interface ExplainedComponent {
  component: RiskComponent;
  /**
   * What was measured, for people: the number that raises the component most.
   */
  driver: string;
  /**
   * Its value, in raw_unit; null when it is unknown or infinite.
   */
  raw_value: null | number;
  /**
   * Unit of raw_value.
   */
  raw_unit: string;
  /**
   * 0 (harmless) to 1 (worst).
   */
  severity: number;
  /**
   * Weight of the component; the six sum to 1.
   */
  weight: number;
  /**
   * 100 x weight x severity.
   */
  points: number;
  /**
   * The component's Shapley share of the whole score, compounding and floors included.
   */
  share_points: number;
  /**
   * Below this the component alone does not let the score fall.
   */
  floor_points: number;
}
/**
 * One change each, the others left as requested. Null where that change alone does not reach the band; of size and leverage the smallest, a half, a quarter and an eighth of the requested are tried, and the size of the position that the order runs against.
 */
export interface NextBetterBand {
  recommendation: BetterRecommendation;
  /**
   * Largest size that reaches it. USD.
   */
  size: null | number;
  /**
   * Highest leverage that reaches it.
   */
  leverage: null | number;
  /**
   * Margin mode that reaches it.
   */
  mode: null | MarginMode;
}
/**
 * Facts about the request and its answer.
 */
export interface MetaBlock {
  /**
   * Ticker.
   */
  asset: string;
  /**
   * Current mark price. USD per coin.
   */
  mark_price: number;
  /**
   * Maximum leverage the exchange allows for the asset.
   */
  max_leverage: number;
  /**
   * Leverage the assessment used: the request's, else that of the wallet's position in the asset, else 1.
   */
  leverage: number;
  /**
   * Server-side processing time. Milliseconds.
   */
  latency_ms: number;
  /**
   * Unique identifier of the request; all entries of a batch share it.
   */
  request_id: null | string;
}
/**
 * What produced the numbers.
 */
export interface ModelVersion {
  /**
   * Semantic version of the risk engine.
   */
  engine_version: string;
  /**
   * Identifier of the calibration in force; supply it back when recording an outcome.
   */
  calibration_hash: string;
}
/**
 * Entry of a batch whose trade could not be assessed; the wallet state is left as it was for the next.
 */
export interface FailedEntry {
  recommendation: FailedRecommendation;
  /**
   * Risk flags naming specific concerns; model-info lists every flag with its severity and condition.
   *
   * Items: Stable machine-readable name in snake_case.
   */
  flags: string[];
  meta: FailedEntryMeta;
}
/**
 * Why the trade could not be assessed.
 */
export interface FailedEntryMeta {
  /**
   * Ticker as requested; null when the entry named none.
   */
  asset: null | string;
  /**
   * Server-side processing time. Milliseconds.
   */
  latency_ms: number;
  /**
   * Unique identifier of the request; all entries of a batch share it.
   */
  request_id: null | string;
  /**
   * What was wrong, in the words of the detail of a 400.
   */
  error: string;
  /**
   * The error that the trade alone would have got: validation_error for a trade that is never assessed as it is; unavailable, upstream_error or timeout for what may be over in a moment; internal_error for a fault of the service.
   */
  error_code: string;
}
/**
 * Answer of GET /v1/calibration/health.
 */
export interface CalibrationHealthResponse {
  /**
   * When it was computed. ISO 8601, UTC.
   */
  computed_at: string;
  /**
   * Number of assets with enough data.
   */
  assets_tested: number;
  /**
   * Number of those that pass.
   */
  assets_passing: number;
  /**
   * Number of those whose losses are understated beyond chance: false discovery rate 10 % over all assets tested.
   */
  assets_critical: number;
  aggregate_status: AggregateStatus;
  /**
   * The daily 99 % VaR of all assets tested and both sides together; null below 60 dates.
   */
  pooled: null | PooledCoverage;
  /**
   * One entry per asset.
   */
  per_asset: AssetCalibration[];
  /**
   * One entry per finding.
   */
  suggestions: CalibrationSuggestion[];
}
/**
 * Assets are breached on the same days: the interval counts dates, not forecasts.
 */
export interface PooledCoverage {
  /**
   * Number of dates.
   */
  dates: number;
  /**
   * Number of forecasts.
   */
  observations: number;
  /**
   * Fraction of them whose loss exceeded the VaR. 0 to 1.
   */
  var_99_breach_rate: number;
  /**
   * 95 % interval of it: the exact one of as many independent forecasts as the dates are worth.
   *
   * @minItems 2
   * @maxItems 2
   *
   * Items: 0 to 1.
   */
  var_99_breach_rate_interval: [number, number];
}
/**
 * What to do about one finding.
 */
export interface CalibrationSuggestion {
  /**
   * Ticker.
   */
  asset: string;
  /**
   * What is wrong.
   */
  issue: CalibrationStatus;
  /**
   * How bad it is.
   */
  severity: Severity;
  /**
   * What to do, for people.
   */
  suggestion: string;
}
/**
 * Body of a 400.
 */
export interface ValidationError {
  error: ValidationErrorCode;
  /**
   * The field and what was expected.
   */
  detail: string;
}
/**
 * Body of a 429; the header Retry-After says the same.
 */
export interface RateLimitError {
  error: RateLimitErrorCode;
  /**
   * What happened, for people.
   */
  detail?: string;
  /**
   * When to try again. Whole seconds.
   */
  retry_after_secs: number;
}
/**
 * Body of 404 not_found, 405 method_not_allowed, 409 conflict, 413 payload_too_large, 415 unsupported_media_type, 500 internal_error, 502 upstream_error, 503 unavailable and 504 timeout.
 */
export interface ServiceError {
  error: ServiceErrorCode;
  /**
   * What happened, for people; a 500 names the request and nothing of the inside.
   */
  detail?: string;
}
/**
 * Answer of GET /health: 200 when ready, 503 otherwise.
 */
export interface HealthResponse {
  status: HealthStatus;
  /**
   * True when openings are answered in assets with half of the traded volume or more; exits are answered once the list of assets was read, ready or not.
   */
  ready: boolean;
  /**
   * Semantic version of the risk engine.
   */
  engine_version: string;
  /**
   * Time since the process started. Seconds.
   */
  uptime_s: number;
  exchange: ExchangeHealth;
  assets: AssetsHealth;
  outcome_record: OutcomeRecordHealth;
}
/**
 * The connection to the exchange.
 */
export interface ExchangeHealth {
  /**
   * Name of the exchange.
   */
  name: string;
  /**
   * True while every socket of the feed is connected.
   */
  connected: boolean;
  /**
   * Time since the last message. Milliseconds; null before the first.
   */
  last_message_age_ms: null | number;
}
/**
 * How many assets are in which state; those listed but neither live nor stale are warming up.
 */
export interface AssetsHealth {
  /**
   * Assets that are not delisted.
   */
  listed: number;
  /**
   * Assets answered from fresh data.
   */
  live: number;
  /**
   * Assets whose data is older than its limit.
   */
  stale: number;
  /**
   * Of the live and stale assets, those without a volatility model: the exchange has, or gives, too little of their candle history. Trades in them are answered with fallbacks and flagged.
   */
  without_model: number;
  /**
   * Of the listed assets, those whose margin terms at the exchange could not be read: openings get a 503, closes are answered and flagged.
   */
  close_only: number;
}
/**
 * Where outcomes and keys are kept.
 */
export interface OutcomeRecordHealth {
  /**
   * False while the database does not answer, and after a write that failed until one succeeds: outcomes get a 503 meanwhile, and keys that are created or revoked may go unnoticed.
   */
  writable: boolean;
}
/**
 * Answer of GET /v1/model-info.
 */
export interface ModelInfoResponse {
  /**
   * Semantic version of the risk engine.
   */
  engine_version: string;
  /**
   * Identifier of the calibration in force.
   */
  calibration_hash: string;
  /**
   * Name of the calibration, for people.
   */
  calibration_name: string;
  weights: ComponentWeights;
  recommendation_bands: RecommendationBands;
  /**
   * Identifiers of the stress scenarios.
   *
   * Items: Stable machine-readable name in snake_case.
   */
  scenarios: string[];
  /**
   * Every flag a response can carry.
   */
  flags: FlagInfo[];
  /**
   * The models behind the numbers.
   */
  models: ModelInfo[];
  fits: FitsInForce;
}
/**
 * Weights of the score's six components; they sum to 1.
 */
export interface ComponentWeights {
  /**
   * Weight of slippage.
   */
  slippage: number;
  /**
   * Weight of liquidation.
   */
  liquidation: number;
  /**
   * Weight of funding.
   */
  funding: number;
  /**
   * Weight of impact.
   */
  impact: number;
  /**
   * Weight of VaR.
   */
  var: number;
  /**
   * Weight of open interest.
   */
  oi: number;
}
/**
 * The bands in force: up to proceed_max proceed, up to caution_max proceed_with_caution, above abort.
 */
export interface RecommendationBands {
  /**
   * Highest score of proceed.
   */
  proceed_max: number;
  /**
   * Highest score of proceed_with_caution.
   */
  caution_max: number;
}
/**
 * One flag.
 */
export interface FlagInfo {
  /**
   * Flag identifier.
   */
  name: string;
  /**
   * critical lifts the score into the abort band.
   */
  severity: Severity;
  /**
   * What raises it.
   */
  condition: string;
}
/**
 * One model.
 */
export interface ModelInfo {
  /**
   * Model identifier.
   */
  name: string;
  /**
   * What it computes and how.
   */
  description: string;
  /**
   * Date and data of its fit, or why it is not fitted.
   */
  fitted_on: string;
  /**
   * Its constants.
   */
  parameters: ModelParameter[];
}
/**
 * One calibrated constant.
 */
export interface ModelParameter {
  /**
   * Name of the constant.
   */
  name: string;
  /**
   * Its value, in unit: a number, a list, or the named values of a curve or a group.
   */
  value: number | unknown[] | ModelParameterGroup;
  /**
   * Its unit.
   */
  unit: string;
  /**
   * Where it comes from.
   */
  source: string;
  /**
   * Date and data of the fit, or why it is not fitted and when it was chosen.
   */
  fitted_on: string;
}
/**
 * Named values; a curve has its points under at and what they are worth under value.
 */
export interface ModelParameterGroup {
  [k: string]: unknown;
}
/**
 * What is fitted from data at this moment; it changes with every refit.
 */
export interface FitsInForce {
  assets_by_volatility_model: AssetsByVolatilityModel;
  /**
   * Tradable assets without a model: their history is still being read, or too little of it is to be had for any.
   */
  assets_without_model: number;
  /**
   * When the oldest fit in force was made, ISO 8601 UTC; null before the first.
   */
  oldest_fit_at: null | string;
  /**
   * When the newest fit in force was made, ISO 8601 UTC; null before the first.
   */
  newest_fit_at: null | string;
  /**
   * Refit and scenario jobs done since the start.
   */
  refits_done: number;
  /**
   * Jobs that failed or were late since the start; the last good result keeps serving.
   */
  refits_failed: number;
  /**
   * The joint scenarios in force; null before the first.
   */
  scenario_sheet: null | ScenarioSheetFacts;
  sigma_recalibration: SigmaRecalibration;
}
/**
 * Number of assets on each rung of the volatility ladder, by the model's name.
 */
export interface AssetsByVolatilityModel {
  [k: string]: number;
}
/**
 * The joint scenarios that VaR, ES, Monte Carlo and portfolio numbers are read from.
 */
export interface ScenarioSheetFacts {
  /**
   * Grows by one with every sheet.
   */
  version: number;
  /**
   * When it was drawn, ISO 8601 UTC.
   */
  built_at: string;
  /**
   * Assets in it.
   */
  assets: number;
  /**
   * Joint scenarios in it.
   */
  scenarios: number;
}
/**
 * Multipliers of sigma learned from the breaches of each asset's own daily VaR forecasts; the rule is among the models.
 */
export interface SigmaRecalibration {
  /**
   * Assets with a multiplier of their own.
   */
  assets: number;
  /**
   * Geometric mean of theirs, which assets without a record take over.
   */
  market_multiplier: number;
  /**
   * Smallest of them; 1 without any.
   */
  smallest_multiplier: number;
  /**
   * Largest of them; 1 without any.
   */
  largest_multiplier: number;
}
/**
 * Answer of GET /v1/monitor/{wallet}.
 */
export interface MonitorResponse {
  /**
   * The monitored address, in lower case.
   */
  wallet: string;
  /**
   * Account equity. USD.
   */
  account_value: number;
  /**
   * Margin used by all positions. USD.
   */
  total_margin_used: number;
  /**
   * The open positions.
   */
  positions: MonitoredPosition[];
  /**
   * What is not known of the account itself, with or without positions that carry it too: collateral_unknown, where account_value may lack a part, and stale_wallet_state.
   *
   * Items: Stable machine-readable name in snake_case.
   */
  flags?: string[];
  portfolio_risk?: PortfolioRisk;
  portfolio_stress?: PortfolioStress;
  portfolio_attribution?: PortfolioAttribution;
  /**
   * How old the exchange's account state is that this answer speaks of. Milliseconds; positions carry the flag stale_wallet_state when a newer one could not be had.
   */
  state_age_ms?: number;
}
/**
 * One open position of a monitored wallet.
 */
export interface MonitoredPosition {
  /**
   * Ticker.
   */
  asset: string;
  /**
   * Position size. Coins; negative is short.
   */
  size: number;
  /**
   * Average entry price. USD per coin.
   */
  entry_price: number;
  /**
   * Current mark price. USD per coin.
   */
  mark_price: number;
  /**
   * Unrealized PnL. USD.
   */
  unrealized_pnl: number;
  /**
   * Unrealized PnL. Percent of the margin that the position took at its entry: size x entry price over leverage.
   */
  unrealized_pnl_pct: number;
  /**
   * 0 (lowest risk) to 100 (highest risk).
   */
  risk_score: number;
  /**
   * What the score says of holding the position.
   */
  recommendation: Recommendation;
  /**
   * Risk flags naming specific concerns; model-info lists every flag with its severity and condition.
   *
   * Items: Stable machine-readable name in snake_case.
   */
  flags: string[];
  /**
   * Distance from the mark price to liquidation. Percent; 100 when no positive price liquidates the position.
   */
  liquidation_distance_pct: number;
  /**
   * Projected funding cost of 24 hours. Percent of margin; negative is received.
   */
  funding_drag_24h_pct: number;
  var: VarBlock;
}
/**
 * Body of POST /v1/outcome: the realized outcome of one trade.
 */
export interface OutcomeRequest {
  /**
   * The client's identifier of the trade, 1 to 256 characters, none of them a control character or a lone surrogate. The same one with the same content is idempotent, with other content a conflict.
   */
  trade_id: string;
  /**
   * Ticker.
   */
  asset: string;
  /**
   * What the trade was.
   */
  action: TradeAction;
  /**
   * Average entry price. USD per coin.
   */
  entry_price: number;
  /**
   * Average exit price. USD per coin.
   */
  exit_price: number;
  /**
   * Position size. USD.
   */
  size: number;
  /**
   * Leverage multiplier.
   */
  leverage: number;
  /**
   * The risk score that was given at entry. 0 to 100.
   */
  risk_score_at_entry: number;
  /**
   * model_version.calibration_hash of the response at entry. 1 to 128 characters, none of them a control character or a lone surrogate; an unknown one is recorded and marked.
   */
  calibration_hash: string;
  /**
   * Realized PnL. USD.
   */
  pnl_usd: number;
  /**
   * Realized PnL. Percent, as the client computes it; statistics on margin use pnl_usd, size and leverage.
   */
  pnl_pct: number;
  /**
   * Time from entry to exit. Hours.
   */
  holding_period_hours: number;
  /**
   * Fees paid. USD; negative is a rebate.
   */
  fees_paid_usd?: null | number;
  /**
   * Funding paid. USD; negative is received.
   */
  funding_paid_usd?: null | number;
}
/**
 * Answer of POST /v1/outcome, sent once the record is durable.
 */
export interface OutcomeResponse {
  status: OutcomeStatus;
  /**
   * The client's identifier of the trade.
   */
  trade_id: string;
}
/**
 * Answer of GET /v1/outcomes/stats.
 */
export interface OutcomesStatsResponse {
  /**
   * Number of recorded outcomes that count.
   */
  total_outcomes: number;
  /**
   * Those with a published probability: recorded under a known calibration, and not a close, whose score is capped. The scores of probabilities are over these.
   */
  scored_outcomes: number;
  /**
   * Outcomes that are recorded and not counted.
   */
  left_out: LeftOutOutcomes;
  /**
   * Mean squared difference between the predicted probability of an adverse outcome and what happened. 0 (perfect) to 1; null without outcomes.
   */
  brier_score: null | number;
  /**
   * One entry per range of ten score points.
   */
  calibration_curve: CalibrationCurveEntry[];
  /**
   * One entry per recommendation band.
   */
  band_stats: BandStatsEntry[];
}
/**
 * Message of a client on GET /v1/validate/ws. At most 16384 characters, counted as UTF-16 code units; one of more than 65536 bytes ends the connection without an answer.
 */
export interface ValidateMessage {
  /**
   * The client's choice; the reply carries it. Nothing is assumed of two messages with the same one.
   */
  id: MessageId;
  request: ValidateRequest;
}
/**
 * Body of POST /v1/validate. Unknown fields are ignored, except near misses of a known field that is absent.
 */
export interface ValidateRequest {
  /**
   * Ticker of an asset listed on the exchange.
   */
  asset: string;
  /**
   * What the trade does: long, short or close. Any order that only makes a position smaller can be asked about as a close of its size, which is never held back.
   */
  action: TradeAction;
  /**
   * Position size. USD, positive, at most 100000000. A close larger than the position is assessed as a close of all of it: amounts in USD are then of the position at its mark, and the flag close_exceeds_position says so.
   */
  size: number;
  /**
   * Leverage multiplier. At least 1 and at most the asset's maximum; omitted, the leverage of the wallet's position in the asset, else 1. A close keeps the position's.
   */
  leverage?: null | number;
  /**
   * The wallet whose account the trade would join.
   */
  wallet: string;
  /**
   * Margin mode of a new position; one that is held keeps its own. Isolated-only assets refuse cross.
   */
  mode?: null | MarginMode;
  /**
   * Adds the monte_carlo block to the response.
   */
  monte_carlo?: null | boolean;
  /**
   * Adds the explanation block to the response.
   */
  explain?: null | boolean;
}
/**
 * Reply to one message on GET /v1/validate/ws: what POST /v1/validate would have answered. Replies that have to ask the exchange first may come later than their turn.
 */
export interface ValidateReply {
  /**
   * The message's id; null where it had none that could be read.
   */
  id: null | MessageId;
  /**
   * HTTP status that the same request would have had; 413 for a message of more than 16384 characters.
   */
  status: number;
  body: ValidateReplyBody;
}
