import { chiSquareSf } from "../../math/incomplete-gamma.ts";

/** Are the waiting times between breaches memoryless? */
export interface BreachDurationTest {
  /** Weibull shape: below 1 breaches attract one another, above 1 they keep apart, 1 is memoryless. */
  readonly shape: number;
  readonly likelihoodRatio: number;
  /** Chi-square with one degree of freedom. */
  readonly pValue: number;
}

/** Breaches at exactly equal distances have no finite shape; beyond these the test has long decided. */
const LOG_SHAPE_MAX = Math.log(50);
const BISECTIONS = 60;

interface Durations {
  readonly logs: Float64Array;
  readonly uncensored: number;
  readonly uncensoredLogSum: number;
}

/**
 * Fits a Weibull law to the durations between breaches, the first and last censored where the record does not begin or
 * end with a breach, and tests the exponential law, shape 1, against it. Sees slow clustering that the first-order test
 * misses. Null with fewer than two breaches.
 *
 *   l(b) = m ln(m / Σ D^b) + m ln b + (b−1) Σ ln D_uncensored − m, m complete durations
 *
 * Source:  Christoffersen and Pelletier, Backtesting value-at-risk: a duration-based approach, J. Financial
 *          Econometrics 2 (2004)
 */
export function breachDurationTest(breaches: Uint8Array): BreachDurationTest | null {
  const durations = durationsOf(breaches);
  if (durations.uncensored === 0) return null;
  // The slope of l falls in b from +∞, so its root is bracketed by halving on ln b.
  let low = -LOG_SHAPE_MAX;
  let high = LOG_SHAPE_MAX;
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2;
    if (slopeAt(Math.exp(middle), durations) > 0) low = middle;
    else high = middle;
  }
  const shape = Math.exp((low + high) / 2);
  const likelihoodRatio = Math.max(
    0,
    2 * (logLikelihoodAt(shape, durations) - logLikelihoodAt(1, durations)),
  );
  return { shape, likelihoodRatio, pValue: chiSquareSf(likelihoodRatio, 1) };
}

function durationsOf(breaches: Uint8Array): Durations {
  const all: number[] = [];
  let uncensored = 0;
  let uncensoredLogSum = 0;
  let last = -1;
  for (let t = 0; t < breaches.length; t++) {
    if (breaches[t] === 0) continue;
    const duration = last < 0 ? t + 1 : t - last;
    if (last >= 0) {
      uncensored++;
      uncensoredLogSum += Math.log(duration);
    }
    // A record that begins with a breach has nothing unseen before it.
    if (last >= 0 || t > 0) all.push(duration);
    last = t;
  }
  if (last >= 0 && last < breaches.length - 1) all.push(breaches.length - 1 - last);
  return { logs: Float64Array.from(all, Math.log), uncensored, uncensoredLogSum };
}

/** Σ D^b and Σ D^b ln D, both divided by the largest D^b so that no shape overflows. */
function powerSums(shape: number, logs: Float64Array): { sum: number; logSum: number; logScale: number } {
  let largest = -Infinity;
  for (const log of logs) largest = Math.max(largest, log);
  let sum = 0;
  let logSum = 0;
  for (const log of logs) {
    const power = Math.exp(shape * (log - largest));
    sum += power;
    logSum += power * log;
  }
  return { sum, logSum, logScale: shape * largest };
}

function slopeAt(shape: number, { logs, uncensored, uncensoredLogSum }: Durations): number {
  const { sum, logSum } = powerSums(shape, logs);
  return uncensored / shape + uncensoredLogSum - (uncensored * logSum) / sum;
}

function logLikelihoodAt(shape: number, { logs, uncensored, uncensoredLogSum }: Durations): number {
  const { sum, logScale } = powerSums(shape, logs);
  const logRate = Math.log(uncensored / sum) - logScale;
  return uncensored * (logRate + Math.log(shape) - 1) + (shape - 1) * uncensoredLogSum;
}
