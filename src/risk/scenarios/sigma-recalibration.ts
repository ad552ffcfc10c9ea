import type { Calibrated } from "../../domain/calibrated.ts";
import type { RealisedReturn, SigmaMultipliers, TailNumbers } from "../../domain/forecast-row.ts";
import { clamp } from "../../math/clamp.ts";

export const SIGMA_RECALIBRATION: Calibrated<{
  readonly stepPerDay: number;
  readonly multiplierMin: number;
  readonly multiplierMax: number;
}> = {
  value: { stepPerDay: 0.02, multiplierMin: 0.8, multiplierMax: 1.5 },
  unit: "change of ln(multiplier) per daily forecast and unit of (breach − tail probability); bounds as ratios of sigma",
  source:
    "Gibbs and Candès, Adaptive conformal inference under distribution shift (2021), on the log scale; bounds chosen",
  fittedOn:
    "chosen 2026-11 on nine coins, 24 h forecasts: breach rates across coins 0.66-1.45 % became 0.81-1.30 % of 1 %; steps of 0.1 and more lose by whipsaw",
};

export const RECALIBRATED_HOURS: Calibrated<{ readonly first: number; readonly last: number }> = {
  value: { first: 5, last: 24 },
  unit: "hours of a path, of which the coming one is the first",
  source:
    "chosen: breaches over 24 h are evidence of the day, not of the hour, the four hours or the week, which it holds or is a part of",
  fittedOn:
    "chosen 2026-11 on seven Binance coins before 2022: multiplied in every hour, Kupiec over 1 h passed for 7 and 12 of 14 series instead of 13 and 13, and the joint loss over 7 d was larger by 0.008 and 0.025",
};

export const UNCORRECTED: SigmaMultipliers = { long95: 1, long99: 1, short95: 1, short99: 1 };

/** A 24-hour forecast with what happened. */
interface DayOutcome {
  readonly long: TailNumbers;
  readonly short: TailNumbers;
  readonly outcome: RealisedReturn;
}

/**
 * The multipliers after one more day: each rises with a breach of its VaR and sinks a little without one, so that it
 * rests where breaches are as frequent as they should be.
 *
 *   m ← clamp(m exp(η (breach − p)), 0.8, 1.5)
 */
export function updateMultipliers(multipliers: SigmaMultipliers, day: DayOutcome): SigmaMultipliers {
  const { logReturn } = day.outcome;
  const longLoss = -Math.expm1(logReturn);
  const shortLoss = Math.expm1(logReturn);
  return {
    long95: updated(multipliers.long95, longLoss > day.long.var95, 0.05),
    long99: updated(multipliers.long99, longLoss > day.long.var99, 0.01),
    short95: updated(multipliers.short95, shortLoss > day.short.var95, 0.05),
    short99: updated(multipliers.short99, shortLoss > day.short.var99, 0.01),
  };
}

/** What the day's sigma is multiplied by: the geometric mean of the four. */
export function sigmaMultiplierOf(multipliers: SigmaMultipliers): number {
  return geometricMean(Object.values(multipliers) as number[]);
}

/** What a young asset, without a record of its own, takes over: the geometric mean of the others; 1 without any. */
export function marketMultiplierOf(multipliers: readonly number[]): number {
  return geometricMean(multipliers);
}

/**
 * The sigma of each hour of a path, of which the hours that the lesson is for are multiplied by so much that the day's
 * variance is multiplied by the lesson's square: with b hours of 24 before them, by sqrt((24 m^2 - b) / (24 - b)).
 *
 * Shapes:  one factor an hour, the coming one first
 */
export function recalibratedFactors(factors: Float64Array, recalibration: number): Float64Array {
  const { first, last } = RECALIBRATED_HOURS.value;
  const before = first - 1;
  const taught = Math.sqrt((last * recalibration ** 2 - before) / (last - before));
  return factors.map((factor, step) => (step >= before && step < last ? factor * taught : factor));
}

function updated(multiplier: number, isBreached: boolean, tailProbability: number): number {
  const { stepPerDay, multiplierMin, multiplierMax } = SIGMA_RECALIBRATION.value;
  const moved = multiplier * Math.exp(stepPerDay * ((isBreached ? 1 : 0) - tailProbability));
  return clamp(moved, multiplierMin, multiplierMax);
}

function geometricMean(values: readonly number[]): number {
  if (values.length === 0) return 1;
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
