import { HOUR_MS } from "../../domain/bar.ts";
import { FULL_HISTORY_HOURS, shrunkVarianceStep } from "../scenarios/short-history.ts";
import type { ConditionedBars } from "./conditioned-bars.ts";
import { comingFactors, hourOfWeek, HOURS_PER_WEEK } from "./seasonality.ts";
import {
  annualisedSigma,
  fillExpectedVariance,
  interceptOf,
  seasonalCumulativeVariances,
  sigmaTermStructure,
  type SigmaTermStructure,
} from "./term-structure.ts";
import { persistenceOf, type VarianceRecursion } from "./variance-recursion.ts";
import type { VolatilityModel } from "./volatility-model.ts";
import type { FilteredVolatility, VolatilityState } from "./volatility-state.ts";

const DAY_HOURS = 24;

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
  /** Seasonal factors of the coming 168 hours. */
  readonly seasonalFactors: Float64Array;
  /** Expected variance accumulated over 1, 4, 24 and 168 h. */
  readonly cumulativeVariance: readonly [number, number, number, number];
  readonly sigmas: SigmaTermStructure;
}

/**
 * The forecast from a state: Σ f² E[h] over each horizon, averaged over the models as the scenarios mix them. A young
 * asset's variance is drawn toward its peers'. `varianceStep` is the state's h, or a nowcast of it that then scales all.
 */
export function forecastVolatility(
  model: VolatilityModel,
  state: VolatilityState,
  varianceStep: number = state.varianceStep,
): VolatilityForecast {
  const starts = varianceStarts(model, state, varianceStep);
  const seasonalFactors = comingFactors(model.seasonality, state.openTimeMs + HOUR_MS);
  const path = new Float64Array(HOURS_PER_WEEK);
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

function varianceStarts(
  model: VolatilityModel,
  state: VolatilityState,
  varianceStep: number,
): readonly VarianceStart[] {
  const isYoung = model.peer !== null && state.observations < FULL_HISTORY_HOURS.value;
  const primary = isYoung
    ? shrunkVarianceStep(state.observations, varianceStep, model.peer.varianceStep)
    : varianceStep;
  const starts: VarianceStart[] = [{ recursion: model.recursion, state: Float64Array.of(primary) }];
  if (model.second !== null && state.second !== null) {
    const scale = varianceStep / state.varianceStep;
    starts.push({ recursion: model.second, state: state.second.map((value) => value * scale) });
  }
  return starts;
}

/** Annualised one-day forecast of the primary recursion alone: the series that the volatility regime ranks. */
export function dailySigma(model: VolatilityModel, state: VolatilityState): number {
  const table = dailyVarianceTable(model);
  return dailySigmaAt(table, state.varianceStep, state.openTimeMs + HOUR_MS);
}

/** The same for every bar of a window, as it was forecast after that bar, oldest first. Shapes: one entry per bar. */
export function dailySigmaHistory(
  model: VolatilityModel,
  bars: ConditionedBars,
  filtered: FilteredVolatility,
): Float64Array {
  const table = dailyVarianceTable(model);
  const out = new Float64Array(bars.length);
  for (let t = 0; t < bars.length; t++) {
    const next = t + 1 < bars.length ? filtered.varianceStep[t + 1]! : filtered.state.varianceStep;
    out[t] = dailySigmaAt(table, next, bars.openTimeMs[t]! + HOUR_MS);
  }
  return out;
}

/** Σ_{k≤24} f² E[h_{t+k}] = slope·h + intercept, for each hour of the week at which the day may start. */
interface DailyVarianceTable {
  readonly slope: Float64Array;
  readonly intercept: Float64Array;
}

function dailyVarianceTable(model: VolatilityModel): DailyVarianceTable {
  const persistence = Math.min(1, persistenceOf(model.recursion));
  const omega = interceptOf(model.recursion);
  const { factors } = model.seasonality;
  const slope = new Float64Array(HOURS_PER_WEEK);
  const intercept = new Float64Array(HOURS_PER_WEEK);
  for (let start = 0; start < HOURS_PER_WEEK; start++) {
    let weight = 1;
    let constant = 0;
    for (let k = 0; k < DAY_HOURS; k++) {
      const factor = factors[(start + k) % HOURS_PER_WEEK]!;
      slope[start]! += factor * factor * weight;
      intercept[start]! += factor * factor * constant;
      weight *= persistence;
      constant = omega + persistence * constant;
    }
  }
  return { slope, intercept };
}

function dailySigmaAt(table: DailyVarianceTable, varianceStep: number, startMs: number): number {
  const hour = hourOfWeek(startMs);
  return annualisedSigma(table.slope[hour]! * varianceStep + table.intercept[hour]!, DAY_HOURS);
}
