import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";
import { FITTED } from "../calibration/fitted-values.ts";
import { PARKINSON } from "../volatility/conditioned-bars.ts";

/** Hours of history that scenarios are drawn from, and the number of joint scenarios: each hour is used once a step. */
export const POOL_WINDOW_HOURS: Calibrated = {
  value: 4096,
  unit: "hours",
  source: "chosen: half a year; shorter adapts sooner, but leaves the 99 % tail few hours",
  fittedOn:
    "not fitted: chosen 2026-11; windows of 90 and 365 days gave models of the same rank on three coins",
};

export const RESIDUAL_MAX: Calibrated = FITTED.residualMax;

export const EXCURSION_MAX: Calibrated = FITTED.excursionMax;

/** Numbers per hour in a pool: z, z_low, z_high and the range ratio xi, in this order. */
export const TUPLE_LENGTH = 4;

/**
 * One asset's bars over the common window, each hour at its place in it, the same for every asset and every draw.
 *
 * Shapes:  all arrays of the window's length; entries of absent hours are ignored, except that a return after a gap tells
 *          assets apart of which no hour is present
 * Units:   logLow <= 0 <= logHigh are the bar's extremes against the previous close; variances per hour, free of
 *          seasonality; seasonalFactor is the f of that hour
 */
export interface AssetHistory {
  /** 1 where the hour has a usable bar. */
  readonly isPresent: Uint8Array;
  readonly logReturn: Float64Array;
  readonly logLow: Float64Array;
  readonly logHigh: Float64Array;
  /** Scaled Parkinson variance over f². */
  readonly rangeVarianceStep: Float64Array;
  /** The model's variance for the hour, made before it. */
  readonly varianceStep: Float64Array;
  readonly seasonalFactor: Float64Array;
}

/**
 * What an hour did, in units of what was expected of it: z = r/(f√h) less its mean, z_low, z_high and ξ = x/h.
 *
 * Shapes:  tuples holds window × (z, low, high, xi)
 * Holds:   finite everywhere; low <= min(z, 0), high >= max(z, 0), xi >= 0
 */
export interface ResidualPool {
  readonly windowHours: number;
  readonly tuples: Float64Array;
}

/** An asset's residuals where it has bars; absent hours hold NaN until they are borrowed. */
export interface OwnResiduals extends ResidualPool {
  readonly hours: number;
  /** ξ per squared range of z over 4 ln 2, so that a borrowed range has a ξ of the same scale. */
  readonly rangeScale: number;
}

/**
 * Standardises an asset's own hours. z is centred (drift is noise at these horizons) but not rescaled: z and ξ must
 * keep their joint scale. Extremes beyond the caps are cut, and ξ with them.
 *
 * Shapes:  tuples, where they are written, holds window × (z, low, high, xi)
 */
export function ownResiduals(
  history: AssetHistory,
  tuples: Float64Array = new Float64Array(history.isPresent.length * TUPLE_LENGTH),
): OwnResiduals {
  const windowHours = history.isPresent.length;
  tuples.fill(Number.NaN);
  let hours = 0;
  let sum = 0;
  let ratioSum = 0;
  let rangeSum = 0;
  for (let hour = 0; hour < windowHours; hour++) {
    if (history.isPresent[hour] === 0) continue;
    const sigma = Math.sqrt(history.varianceStep[hour]!) * history.seasonalFactor[hour]!;
    invariant(sigma > 0 && Number.isFinite(sigma), "a present hour has a positive expected variance");
    const z = clamp(history.logReturn[hour]! / sigma, -RESIDUAL_MAX.value, RESIDUAL_MAX.value);
    const rawLow = history.logLow[hour]! / sigma;
    const rawHigh = history.logHigh[hour]! / sigma;
    const low = Math.max(rawLow, -EXCURSION_MAX.value);
    const high = Math.min(rawHigh, EXCURSION_MAX.value);
    const rawRange = rawHigh - rawLow;
    const kept = rawRange > 0 ? ((high - low) / rawRange) ** 2 : 1;
    const rangeRatio = (kept * history.rangeVarianceStep[hour]!) / history.varianceStep[hour]!;
    invariant(Number.isFinite(z) && rangeRatio >= 0, "a present hour has finite residuals");
    setTuple(tuples, hour, z, low, high, rangeRatio);
    hours++;
    sum += z;
    ratioSum += rangeRatio;
    rangeSum += (high - low) ** 2 / PARKINSON;
  }
  const mean = hours === 0 ? 0 : sum / hours;
  for (let hour = 0; hour < windowHours; hour++) {
    if (history.isPresent[hour] === 0) continue;
    const at = hour * TUPLE_LENGTH;
    setTuple(tuples, hour, tuples[at]! - mean, tuples[at + 1]!, tuples[at + 2]!, tuples[at + 3]!);
  }
  return { windowHours, tuples, hours, rangeScale: rangeSum > 0 ? ratioSum / rangeSum : 1 };
}

/** Writes one hour, widening its extremes to contain the close. */
export function setTuple(
  tuples: Float64Array,
  hour: number,
  z: number,
  low: number,
  high: number,
  rangeRatio: number,
): void {
  const at = hour * TUPLE_LENGTH;
  tuples[at] = z;
  tuples[at + 1] = Math.min(low, z, 0);
  tuples[at + 2] = Math.max(high, z, 0);
  tuples[at + 3] = rangeRatio;
}

/** The range ratio that a range of standardised prices stands for. */
export function rangeRatioOf(range: number, rangeScale: number): number {
  return (rangeScale * range * range) / PARKINSON;
}
