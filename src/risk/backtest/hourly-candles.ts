import { type Bar, HOUR_MS } from "../../domain/bar.ts";
import type { RealisedReturn } from "../../domain/forecast-row.ts";
import { isUsableBar } from "../volatility/conditioned-bars.ts";

/** Hourly candles on the clock: what is read by hour number, the hour's start over 3 600 000 ms. */
export interface CandleSeries {
  readonly asset: string;
  readonly firstHour: number;
  /** One past the last. */
  readonly endHour: number;
  /** Undefined where the exchange has no usable bar. */
  readonly barAt: (hour: number) => Bar | undefined;
  /** NaN where there is none. */
  readonly closeAt: (hour: number) => number;
}

/** Bars as a series; unusable ones are left out. Null without a usable one. */
export function candleSeriesOf(asset: string, bars: readonly Bar[]): CandleSeries | null {
  const byHour = new Map<number, Bar>();
  let firstHour = Infinity;
  let endHour = -Infinity;
  for (const bar of bars) {
    if (!isUsableBar(bar)) continue;
    const hour = Math.floor(bar.openTimeMs / HOUR_MS);
    byHour.set(hour, bar);
    firstHour = Math.min(firstHour, hour);
    endHour = Math.max(endHour, hour + 1);
  }
  if (byHour.size === 0) return null;
  return {
    asset,
    firstHour,
    endHour,
    barAt: (hour) => byHour.get(hour),
    closeAt: (hour) => byHour.get(hour)?.close ?? Number.NaN,
  };
}

/** What happened after the close of an hour; null when the closing bar on either side is missing. */
export function outcomeAfter(
  series: CandleSeries,
  hour: number,
  horizonHours: number,
): RealisedReturn | null {
  const entry = series.closeAt(hour);
  const logReturn = Math.log(series.closeAt(hour + horizonHours) / entry);
  if (Number.isNaN(logReturn)) return null;
  let low = entry;
  let high = entry;
  for (let k = 1; k <= horizonHours; k++) {
    const bar = series.barAt(hour + k);
    if (bar === undefined) continue;
    low = Math.min(low, bar.low, bar.close);
    high = Math.max(high, bar.high, bar.close);
  }
  return { logReturn, logLow: Math.log(low / entry), logHigh: Math.log(high / entry) };
}

/** The last `count` log returns over `horizonHours`, `strideHours` apart, that end at or before an hour; oldest first. */
export function pastReturns(
  series: CandleSeries,
  hour: number,
  horizonHours: number,
  strideHours: number,
  count: number,
): Float64Array {
  const found: number[] = [];
  for (let k = count - 1; k >= 0; k--) {
    const end = hour - k * strideHours;
    const value = Math.log(series.closeAt(end) / series.closeAt(end - horizonHours));
    if (!Number.isNaN(value)) found.push(value);
  }
  return Float64Array.from(found);
}
