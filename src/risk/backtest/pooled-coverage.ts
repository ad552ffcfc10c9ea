import type { Calibrated } from "../../domain/calibrated.ts";
import { betaQuantile } from "../../math/incomplete-beta.ts";
import { normalQuantile } from "../../math/normal.ts";
import { studentTQuantile } from "../../math/student-t.ts";
import type { Interval } from "./wilson-interval.ts";

/** The daily breaches of all assets and both sides on one date. */
export interface DateCoverage {
  readonly timeMs: number;
  readonly observations: number;
  readonly breaches95: number;
  readonly breaches99: number;
}

/** Breaches of the 99 % VaR of all assets together. Coins breach on the same days: a sample is dates, not coins. */
export interface PooledCoverage {
  readonly dates: number;
  readonly observations: number;
  readonly rate: number;
  /** 95 % of the rate. */
  readonly interval: Interval;
}

const POOLED_INTERVAL: Calibrated<{ readonly blockDates: number; readonly datesMin: number }> = {
  value: { blockDates: 7, datesMin: 60 },
  unit: "dates whose breaches are added up before their variance is taken; dates below which nothing is said",
  source: "chosen: volatility, and with it breaches, hang together for days; a week holds most of it",
  fittedOn: "not fitted: chosen 2026-11",
};

const UPPER = 0.975;

/**
 * The pooled breach rate with the exact binomial interval of as many independent forecasts as the dates are worth:
 *
 *   n* = n / deff · (z / t)²,  deff = Var(p̂) / (p̂ (1−p̂) / n) >= 1,  t of dates/7 − 1 degrees of freedom
 *
 * The variance is of sums over weeks. Breaches at 99 % are too few to show how they come together (a quiet record has
 * no variance at all), so deff is the larger one of theirs and those at 95 %. Null where dates are few.
 *
 * Shapes:  one entry per date, ascending
 * Holds:   low <= rate <= high within [0, 1]; breaches that come together only widen it; an asset that repeats another
 *          adds nothing, unless breaches came more evenly than by chance (deff < 1 counts as 1)
 * Source:  Korn and Graubard, Confidence intervals for proportions with small expected number of positive counts
 *          estimated from survey data, Survey Methodology 24 (1998); variance over blocks: Künsch, The jackknife and the
 *          bootstrap for general stationary observations, Annals of Statistics 17 (1989)
 */
export function pooledCoverage(days: readonly DateCoverage[]): PooledCoverage | null {
  const { blockDates, datesMin } = POOLED_INTERVAL.value;
  const dates = days.length;
  if (dates < datesMin) return null;
  const counts = days.map(({ observations }) => observations);
  const breaches99 = days.map((day) => day.breaches99);
  const breaches95 = days.map((day) => day.breaches95);
  const observations = sumOf(counts);
  const rate = sumOf(breaches99) / observations;
  // Without any breach the forecasts of a date count as one.
  const effect = Math.max(
    1,
    designEffect(breaches99, counts) ?? 0,
    designEffect(breaches95, counts) ?? observations / dates,
  );
  const freedom = dates / blockDates - 1;
  const worth = (observations / effect) * (normalQuantile(UPPER) / studentTQuantile(UPPER, freedom)) ** 2;
  return { dates, observations, rate, interval: exactInterval(rate * worth, worth) };
}

/** Variance of the pooled rate over that of as many independent forecasts. Null where all or none were breached. */
function designEffect(breaches: readonly number[], counts: readonly number[]): number | null {
  const { blockDates } = POOLED_INTERVAL.value;
  const dates = counts.length;
  const observations = sumOf(counts);
  const rate = sumOf(breaches) / observations;
  if (rate === 0 || rate === 1) return null;
  const excess = breaches.map((count, i) => count - rate * counts[i]!);
  let squares = 0;
  for (let start = 0; start < dates; start++) {
    let block = 0;
    for (let k = 0; k < blockDates; k++) block += excess[(start + k) % dates]!;
    squares += block * block;
  }
  // The excesses add up to nothing, so that a block of them varies by less than one of dates to come.
  const variance = squares / blockDates / (1 - blockDates / dates);
  return variance / (observations * rate * (1 - rate));
}

/** Clopper and Pearson's interval, of counts that need not be whole. */
function exactInterval(events: number, observations: number): Interval {
  const calm = observations - events;
  return {
    low: events === 0 ? 0 : betaQuantile(1 - UPPER, events, calm + 1),
    high: calm === 0 ? 1 : betaQuantile(UPPER, events + 1, calm),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Adds up what each asset's record says of each date. */
export function coverageByDate(records: readonly (readonly DateCoverage[])[]): readonly DateCoverage[] {
  const byDate = new Map<number, { -readonly [Field in keyof DateCoverage]: DateCoverage[Field] }>();
  for (const day of records.flat()) {
    const sum = byDate.get(day.timeMs);
    if (sum === undefined) {
      byDate.set(day.timeMs, { ...day });
      continue;
    }
    sum.observations += day.observations;
    sum.breaches95 += day.breaches95;
    sum.breaches99 += day.breaches99;
  }
  return [...byDate.values()].sort((a, b) => a.timeMs - b.timeMs);
}
