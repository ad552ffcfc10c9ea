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

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Of the UTC hour that a moment lies in. */
export function hourStartMsOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}
