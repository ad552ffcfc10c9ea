import { clamp } from "../../math/clamp.ts";
import { mean, meanSquare } from "../../math/moments.ts";
import { FULL_HISTORY_HOURS, shrunkVarianceStep } from "../scenarios/short-history.ts";
import type { ConditionedBars, EstimationSeries } from "./conditioned-bars.ts";
import { estimationSeries, rangeScale, winsorisedMean } from "./conditioned-bars.ts";
import { EWMA_DECAY } from "./ewma.ts";
import {
  anchored,
  coefficientsOf,
  GJR_GARCH_PRIOR,
  longRunOf,
  RANGE_GARCH_PRIOR,
  rescaled,
} from "./garch-parameters.ts";
import { coefficientsOfGjr, fitGjrGarch, gjrGarchOf } from "./gjr-garch.ts";
import { fitHexp } from "./hexp.ts";
import { coefficientsOfRangeGarch, fitRangeGarch, meanNewsRatio, rangeGarchOf } from "./range-garch.ts";
import { estimateSeasonality, seasonalFactor, type Seasonality } from "./seasonality.ts";
import type { RangeGarchRecursion } from "./variance-recursion.ts";
import {
  type FittedWindow,
  modelOf,
  VARIANCE_STEP_MIN,
  VOLATILITY_LADDER,
  type PeerVariance,
  type VolatilityModel,
  type VolatilityWarning,
} from "./volatility-model.ts";

export interface VolatilityOptions {
  readonly pooledSeasonality: Seasonality | null;
  readonly peer: PeerVariance | null;
  /** What is usual of the asset; 0 where it is not known. */
  readonly halfSpreadFraction: number;
  /** The model in force, to start the optimiser from; null after a cold start. */
  readonly previous: VolatilityModel | null;
}

/**
 * Enough for the minimum from any start: of 900 fits of recorded coins all but the slowest needed half of it. One that ends
 * before is another model after a restart, which starts from other fits.
 */
const EVALUATIONS_MAX = 320;
const SECOND_EVALUATIONS_MAX = 800;

/**
 * Fits the best model that the history carries: range GARCH, else GJR-GARCH where ranges cannot be trusted, else EWMA,
 * else the cross-section's parameters on the peers' variance. Null when there is neither history nor a peer.
 */
export function fitVolatility(bars: ConditionedBars, options: VolatilityOptions): VolatilityModel | null {
  const rule = VOLATILITY_LADDER.value;
  const series = estimationSeries(bars);
  const rawScale = rangeScale(series.returnStep, series.rangeVarianceStep);
  const isScaleCredible = rawScale >= rule.rangeScaleMin && rawScale <= rule.rangeScaleMax;
  const scale = Number.isFinite(rawScale) ? clamp(rawScale, rule.rangeScaleMin, rule.rangeScaleMax) : 1;
  const seasonality = estimateSeasonality(
    bars.openTimeMs,
    series.rangeVarianceStep,
    options.pooledSeasonality,
  );
  const { returns, ranges } = deseasonalised(bars, series, seasonality, scale);
  const isFlat = bars.flatFraction > rule.flatFractionMax || mean(ranges) < rule.meanVarianceMin;
  const isRangeReliable = isScaleCredible && bars.repairedFraction <= rule.repairedFractionMax;
  const warnings: VolatilityWarning[] = [];
  if (bars.length < FULL_HISTORY_HOURS.value || bars.missingFraction > rule.missingFractionMax) {
    warnings.push("limited_history");
  }
  const window: FittedWindow = {
    seasonality,
    rangeScale: scale,
    varianceFloorStep: Math.max(VARIANCE_STEP_MIN, options.halfSpreadFraction ** 2),
    peer: options.peer,
    returnCap: series.returnCap,
    rangeVarianceCap: series.rangeVarianceCap,
    observations: bars.length,
  };
  if (isFlat && bars.length >= rule.ewmaHoursMin) warnings.push("flat_prices");
  if (isFlat || bars.length < rule.ewmaHoursMin) return pooledModel(window, ranges, warnings);
  if (bars.length < rule.fitHoursMin) return ewmaModel(window, returns, ranges, warnings);
  if (isRangeReliable) return rangeModel(window, returns, ranges, options.previous, warnings);
  return gjrModel(window, returns, [...warnings, "unreliable_ranges"]);
}

function deseasonalised(
  bars: ConditionedBars,
  series: EstimationSeries,
  seasonality: Seasonality,
  scale: number,
): { returns: Float64Array; ranges: Float64Array } {
  const returns = new Float64Array(bars.length);
  const ranges = new Float64Array(bars.length);
  for (let t = 0; t < bars.length; t++) {
    const factor = seasonalFactor(seasonality, bars.openTimeMs[t]!);
    returns[t] = series.returnStep[t]! / factor;
    ranges[t] = (scale * series.rangeVarianceStep[t]!) / (factor * factor);
  }
  return { returns, ranges };
}

function rangeModel(
  window: FittedWindow,
  returns: Float64Array,
  ranges: Float64Array,
  previous: VolatilityModel | null,
  warnings: readonly VolatilityWarning[],
): VolatilityModel {
  const start: RangeGarchRecursion | null =
    previous?.recursion.kind === "range-garch" ? previous.recursion : null;
  const own = fitRangeGarch(returns, ranges, {
    prior: RANGE_GARCH_PRIOR.value,
    start,
    evaluationsMax: EVALUATIONS_MAX,
  });
  const ratio = meanNewsRatio(own, returns, ranges);
  const news = ranges.map((value) => value / ratio);
  const windowVarianceStep = winsorisedMean(ranges);
  const { omega, reaction, asymmetry, beta } = coefficientsOfRangeGarch(own);
  const fitted = { omega, reaction: reaction * ratio, asymmetry, beta };
  const coefficients = anchored(fitted, windowVarianceStep);
  const hasSecond = returns.length >= VOLATILITY_LADDER.value.secondModelHoursMin;
  const secondStart = previous?.second ?? null;
  return modelOf(window, {
    kind: "range-garch",
    newsRatio: ratio,
    filter: rangeGarchOf(fitted),
    recursion: rangeGarchOf(coefficients),
    second: hasSecond
      ? fitHexp(returns, news, { start: secondStart, evaluationsMax: SECOND_EVALUATIONS_MAX }).recursion
      : null,
    firstVarianceStep: mean(ranges),
    windowVarianceStep,
    longRunVarianceStep: longRunOf(coefficients),
    warnings,
  });
}

function gjrModel(
  window: FittedWindow,
  returns: Float64Array,
  warnings: readonly VolatilityWarning[],
): VolatilityModel {
  const fit = fitGjrGarch(returns, {
    likelihood: "gaussian",
    isAsymmetric: true,
    prior: GJR_GARCH_PRIOR.value,
    evaluationsMax: EVALUATIONS_MAX,
  });
  const squares = returns.map((value) => value * value);
  const windowVarianceStep = winsorisedMean(squares);
  const coefficients = anchored(coefficientsOfGjr(fit.recursion), windowVarianceStep);
  return modelOf(window, {
    kind: "gjr-garch",
    newsRatio: 1,
    filter: fit.recursion,
    recursion: gjrGarchOf(coefficients),
    second: null,
    firstVarianceStep: mean(squares),
    windowVarianceStep,
    longRunVarianceStep: longRunOf(coefficients),
    warnings,
  });
}

function ewmaModel(
  window: FittedWindow,
  returns: Float64Array,
  ranges: Float64Array,
  warnings: readonly VolatilityWarning[],
): VolatilityModel {
  const windowVarianceStep = Math.max(winsorisedMean(ranges), VARIANCE_STEP_MIN);
  const recursion = { kind: "ewma", decay: EWMA_DECAY.value } as const;
  return modelOf(window, {
    kind: "ewma",
    newsRatio: 1,
    filter: recursion,
    recursion,
    second: null,
    firstVarianceStep: meanSquare(returns),
    windowVarianceStep,
    longRunVarianceStep: shrunkToPeer(window, windowVarianceStep),
    warnings,
  });
}

/** The cross-section's medians around the variance of the peers and of what bars there are. */
function pooledModel(
  window: FittedWindow,
  ranges: Float64Array,
  warnings: readonly VolatilityWarning[],
): VolatilityModel | null {
  if (window.peer === null && window.observations < VOLATILITY_LADDER.value.unpooledHoursMin) return null;
  const own = window.observations === 0 ? 0 : winsorisedMean(ranges);
  const level = shrunkToPeer(window, own);
  const longRun = Math.max(level, window.varianceFloorStep);
  const unit = coefficientsOf(Float64Array.from(RANGE_GARCH_PRIOR.value.centre));
  return modelOf(window, {
    kind: "pooled",
    newsRatio: 1,
    filter: rangeGarchOf(rescaled(unit, level)),
    recursion: rangeGarchOf(rescaled(unit, longRun)),
    second: null,
    firstVarianceStep: level,
    windowVarianceStep: longRun,
    longRunVarianceStep: longRun,
    warnings,
  });
}

function shrunkToPeer(window: FittedWindow, own: number): number {
  if (window.peer === null || window.observations >= FULL_HISTORY_HOURS.value) return own;
  return shrunkVarianceStep(window.observations, own, window.peer.varianceStep);
}
