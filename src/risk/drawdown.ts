import { HOUR_MS, type Bar } from "../domain/bar.ts";
import type { Calibrated } from "../domain/calibrated.ts";
import { gapHoursBetween, SUSPECT_LOG_RANGE } from "./volatility/conditioned-bars.ts";
import { HOURS_PER_YEAR } from "./volatility/term-structure.ts";

export const DRAWDOWN_CALIBRATION = {
  atrHours: {
    value: 14,
    unit: "hourly bars",
    source: "Wilder, New Concepts in Technical Trading Systems (1978)",
    fittedOn: "not fitted: a convention, chosen 2026-11",
  },
  calmarHoursMin: {
    value: 720,
    unit: "hours",
    source: "chosen: 30 days",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** Trailing stop in average true ranges of four hours. */
  trailingAtrs: {
    value: 3,
    unit: "multiple of ATR",
    source: "Wilder (1978): stop and reverse at about 3 ATR",
    fittedOn: "not fitted: chosen 2026-11",
  },
  noiseHours: {
    value: 4,
    unit: "hours",
    source: "chosen: noise horizon of a stop",
    fittedOn: "not fitted: chosen 2026-11",
  },
  stopLiquidationShare: {
    value: 0.7,
    unit: "fraction of the liquidation distance",
    source: "chosen: leaves 30 % for slippage through the stop",
    fittedOn: "not fitted: chosen 2026-11",
  },
  stopSigmas: {
    value: 1.5,
    unit: "multiple of 4-hour sigma",
    source: "chosen",
    fittedOn: "not fitted: chosen 2026-11",
  },
  stopHalfSpreads: {
    value: 3,
    unit: "multiple of half spread",
    source: "chosen",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

/** Running drawdown of closes and Wilder's average true range; fold it over bars, oldest first. */
export interface DrawdownState {
  readonly barCount: number;
  readonly firstClose: number;
  readonly lastClose: number;
  readonly firstTimeMs: number;
  /** Of the newest bar, with a trade or without. */
  readonly lastTimeMs: number;
  /** Of the newest bar with a trade. */
  readonly lastTradeTimeMs: number;
  readonly peakClose: number;
  readonly peakTimeMs: number;
  readonly maxFraction: number;
  readonly maxPeakClose: number;
  readonly maxTroughClose: number;
  /** Mean true range while warming up, Wilder's average after. */
  readonly atr: number;
}

/** The asset's own drawdown, on closes and the price of now: wicks are not wealth. */
export interface DrawdownFacts {
  readonly maxDrawdownFraction: number;
  readonly currentDrawdownFraction: number;
  /** Closes that bound the maximum drawdown. */
  readonly peakPrice: number;
  readonly troughPrice: number;
  /** Since the current peak; 0 at a new high. */
  readonly durationHours: number;
  /** Annualised log return / maximum drawdown; null below 30 days or without a drawdown. */
  readonly calmarRatio: number | null;
  /** 3 ATR over four hours of noise, as a fraction of the price of now. */
  readonly trailingStopFraction: number;
}

export const EMPTY_DRAWDOWN: DrawdownState = {
  barCount: 0,
  firstClose: 0,
  lastClose: 0,
  firstTimeMs: 0,
  lastTimeMs: 0,
  lastTradeTimeMs: 0,
  peakClose: 0,
  peakTimeMs: 0,
  maxFraction: 0,
  maxPeakClose: 0,
  maxTroughClose: 0,
  atr: 0,
};

/** One closed bar. One without volume is nothing before the first trade (back-fill), and after it an hour that passes. */
export function updateDrawdown(state: DrawdownState, bar: Bar): DrawdownState {
  if (!(bar.volumeBase > 0)) {
    return state.barCount === 0 ? state : withClose(state, state.lastClose, bar.openTimeMs, state);
  }
  return withClose(state, bar.close, bar.openTimeMs, {
    barCount: state.barCount + 1,
    lastTradeTimeMs: bar.openTimeMs,
    atr: averageRangeWith(state, bar),
  });
}

/** The average true range with the running hour, which counts once it is wider than the average: it only grows. */
export function averageRangeAt(state: DrawdownState, running: Bar): number {
  if (!(running.volumeBase > 0) || running.openTimeMs <= state.lastTimeMs) return state.atr;
  return Math.max(state.atr, averageRangeWith(state, running));
}

/** With the price of now as the close of the hour after the last: a fall does not wait for its end. */
export function drawdownAt(state: DrawdownState, price: number, atr: number): DrawdownState {
  return withClose(state, price, state.lastTimeMs + HOUR_MS, { ...state, atr });
}

/** Wilder's average with one bar more. */
function averageRangeWith(state: DrawdownState, bar: Bar): number {
  const isFirst = state.barCount === 0;
  const previous = isFirst ? bar.open : state.lastClose;
  const hours = isFirst ? 1 : gapHoursBetween(state.lastTradeTimeMs, bar.openTimeMs);
  const window = Math.min(state.barCount + 1, DRAWDOWN_CALIBRATION.atrHours.value);
  return state.atr + (trueRangeOf(bar, previous, hours) - state.atr) / window;
}

function withClose(
  state: DrawdownState,
  close: number,
  timeMs: number,
  { barCount, lastTradeTimeMs, atr }: Pick<DrawdownState, "barCount" | "lastTradeTimeMs" | "atr">,
): DrawdownState {
  const isFirst = state.barCount === 0;
  const isPeak = isFirst || close >= state.peakClose;
  const peakClose = isPeak ? close : state.peakClose;
  const fraction = 1 - close / peakClose;
  const isMax = isFirst || fraction > state.maxFraction;
  return {
    barCount,
    firstClose: isFirst ? close : state.firstClose,
    lastClose: close,
    firstTimeMs: isFirst ? timeMs : state.firstTimeMs,
    lastTimeMs: timeMs,
    lastTradeTimeMs,
    peakClose,
    peakTimeMs: isPeak ? timeMs : state.peakTimeMs,
    maxFraction: isMax ? fraction : state.maxFraction,
    maxPeakClose: isMax ? peakClose : state.maxPeakClose,
    maxTroughClose: isMax ? close : state.maxTroughClose,
    atr,
  };
}

/**
 * Per hour, of a move over the hours since the last trade. At most what the widest hour beyond suspicion shows of the close
 * that it is averaged for: a bad print would stay for days.
 */
function trueRangeOf(bar: Bar, previous: number, hours: number): number {
  const range = Math.max(bar.high, previous) - Math.min(bar.low, previous);
  return Math.min(range / Math.sqrt(hours), Math.expm1(SUSPECT_LOG_RANGE) * Math.min(bar.close, previous));
}

/** Null before the first bar. */
export function drawdownFactsOf(state: DrawdownState): DrawdownFacts | null {
  if (state.barCount === 0) return null;
  const { trailingAtrs, noiseHours } = DRAWDOWN_CALIBRATION;
  const atrFraction = state.atr / state.lastClose;
  return {
    maxDrawdownFraction: state.maxFraction,
    currentDrawdownFraction: 1 - state.lastClose / state.peakClose,
    peakPrice: state.maxPeakClose,
    troughPrice: state.maxTroughClose,
    durationHours: (state.lastTimeMs - state.peakTimeMs) / HOUR_MS,
    calmarRatio: calmarOf(state),
    trailingStopFraction: trailingAtrs.value * atrFraction * Math.sqrt(noiseHours.value),
  };
}

/**
 * min(0.7 x liquidation distance, max(1.5 x 4-hour sigma, 3 x half spread)): outside the noise, inside the liquidation.
 * Units: sigma as a fraction over four hours. Holds: below the liquidation distance, unless that is 0.
 */
export function suggestedStopFraction(
  liquidationDistanceFraction: number,
  sigma4hFraction: number,
  halfSpreadFraction: number,
): number {
  const { stopLiquidationShare, stopSigmas, stopHalfSpreads } = DRAWDOWN_CALIBRATION;
  const noise = Math.max(stopSigmas.value * sigma4hFraction, stopHalfSpreads.value * halfSpreadFraction);
  return Math.min(stopLiquidationShare.value * liquidationDistanceFraction, noise);
}

function calmarOf(state: DrawdownState): number | null {
  const hours = (state.lastTimeMs - state.firstTimeMs) / HOUR_MS;
  if (hours < DRAWDOWN_CALIBRATION.calmarHoursMin.value || state.maxFraction <= 0) return null;
  const annualLogReturn = (Math.log(state.lastClose / state.firstClose) * HOURS_PER_YEAR) / hours;
  return annualLogReturn / state.maxFraction;
}
