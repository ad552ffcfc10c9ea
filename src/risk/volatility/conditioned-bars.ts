import { HOUR_MS, type Bar } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { upperQuantile } from "../../math/upper-quantile.ts";

/** Turns a squared log range into a variance: Parkinson's 4 ln 2. */
export const PARKINSON = 4 * Math.LN2;

export const BAR_CONDITIONING: Calibrated<{
  readonly suspectLogRange: number;
  readonly winsorQuantile: number;
}> = {
  value: { suspectLogRange: 1, winsorQuantile: 0.999 },
  unit: "logarithm of a price ratio within an hour; quantile of the asset's own bars",
  source:
    "chosen: a range or return beyond e, 172 %, is a real liquidation wick or a bad print, the bar cannot tell; estimation caps such a bar at the quantile",
  fittedOn: "not fitted: chosen 2026-11",
};
export const SUSPECT_LOG_RANGE = BAR_CONDITIONING.value.suspectLogRange;
/** Parkinson variance of the widest hour that is not suspect. */
export const SUSPECT_RANGE_VARIANCE = SUSPECT_LOG_RANGE ** 2 / PARKINSON;

/** One bar against the close before it; all natural logarithms of price ratios, over the whole gap if there is one. */
export interface BarMove {
  readonly logReturn: number;
  /** min(0, ln(low / previous close)). */
  readonly lowExcursion: number;
  /** max(0, ln(high / previous close)). */
  readonly highExcursion: number;
  /** Parkinson variance (high − low excursion)² / (4 ln 2), the jump from the previous close included. */
  readonly rangeVariance: number;
  readonly isSuspect: boolean;
  /** High or low did not enclose open and close and was widened. */
  readonly isRepaired: boolean;
  /** High equals low: the price did not move on its grid. */
  readonly isFlat: boolean;
}

/**
 * Bars as the models read them, one column per field. A bar without trades or with an impossible price is left out, so
 * that the next one spans a gap; the first usable bar only gives the previous close. Shapes: all columns of `length`.
 */
export interface ConditionedBars {
  readonly length: number;
  readonly openTimeMs: Float64Array;
  readonly close: Float64Array;
  readonly logReturn: Float64Array;
  readonly lowExcursion: Float64Array;
  readonly highExcursion: Float64Array;
  readonly rangeVariance: Float64Array;
  /** Hours since the previous usable bar, 1 without a gap. Only such bars may enter a residual pool. */
  readonly gapHours: Float64Array;
  readonly isSuspect: Uint8Array;
  /** Share of the hours between first and last bar without a usable bar. */
  readonly missingFraction: number;
  /** Share of the bars whose high equals their low. */
  readonly flatFraction: number;
  /** Share of the bars whose high and low had to be widened. */
  readonly repairedFraction: number;
}

/** One bar against a previous close. Source of the range: Parkinson, Journal of Business 53 (1980). */
export function barMove(bar: Bar, previousClose: number): BarMove {
  const high = Math.max(bar.high, bar.open, bar.close);
  const low = Math.min(bar.low, bar.open, bar.close);
  const logReturn = Math.log(bar.close / previousClose);
  const lowExcursion = Math.min(0, Math.log(low / previousClose));
  const highExcursion = Math.max(0, Math.log(high / previousClose));
  const range = highExcursion - lowExcursion;
  return {
    logReturn,
    lowExcursion,
    highExcursion,
    rangeVariance: (range * range) / PARKINSON,
    isSuspect: Math.log(high / low) > SUSPECT_LOG_RANGE || Math.abs(logReturn) > SUSPECT_LOG_RANGE,
    isRepaired: high > bar.high || low < bar.low,
    isFlat: high === low,
  };
}

/** A bar that says something: traded, prices positive and finite. */
export function isUsableBar(bar: Bar): boolean {
  const lowest = Math.min(bar.open, bar.high, bar.low, bar.close);
  const highest = Math.max(bar.open, bar.high, bar.low, bar.close);
  return bar.volumeBase > 0 && lowest > 0 && Number.isFinite(highest);
}

/** Conditions bars in ascending time; a bar that does not advance time (a duplicate) is left out. */
export function conditionBars(bars: readonly Bar[]): ConditionedBars {
  const usable: Bar[] = [];
  for (const bar of bars) {
    if (isUsableBar(bar) && bar.openTimeMs > (usable.at(-1)?.openTimeMs ?? -Infinity)) usable.push(bar);
  }
  const length = Math.max(0, usable.length - 1);
  const columns = {
    openTimeMs: new Float64Array(length),
    close: new Float64Array(length),
    logReturn: new Float64Array(length),
    lowExcursion: new Float64Array(length),
    highExcursion: new Float64Array(length),
    rangeVariance: new Float64Array(length),
    gapHours: new Float64Array(length),
    isSuspect: new Uint8Array(length),
  };
  let flat = 0;
  let repaired = 0;
  for (let i = 0; i < length; i++) {
    const previous = usable[i]!;
    const bar = usable[i + 1]!;
    const move = barMove(bar, previous.close);
    columns.openTimeMs[i] = bar.openTimeMs;
    columns.close[i] = bar.close;
    columns.logReturn[i] = move.logReturn;
    columns.lowExcursion[i] = move.lowExcursion;
    columns.highExcursion[i] = move.highExcursion;
    columns.rangeVariance[i] = move.rangeVariance;
    columns.gapHours[i] = gapHoursBetween(previous.openTimeMs, bar.openTimeMs);
    columns.isSuspect[i] = move.isSuspect ? 1 : 0;
    if (move.isFlat) flat++;
    if (move.isRepaired) repaired++;
  }
  const spanHours = length === 0 ? 0 : gapHoursBetween(usable[0]!.openTimeMs, usable[length]!.openTimeMs);
  return {
    length,
    openTimeMs: columns.openTimeMs,
    close: columns.close,
    logReturn: columns.logReturn,
    lowExcursion: columns.lowExcursion,
    highExcursion: columns.highExcursion,
    rangeVariance: columns.rangeVariance,
    gapHours: columns.gapHours,
    isSuspect: columns.isSuspect,
    missingFraction: length === 0 ? 0 : 1 - length / spanHours,
    flatFraction: length === 0 ? 0 : flat / length,
    repairedFraction: length === 0 ? 0 : repaired / length,
  };
}

/** Whole hours between two bars, at least 1. */
export function gapHoursBetween(previousOpenTimeMs: number, openTimeMs: number): number {
  return Math.max(1, Math.round((openTimeMs - previousOpenTimeMs) / HOUR_MS));
}

/** Returns and range variances per hour for estimation: a gap of g hours counts as r/√g and k/g, suspect bars capped. */
export interface EstimationSeries {
  readonly returnStep: Float64Array;
  readonly rangeVarianceStep: Float64Array;
  /** The caps of suspect bars: 99.9 % quantiles of |r| and k per hour. */
  readonly returnCap: number;
  readonly rangeVarianceCap: number;
}

export function estimationSeries(bars: ConditionedBars): EstimationSeries {
  const returnStep = new Float64Array(bars.length);
  const rangeVarianceStep = new Float64Array(bars.length);
  for (let i = 0; i < bars.length; i++) {
    const gap = bars.gapHours[i]!;
    returnStep[i] = bars.logReturn[i]! / Math.sqrt(gap);
    rangeVarianceStep[i] = bars.rangeVariance[i]! / gap;
  }
  const returnCap = capOf(returnStep.map(Math.abs));
  const rangeVarianceCap = capOf(rangeVarianceStep);
  for (let i = 0; i < bars.length; i++) {
    if (bars.isSuspect[i] === 0) continue;
    returnStep[i] = clamp(returnStep[i]!, -returnCap, returnCap);
    rangeVarianceStep[i] = Math.min(rangeVarianceStep[i]!, rangeVarianceCap);
  }
  return { returnStep, rangeVarianceStep, returnCap, rangeVarianceCap };
}

/**
 * c = Σ min(r², q) / Σ min(k, q'), q and q' the 99.9 % quantiles: brings range variances to the scale of squared
 * returns, so that x = c·k averages like r² without one bar deciding it. NaN for a constant price.
 */
export function rangeScale(returnStep: Float64Array, rangeVarianceStep: Float64Array): number {
  return winsorisedSum(returnStep.map((r) => r * r)) / winsorisedSum(rangeVarianceStep);
}

/** Mean after capping at the 99.9 % quantile: the robust variance of a window. */
export function winsorisedMean(values: Float64Array): number {
  return winsorisedSum(values) / values.length;
}

function winsorisedSum(values: Float64Array): number {
  const cap = capOf(values);
  let sum = 0;
  for (const value of values) sum += Math.min(value, cap);
  return sum;
}

function capOf(values: Float64Array): number {
  return values.length === 0 ? 0 : upperQuantile(values, BAR_CONDITIONING.value.winsorQuantile);
}
