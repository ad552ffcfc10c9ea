/** One hourly candle. Prices in USD per coin. */
export interface Bar {
  /** Start of the hour, UTC. */
  readonly openTimeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volumeBase: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_HOURS = 24;
export const DAY_MS = DAY_HOURS * HOUR_MS;
export const WEEK_HOURS = 7 * DAY_HOURS;

/**
 * Hourly bars of an asset that are fetched, kept and estimated on, at most: 4096 hours of residuals, the variance
 * recursion's run-in before them, and half a year for the regime's ranks.
 */
export const BARS_KEPT = 4_400;

/** Of the UTC hour that a moment lies in. */
export function hourStartMsOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

/** Whether a number is the time in ms at which an hour of ours begins. */
export function isHourStart(timeMs: number): boolean {
  return Number.isSafeInteger(timeMs) && timeMs >= 0 && timeMs % HOUR_MS === 0;
}
