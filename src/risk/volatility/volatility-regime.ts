import { DAY_HOURS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import { rankSeries } from "../../math/ranks.ts";

export type VolatilityRegime = "low" | "normal" | "high";

/** Ranks in the trailing distribution of the daily forecast, and ratios to the long run while that is too short. */
export const VOLATILITY_REGIME: Calibrated<{
  readonly lowPercentile: number;
  readonly highPercentile: number;
  readonly hysteresisPercentile: number;
  readonly lowRatio: number;
  readonly highRatio: number;
  readonly hysteresisRatio: number;
  readonly windowHours: number;
  readonly historyHoursMin: number;
}> = {
  value: {
    lowPercentile: 0.25,
    highPercentile: 0.8,
    hysteresisPercentile: 0.05,
    lowRatio: 0.7,
    highRatio: 1.4,
    hysteresisRatio: 0.05,
    windowHours: 180 * DAY_HOURS,
    historyHoursMin: 30 * DAY_HOURS,
  },
  unit: "fraction of the trailing hourly forecasts; ratio to the long-run sigma; hours",
  source: "chosen: quartile and quintile of an asset's own history, entered and left five points beyond them",
  fittedOn: "not fitted: a label, no number depends on it, chosen 2026-11",
};

/** Hours of daily forecasts that the regime compares with. */
export const VOLATILITY_REGIME_WINDOW_HOURS = VOLATILITY_REGIME.value.windowHours;

/**
 * The volatility regime of an asset against its own history, with hysteresis: low and high are entered and left five
 * points beyond their threshold. Percentile of `sigma1dAnnual` in `trailingSigma1d` (any order); with
 * less than 30 days of it, the ratio to the long-run sigma instead. `previous` null means no state yet: no hysteresis.
 */
export function volatilityRegime(
  sigma1dAnnual: number,
  longRunSigmaAnnual: number,
  trailingSigma1d: Float64Array,
  previous: VolatilityRegime | null,
): VolatilityRegime {
  return isRanked(trailingSigma1d)
    ? regimeOfRank(midRank(sigma1dAnnual, trailingSigma1d), previous)
    : regimeOfRatio(sigma1dAnnual / longRunSigmaAnnual, previous);
}

/**
 * The regime that a history of forecasts leaves an asset in, each ranked among all of them: what was entered and not left
 * since is known at a start as it is to who watched. Null without any. Shapes: oldest first.
 */
export function volatilityRegimeAfter(
  trailingSigma1d: Float64Array,
  longRunSigmaAnnual: number,
): VolatilityRegime | null {
  const { ranks } = rankSeries(trailingSigma1d);
  let regime: VolatilityRegime | null = null;
  for (let t = 0; t < trailingSigma1d.length; t++) {
    regime = isRanked(trailingSigma1d)
      ? regimeOfRank((ranks[t]! + 1) / (2 * ranks.length), regime)
      : regimeOfRatio(trailingSigma1d[t]! / longRunSigmaAnnual, regime);
  }
  return regime;
}

function isRanked({ length }: Float64Array): boolean {
  return length >= VOLATILITY_REGIME.value.historyHoursMin;
}

function regimeOfRank(rank: number, previous: VolatilityRegime | null): VolatilityRegime {
  const { lowPercentile, highPercentile, hysteresisPercentile } = VOLATILITY_REGIME.value;
  return classify(rank, lowPercentile, highPercentile, hysteresisPercentile, previous);
}

function regimeOfRatio(ratio: number, previous: VolatilityRegime | null): VolatilityRegime {
  const { lowRatio, highRatio, hysteresisRatio } = VOLATILITY_REGIME.value;
  return classify(ratio, lowRatio, highRatio, hysteresisRatio, previous);
}

function classify(
  level: number,
  low: number,
  high: number,
  hysteresis: number,
  previous: VolatilityRegime | null,
): VolatilityRegime {
  const lowAt = previous === null ? low : previous === "low" ? low + hysteresis : low - hysteresis;
  const highAt = previous === null ? high : previous === "high" ? high - hysteresis : high + hysteresis;
  if (level < lowAt) return "low";
  return level > highAt ? "high" : "normal";
}

/** Share of the sample below the value, ties counted half: a constant history ranks at ½. */
function midRank(value: number, sample: Float64Array): number {
  let below = 0;
  let equal = 0;
  for (const other of sample) {
    if (other < value) below++;
    else if (other === value) equal++;
  }
  return (below + equal / 2) / sample.length;
}
