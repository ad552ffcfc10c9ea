import type { Calibrated } from "../../domain/calibrated.ts";
import { quantileOfSorted } from "../../math/quantile.ts";
import { createRandom } from "../../math/random.ts";
import type { Interval } from "./wilson-interval.ts";

/** The daily breaches of all assets and both sides on one date. */
export interface DateCoverage {
  readonly timeMs: number;
  readonly observations: number;
  readonly breaches: number;
}

/** Breaches of all assets together. Coins breach on the same days, so what counts as a sample is dates, not coins. */
export interface PooledCoverage {
  readonly dates: number;
  readonly observations: number;
  readonly rate: number;
  /** 95 % of the rate, over weeks drawn with replacement. */
  readonly interval: Interval;
}

const POOLED_BOOTSTRAP: Calibrated<{
  readonly blockDates: number;
  readonly replicates: number;
  readonly datesMin: number;
  readonly seed: number;
}> = {
  value: { blockDates: 7, replicates: 1000, datesMin: 60, seed: 20_260_101 },
  unit: "dates drawn together; samples; dates below which nothing is said; of the draws, so that a record has one answer",
  source: "chosen: volatility, and with it breaches, hang together for days; a week holds most of it",
  fittedOn: "not fitted",
};

const TAIL = 0.025;

/**
 * The pooled breach rate with its interval by a circular block bootstrap over dates. Null where dates are few.
 *
 * Shapes:  one entry per date, ascending
 * Holds:   the rate is the whole record's and lies within [0, 1]; repeating every asset changes neither rate nor interval
 * Source:  Politis and Romano, A circular block-resampling procedure for stationary data (1992)
 */
export function pooledCoverage(days: readonly DateCoverage[]): PooledCoverage | null {
  const { blockDates, replicates, datesMin, seed } = POOLED_BOOTSTRAP.value;
  const dates = days.length;
  if (dates < datesMin) return null;
  const blocks = Math.ceil(dates / blockDates);
  const random = createRandom(seed);
  const rates = new Float64Array(replicates);
  for (let replicate = 0; replicate < replicates; replicate++) {
    let breaches = 0;
    let observations = 0;
    for (let block = 0; block < blocks; block++) {
      const start = Math.floor(random.uniform() * dates);
      for (let k = 0; k < blockDates; k++) {
        const day = days[(start + k) % dates]!;
        breaches += day.breaches;
        observations += day.observations;
      }
    }
    rates[replicate] = breaches / observations;
  }
  rates.sort();
  const observations = days.reduce((sum, day) => sum + day.observations, 0);
  return {
    dates,
    observations,
    rate: days.reduce((sum, day) => sum + day.breaches, 0) / observations,
    interval: { low: quantileOfSorted(rates, TAIL), high: quantileOfSorted(rates, 1 - TAIL) },
  };
}

/** Adds up what each asset's record says of each date. */
export function coverageByDate(records: readonly (readonly DateCoverage[])[]): readonly DateCoverage[] {
  const byDate = new Map<number, { timeMs: number; observations: number; breaches: number }>();
  for (const record of records) {
    for (const { timeMs, observations, breaches } of record) {
      const date = byDate.get(timeMs) ?? { timeMs, observations: 0, breaches: 0 };
      date.observations += observations;
      date.breaches += breaches;
      byDate.set(timeMs, date);
    }
  }
  return [...byDate.values()].sort((a, b) => a.timeMs - b.timeMs);
}
