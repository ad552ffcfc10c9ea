/** 90 days: how far back what is usual for an asset is looked for, and so how much of what was watched is kept. */
export const LEARNED_HOURS_MAX = 2_160;

/** What an hour of watching taught about an asset that no history can be fetched for. NaN where nothing was seen. */
export interface LearnedHour {
  readonly hourStartMs: number;
  /** Moments that the means are made of. */
  readonly samples: number;
  readonly spreadFraction: number;
  readonly depth100BpsUsd: number;
  /** Mean of −ln of the depth within 50 bps. */
  readonly thinness50Bps: number;
  /** Share of the open interest that went within an hour. */
  readonly openInterestFall: number;
  /** Size of the hourly funding rate. */
  readonly fundingSize: number;
  /** Largest seen within the hour. */
  readonly openInterestMaxUsd: number;
  /** Open interest when the asset was last listed at its cap, as known at the end of the hour. */
  readonly learnedCapUsd: number;
}
