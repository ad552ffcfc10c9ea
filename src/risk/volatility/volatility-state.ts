import type { Bar } from "../../domain/bar.ts";
import { clamp } from "../../math/clamp.ts";
import {
  barMove,
  gapHoursBetween,
  isUsableBar,
  type BarMove,
  type ConditionedBars,
  SUSPECT_LOG_RANGE,
  SUSPECT_RANGE_VARIANCE,
} from "./conditioned-bars.ts";
import { initialHexpState, updateHexp } from "./hexp.ts";
import { seasonalFactor } from "./seasonality.ts";
import { updateEwma } from "./ewma.ts";
import { updateGjrGarch } from "./gjr-garch.ts";
import { updateRangeGarch } from "./range-garch.ts";
import type { ScalarVarianceRecursion } from "./variance-recursion.ts";
import { type VolatilityModel, VARIANCE_STEP_MIN } from "./volatility-model.ts";

/** Where an asset's volatility stands after a bar. Replaced whole; everything in it can be stored and read back. */
export interface VolatilityState {
  readonly openTimeMs: number;
  readonly close: number;
  /** h of the coming hour, free of seasonality; what a spread makes of it is the forecast's. */
  readonly varianceStep: number;
  /** [h, E_1 … E_4] of the second model, null when there is none. */
  readonly second: Float64Array | null;
  /** Usable bars seen, the window's included. */
  readonly observations: number;
}

/** One bar as the recursions read it: r̃ and x̃, per hour and free of seasonality. */
export interface Observation {
  readonly returnStep: number;
  readonly rangeVariance: number;
}

/**
 * Deseasonalises one move: r/(√g f) and c·k/(g f²), each at most what the widest hour beyond suspicion shows, or the
 * model's cap if that is more. Holds: a wider move never counts less
 */
export function observationOf(
  model: VolatilityModel,
  move: Pick<BarMove, "logReturn" | "rangeVariance">,
  gapHours: number,
  openTimeMs: number,
): Observation {
  const factor = seasonalFactor(model.seasonality, openTimeMs);
  const returnMax = Math.max(model.returnCap, SUSPECT_LOG_RANGE);
  const returnStep = clamp(move.logReturn / Math.sqrt(gapHours), -returnMax, returnMax);
  const rangeMax = Math.max(model.rangeVarianceCap, SUSPECT_RANGE_VARIANCE);
  const range = Math.min(move.rangeVariance / gapHours, rangeMax);
  return { returnStep: returnStep / factor, rangeVariance: (model.rangeScale * range) / (factor * factor) };
}

/** The state before a window whose first previous close is `close`. */
export function initialVolatilityState(
  model: VolatilityModel,
  openTimeMs: number,
  close: number,
): VolatilityState {
  return {
    openTimeMs,
    close,
    varianceStep: Math.max(model.firstVarianceStep, VARIANCE_STEP_MIN),
    second: model.second === null ? null : initialHexpState(model.second, model.firstVarianceStep),
    observations: 0,
  };
}

/** State after a closed bar; a bar that says nothing (no trades, impossible, not later) leaves it as it was. */
export function updateVolatility(model: VolatilityModel, state: VolatilityState, bar: Bar): VolatilityState {
  if (!isUsableBar(bar) || bar.openTimeMs <= state.openTimeMs) return state;
  const gapHours = gapHoursBetween(state.openTimeMs, bar.openTimeMs);
  const seen = observationOf(model, barMove(bar, state.close), gapHours, bar.openTimeMs);
  const second = state.second === null ? null : state.second.slice();
  if (second !== null && model.second !== null) {
    updateHexp(model.second, second, seen.returnStep, seen.rangeVariance);
  }
  return {
    openTimeMs: bar.openTimeMs,
    close: bar.close,
    varianceStep: nextVariance(model, state.varianceStep, seen),
    second,
    observations: state.observations + 1,
  };
}

/**
 * Log return to a price of the hour that opens at `hourMs`, and of the hours without a trade before it, over the standard
 * deviation that the state behind them expects of them, at the hour's own seasonal factor.
 */
export function returnInSigmas(
  { seasonality }: Pick<VolatilityModel, "seasonality">,
  { openTimeMs, close, varianceStep }: Pick<VolatilityState, "openTimeMs" | "close" | "varianceStep">,
  price: number,
  hourMs: number,
): number {
  const sigma = Math.sqrt(gapHoursBetween(openTimeMs, hourMs) * varianceStep);
  return Math.log(price / close) / (sigma * seasonalFactor(seasonality, hourMs));
}

/**
 * The variances that were expected before each bar of a window, what the bars then did, and the state after the last.
 * Shapes: one entry per bar.
 */
export interface FilteredVolatility {
  /** h before the bar. */
  readonly varianceStep: Float64Array;
  readonly seasonalFactor: Float64Array;
  /** x̃ of the bar. */
  readonly rangeVarianceStep: Float64Array;
  /** The second model's state after each bar, row after row; null without one. */
  readonly secondStates: Float64Array | null;
  readonly state: VolatilityState;
}

/** Runs a model over conditioned bars in one pass; equal to updating bar by bar. Shapes: at least one bar. */
export function filterVolatility(model: VolatilityModel, bars: ConditionedBars): FilteredVolatility {
  const n = bars.length;
  const varianceStep = new Float64Array(n);
  const factors = new Float64Array(n);
  const rangeVarianceStep = new Float64Array(n);
  const start = initialVolatilityState(model, 0, 0);
  const second = start.second;
  const secondStates = second === null ? null : new Float64Array(n * second.length);
  let h = start.varianceStep;
  for (let t = 0; t < n; t++) {
    const openTimeMs = bars.openTimeMs[t]!;
    const move = { logReturn: bars.logReturn[t]!, rangeVariance: bars.rangeVariance[t]! };
    const seen = observationOf(model, move, bars.gapHours[t]!, openTimeMs);
    varianceStep[t] = h;
    factors[t] = seasonalFactor(model.seasonality, openTimeMs);
    rangeVarianceStep[t] = seen.rangeVariance;
    h = nextVariance(model, h, seen);
    if (second !== null && model.second !== null) {
      updateHexp(model.second, second, seen.returnStep, seen.rangeVariance);
      secondStates!.set(second, t * second.length);
    }
  }
  return {
    varianceStep,
    seasonalFactor: factors,
    rangeVarianceStep,
    secondStates,
    state: {
      openTimeMs: n === 0 ? 0 : bars.openTimeMs[n - 1]!,
      close: n === 0 ? 0 : bars.close[n - 1]!,
      varianceStep: h,
      second,
      observations: n,
    },
  };
}

/**
 * The state of the variances as the running hour already shows it: each model's step on the partial bar's news, which
 * counts for at least its elapsed share φ of that model's h; one that would fall by it stays. A crash inside the hour must
 * not wait for the close.
 *
 * Shapes:  `partial` opens in the hour after the state's; `elapsedFraction` in [0, 1]
 * Holds:   no h is less than it was nor, at φ = 1, than updateVolatility leaves it; at φ = 0 one that rises is as that leaves
 *          it
 */
export function nowcastState(
  model: VolatilityModel,
  state: VolatilityState,
  partial: Bar,
  elapsedFraction: number,
): VolatilityState {
  if (!isUsableBar(partial) || partial.openTimeMs <= state.openTimeMs) return state;
  const gapHours = gapHoursBetween(state.openTimeMs, partial.openTimeMs);
  const seen = observationOf(model, barMove(partial, state.close), gapHours, partial.openTimeMs);
  const news = newsOf(seen, elapsedFraction * state.varianceStep);
  const varianceStep = Math.max(state.varianceStep, nextVariance(model, state.varianceStep, news));
  let { second } = state;
  if (second !== null && model.second !== null) {
    const advanced = second.slice();
    const { returnStep, rangeVariance } = newsOf(seen, elapsedFraction * second[0]!);
    updateHexp(model.second, advanced, returnStep, rangeVariance);
    if (advanced[0]! > second[0]!) second = advanced;
  }
  return { ...state, varianceStep, second };
}

/** What a partial bar has shown, at least what was expected of it so far. */
function newsOf(seen: Observation, expectedVariance: number): Observation {
  const magnitude = Math.max(Math.abs(seen.returnStep), Math.sqrt(expectedVariance));
  return {
    returnStep: seen.returnStep < 0 ? -magnitude : magnitude,
    rangeVariance: Math.max(seen.rangeVariance, expectedVariance),
  };
}

function nextVariance(model: VolatilityModel, varianceStep: number, seen: Observation): number {
  return Math.max(recursionStep(model.filter, varianceStep, seen), VARIANCE_STEP_MIN);
}

function recursionStep(recursion: ScalarVarianceRecursion, varianceStep: number, seen: Observation): number {
  switch (recursion.kind) {
    case "range-garch":
      return updateRangeGarch(recursion, varianceStep, seen.returnStep, seen.rangeVariance);
    case "gjr-garch":
      return updateGjrGarch(recursion, varianceStep, seen.returnStep);
    case "ewma":
      return updateEwma(recursion, varianceStep, seen.returnStep);
  }
}
