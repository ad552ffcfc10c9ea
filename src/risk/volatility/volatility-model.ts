import { BARS_KEPT } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { Seasonality } from "./seasonality.ts";
import type { HexpRecursion, ScalarVarianceRecursion } from "./variance-recursion.ts";

/** The rungs of the model ladder, best first. */
export type VolatilityModelKind = "range-garch" | "gjr-garch" | "ewma" | "pooled";

export type VolatilityWarning =
  /** Under 720 usable hours, or over 5 % of the hours without a bar. */
  | "limited_history"
  /** Highs and lows do not fit the returns; ranges are not used. */
  | "unreliable_ranges"
  /** The price hardly moves on its grid; nothing was fitted. */
  | "flat_prices";

export const VOLATILITY_LADDER: Calibrated<{
  readonly windowHours: number;
  readonly fitHoursMin: number;
  readonly ewmaHoursMin: number;
  readonly secondModelHoursMin: number;
  readonly unpooledHoursMin: number;
  readonly peersMin: number;
  readonly missingFractionMax: number;
  readonly flatFractionMax: number;
  readonly repairedFractionMax: number;
  readonly meanVarianceMin: number;
  readonly sigmaHourMin: number;
  readonly rangeScaleMin: number;
  readonly rangeScaleMax: number;
}> = {
  value: {
    windowHours: BARS_KEPT,
    fitHoursMin: 500,
    ewmaHoursMin: 48,
    secondModelHoursMin: 720,
    unpooledHoursMin: 24,
    peersMin: 5,
    missingFractionMax: 0.05,
    flatFractionMax: 0.2,
    repairedFractionMax: 0.05,
    meanVarianceMin: 1e-10,
    sigmaHourMin: 1e-4,
    rangeScaleMin: 0.7,
    rangeScaleMax: 1.5,
  },
  unit: "hours; models of grown assets; fraction of bars; variance and deviation per hour; ratio of squared returns to Parkinson variances",
  source:
    "survey of 183 Hyperliquid perpetuals: range scale 0.91–1.15 (5–95 %), three coins with over 20 % flat bars; the second model from 30 days on, where an asset is first judged",
  fittedOn:
    "limits chosen 2026-11 outside the survey's range; 720 hours against 2000 for the second model on the first months of five Binance listings, 757 coin-days, not on the exchange's coins",
};

/** Least variance of an hour that is believed of any price. */
export const VARIANCE_STEP_MIN = VOLATILITY_LADDER.value.sigmaHourMin ** 2;

/** Variance of comparable assets, per hour and free of seasonality, for assets too young to have their own. */
export interface PeerVariance {
  readonly varianceStep: number;
}

/** Everything fitted of one asset. Plain data and typed arrays: crosses a worker boundary as it is. */
export interface VolatilityModel {
  readonly kind: VolatilityModelKind;
  /** As it was fitted: what steps h from bar to bar, at the level that the returns of the window have. */
  readonly filter: ScalarVarianceRecursion;
  /** The same inside the guards and anchored: what is expected, and drawn, from h on. */
  readonly recursion: ScalarVarianceRecursion;
  /** A second opinion that shares the scenarios; null on short histories. */
  readonly second: HexpRecursion | null;
  readonly seasonality: Seasonality;
  /** c with x = c·k. */
  readonly rangeScale: number;
  /** h before the first bar of the window. */
  readonly firstVarianceStep: number;
  /** Robust variance of the window, per hour and free of seasonality. */
  readonly windowVarianceStep: number;
  /** Where forecasts revert to; the published long run. */
  readonly longRunVarianceStep: number;
  /**
   * Least variance that is forecast of an hour: a fill crosses half the spread whatever the price does. The past is not
   * measured by it: its moves would count as small, and so would those that are drawn from them.
   */
  readonly varianceFloorStep: number;
  readonly peer: PeerVariance | null;
  /** Caps of |r| and k per hour of suspect bars in the fit; where more than e is usual, of every bar. */
  readonly returnCap: number;
  readonly rangeVarianceCap: number;
  readonly observations: number;
  readonly warnings: readonly VolatilityWarning[];
}

/** ln(sigma / long-run sigma) of a step of variance h: what is unusual for an asset is measured on it. */
export function logSigmaRatioOf(
  { longRunVarianceStep }: Pick<VolatilityModel, "longRunVarianceStep">,
  varianceStep: number,
): number {
  return Math.log(varianceStep / longRunVarianceStep) / 2;
}

/** What every rung's model takes over from the window that it was fitted on. */
export type FittedWindow = Pick<
  VolatilityModel,
  | "seasonality"
  | "rangeScale"
  | "varianceFloorStep"
  | "peer"
  | "returnCap"
  | "rangeVarianceCap"
  | "observations"
>;

/** A rung's own part. */
export interface FittedRung extends Omit<VolatilityModel, keyof FittedWindow> {
  /** What the window's range scale is divided by. */
  readonly newsRatio: number;
}

/** One literal for every rung: models are read bar by bar, so they have one hidden class, which a spread would not give. */
export function modelOf(window: FittedWindow, rung: FittedRung): VolatilityModel {
  return {
    kind: rung.kind,
    filter: rung.filter,
    recursion: rung.recursion,
    second: rung.second,
    seasonality: window.seasonality,
    rangeScale: window.rangeScale / rung.newsRatio,
    firstVarianceStep: rung.firstVarianceStep,
    windowVarianceStep: rung.windowVarianceStep,
    longRunVarianceStep: rung.longRunVarianceStep,
    varianceFloorStep: window.varianceFloorStep,
    peer: window.peer,
    returnCap: window.returnCap,
    rangeVarianceCap: window.rangeVarianceCap,
    observations: window.observations,
    warnings: rung.warnings,
  };
}
