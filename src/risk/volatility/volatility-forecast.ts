import { DAY_HOURS, HOUR_MS, WEEK_HOURS } from "../../domain/bar.ts";
import { FULL_HISTORY_HOURS, shrunkVarianceStep } from "../scenarios/short-history.ts";
import type { ConditionedBars } from "./conditioned-bars.ts";
import { comingFactors, hourOfWeek, type Seasonality } from "./seasonality.ts";
import {
  annualisedSigma,
  fillExpectedVariance,
  seasonalCumulativeVariances,
  sigmaTermStructure,
  type SigmaTermStructure,
} from "./term-structure.ts";
import { varianceStateLength, type VarianceRecursion } from "./variance-recursion.ts";
import type { VolatilityModel } from "./volatility-model.ts";
import type { FilteredVolatility, VolatilityState } from "./volatility-state.ts";

/** A recursion and where it stands: what a path simulation starts from. */
export interface VarianceStart {
  readonly recursion: VarianceRecursion;
  /** [h] or [h, E_1 … E_K]. */
  readonly state: Float64Array;
}

/** What is expected of the coming week, from one state. */
export interface VolatilityForecast {
  /** The recursions that share the scenarios, with their starts. */
  readonly starts: readonly VarianceStart[];
  /** Seasonal factors of the 168 hours from the instant of the forecast on. */
  readonly seasonalFactors: Float64Array;
  /** Expected variance accumulated over 1, 4, 24 and 168 h. */
  readonly cumulativeVariance: readonly [number, number, number, number];
  readonly sigmas: SigmaTermStructure;
}

/**
 * The forecast from a state: Σ f² E[h] over each horizon, averaged over the models as the scenarios mix them. A young
 * asset's variance is drawn toward its peers', and no recursion begins below the model's floor. The horizons begin at
 * `fromMs`, so that within an hour of the clock the factors of it and the next are mixed as they share the hour to come;
 * as it is left out, when the state's bar closed.
 */
export function forecastVolatility(
  model: VolatilityModel,
  state: VolatilityState,
  fromMs: number = state.openTimeMs + HOUR_MS,
): VolatilityForecast {
  const starts = varianceStarts(model, state);
  const seasonalFactors = comingFactors(model.seasonality, fromMs);
  const path = new Float64Array(WEEK_HOURS);
  const total: [number, number, number, number] = [0, 0, 0, 0];
  for (const start of starts) {
    fillExpectedVariance(start.recursion, start.state, path);
    const cumulative = seasonalCumulativeVariances(path, seasonalFactors);
    cumulative.forEach((value, i) => (total[i]! += value / starts.length));
  }
  return {
    starts,
    seasonalFactors,
    cumulativeVariance: total,
    sigmas: sigmaTermStructure(total, model.longRunVarianceStep),
  };
}

function varianceStarts(model: VolatilityModel, state: VolatilityState): readonly VarianceStart[] {
  const { varianceStep, second } = state;
  const isYoung = model.peer !== null && state.observations < FULL_HISTORY_HOURS.value;
  const primary = isYoung
    ? shrunkVarianceStep(state.observations, varianceStep, model.peer.varianceStep)
    : varianceStep;
  const { varianceFloorStep } = model;
  const starts: VarianceStart[] = [
    { recursion: model.recursion, state: flooredState(Float64Array.of(primary), varianceFloorStep) },
  ];
  if (model.second !== null && second !== null) {
    starts.push({ recursion: model.second, state: flooredState(second, varianceFloorStep) });
  }
  return starts;
}

/** The state with an h of at least the floor; itself where it has it. */
function flooredState(state: Float64Array, varianceFloorStep: number): Float64Array {
  return state[0]! < varianceFloorStep ? Float64Array.of(varianceFloorStep, ...state.subarray(1)) : state;
}

/** Annualised one-day forecast: the series that the volatility regime ranks. */
export function dailySigma(model: VolatilityModel, state: VolatilityState): number {
  return forecastVolatility(model, state).sigmas.sigma1dAnnual;
}

/** The same for every bar of a window, as it was forecast after that bar, oldest first. Shapes: one entry per bar. */
export function dailySigmaHistory(
  model: VolatilityModel,
  bars: ConditionedBars,
  filtered: FilteredVolatility,
): Float64Array {
  const primary = dailyVarianceTable(model.recursion, model.seasonality);
  const second = model.second === null ? null : dailyVarianceTable(model.second, model.seasonality);
  const { varianceStep, secondStates, state } = filtered;
  const out = new Float64Array(bars.length);
  for (let t = 0; t < bars.length; t++) {
    const hour = hourOfWeek(bars.openTimeMs[t]! + HOUR_MS);
    const next = t + 1 < bars.length ? varianceStep[t + 1]! : state.varianceStep;
    let variance = primary.intercept[hour]! + primary.slope[hour]! * Math.max(next, model.varianceFloorStep);
    if (second !== null && secondStates !== null) {
      const n = second.stateLength;
      const start = flooredState(secondStates.subarray(t * n, (t + 1) * n), model.varianceFloorStep);
      let other = second.intercept[hour]!;
      for (let i = 0; i < n; i++) other += second.slope[hour * n + i]! * start[i]!;
      variance = (variance + other) / 2;
    }
    out[t] = annualisedSigma(variance, DAY_HOURS);
  }
  return out;
}

/**
 * Σ_{k≤24} f² E[h_{t+k}] = intercept + slope · state for each hour of the week at which the day may start: expectations
 * are affine in the state, so one row serves every bar. Shapes: slope holds 168 rows of `stateLength`.
 */
interface DailyVarianceTable {
  readonly stateLength: number;
  readonly intercept: Float64Array;
  readonly slope: Float64Array;
}

function dailyVarianceTable(recursion: VarianceRecursion, seasonality: Seasonality): DailyVarianceTable {
  const stateLength = varianceStateLength(recursion);
  const base = new Float64Array(DAY_HOURS);
  fillExpectedVariance(recursion, new Float64Array(stateLength), base);
  const responses = Array.from({ length: stateLength }, (_, i) => {
    const unit = new Float64Array(stateLength);
    unit[i] = 1;
    const path = new Float64Array(DAY_HOURS);
    fillExpectedVariance(recursion, unit, path);
    return path.map((value, k) => value - base[k]!);
  });
  const intercept = new Float64Array(WEEK_HOURS);
  const slope = new Float64Array(WEEK_HOURS * stateLength);
  for (let start = 0; start < WEEK_HOURS; start++) {
    for (let k = 0; k < DAY_HOURS; k++) {
      const square = seasonality.factors[(start + k) % WEEK_HOURS]! ** 2;
      intercept[start]! += square * base[k]!;
      for (let i = 0; i < stateLength; i++) slope[start * stateLength + i]! += square * responses[i]![k]!;
    }
  }
  return { stateLength, intercept, slope };
}
