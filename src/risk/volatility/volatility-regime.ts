import { DAY_HOURS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";

export type VolatilityRegime = "low" | "normal" | "high";

/** Ranks in the trailing distribution of the daily forecast, and ratios to the long run while that is too short. */
export const VOLATILITY_REGIME: Calibrated<{
  readonly lowPercentile: number;
  readonly highPercentile: number;
  readonly hysteresisPercentile: number;
  readonly lowRatio: number;
  readonly highRatio: number;
  readonly hysteresisRatio: number;
  readonly historyHoursMin: number;
}> = {
  value: {
    lowPercentile: 0.25,
    highPercentile: 0.8,
    hysteresisPercentile: 0.05,
    lowRatio: 0.7,
    highRatio: 1.4,
    hysteresisRatio: 0.05,
    historyHoursMin: 30 * DAY_HOURS,
  },
  unit: "fraction of the trailing 180 d of hourly forecasts; ratio to the long-run sigma; hours",
  source: "chosen: quartile and quintile of an asset's own history, entered and left five points beyond them",
  fittedOn: "not fitted: a label, no number depends on it",
};

/** Hours of daily forecasts that the regime compares with. */
export const VOLATILITY_REGIME_WINDOW_HOURS = 180 * DAY_HOURS;

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
  const rule = VOLATILITY_REGIME.value;
  if (trailingSigma1d.length >= rule.historyHoursMin) {
    const rank = midRank(sigma1dAnnual, trailingSigma1d);
    return classify(rank, rule.lowPercentile, rule.highPercentile, rule.hysteresisPercentile, previous);
  }
  const ratio = sigma1dAnnual / longRunSigmaAnnual;
  return classify(ratio, rule.lowRatio, rule.highRatio, rule.hysteresisRatio, previous);
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
