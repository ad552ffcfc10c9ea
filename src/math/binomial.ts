import { incompleteBetaOfPair } from "./incomplete-beta.ts";

/** Binomial distribution function P(X ≤ k) = I_{1−p}(n−k, k+1) for k successes, a whole number, out of n. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (!(n >= 0 && p >= 0 && p <= 1)) return Number.NaN;
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBetaOfPair(1 - p, p, n - k, k + 1);
}

/** Binomial survival function P(X > k) = I_p(k+1, n−k), full relative precision in the upper tail. */
export function binomialSf(k: number, n: number, p: number): number {
  if (!(n >= 0 && p >= 0 && p <= 1)) return Number.NaN;
  if (k < 0) return 1;
  if (k >= n) return 0;
  return incompleteBetaOfPair(p, 1 - p, k + 1, n - k);
}

/** Probability of a success after k in n trials, (k + ½)/(n + 1), never 0 or 1: the mean under Jeffreys' prior. */
export function estimatedProbability(k: number, n: number): number {
  return (k + 0.5) / (n + 1);
}
