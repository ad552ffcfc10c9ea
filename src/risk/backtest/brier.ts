import { invariant } from "../../math/invariant.ts";
import { equalWidthBins } from "./reliability.ts";

/**
 * Where a Brier score comes from. Holds: brier = reliability − resolution + uncertainty + withinBinVariance −
 * withinBinCovariance, to rounding.
 */
export interface MurphyDecomposition {
  /** Squared distance of forecasts from the rates observed; lower is better. */
  readonly reliability: number;
  /** How far the bins' rates lie from the base rate; higher is better. */
  readonly resolution: number;
  /** Of the outcomes themselves, ȳ(1−ȳ). */
  readonly uncertainty: number;
  readonly withinBinVariance: number;
  /** Twice the covariance of forecast and outcome inside the bins. */
  readonly withinBinCovariance: number;
}

/**
 * Mean squared error of probability forecasts, in [0, 1]; lower is better. Null of nothing.
 *
 * Shapes:  probabilities in [0, 1] and outcomes 0 or 1 of one length
 * Source:  Brier, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78 (1950)
 */
export function brierScore(probabilities: ArrayLike<number>, outcomes: ArrayLike<number>): number | null {
  const n = probabilities.length;
  invariant(outcomes.length === n, "a forecast for every outcome");
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (probabilities[i]! - outcomes[i]!) ** 2;
  return n === 0 ? null : sum / n;
}

/** Share of outcomes that happened; null of nothing. */
export function baseRate(outcomes: ArrayLike<number>): number | null {
  let sum = 0;
  for (let i = 0; i < outcomes.length; i++) sum += outcomes[i]!;
  return outcomes.length === 0 ? null : sum / outcomes.length;
}

/**
 * Splits the Brier score over equal-width bins, with the two within-bin terms that close the identity. Null of nothing.
 *
 * Source:  Murphy, A new vector partition of the probability score, J. Applied Meteorology 12 (1973); Stephenson,
 *          Coelho and Jolliffe, Two extra components in the Brier score decomposition, Weather and Forecasting 23 (2008)
 */
export function murphyDecomposition(
  probabilities: ArrayLike<number>,
  outcomes: ArrayLike<number>,
  bins: number,
): MurphyDecomposition | null {
  const rate = baseRate(outcomes);
  if (rate === null) return null;
  const n = probabilities.length;
  const binOf = equalWidthBins(probabilities, outcomes, bins);
  let reliability = 0;
  let resolution = 0;
  for (const bin of binOf.bins) {
    reliability += (bin.count * (bin.meanForecast - bin.observedRate) ** 2) / n;
    resolution += (bin.count * (bin.observedRate - rate) ** 2) / n;
  }
  let withinBinVariance = 0;
  let withinBinCovariance = 0;
  for (let i = 0; i < n; i++) {
    const bin = binOf.binOf(i);
    const forecast = probabilities[i]! - bin.meanForecast;
    withinBinVariance += (forecast * forecast) / n;
    withinBinCovariance += (2 * forecast * (outcomes[i]! - bin.observedRate)) / n;
  }
  return {
    reliability,
    resolution,
    uncertainty: rate * (1 - rate),
    withinBinVariance,
    withinBinCovariance,
  };
}
