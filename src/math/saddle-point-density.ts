import { stirlingError } from "./log-gamma.ts";

const TWO_PI = 2 * Math.PI;

/**
 * Binomial probability Γ(n+1)/(Γ(k+1)Γ(n−k+1)) p^k q^(n−k) for real k in (0, n) and q = 1−p > 0, by Loader's saddle-point
 * expansion: large terms never cancel, so it keeps full precision where exp(lnΓ…) loses it.
 * Source: Loader, Fast and accurate computation of binomial probabilities (2000).
 */
export function binomialDensity(k: number, n: number, p: number, q: number): number {
  const rest = n - k;
  const exponent =
    stirlingError(n) - stirlingError(k) - stirlingError(rest) - deviance(k, n * p) - deviance(rest, n * q);
  return Math.exp(exponent) * Math.sqrt(n / (TWO_PI * k * rest));
}

/** Poisson probability mean^k e^(−mean)/Γ(k+1) for real k and mean > 0, by the same expansion. */
export function poissonDensity(k: number, mean: number): number {
  return Math.exp(-stirlingError(k) - deviance(k, mean)) / Math.sqrt(TWO_PI * k);
}

/** k ln(k/m) + m − k without cancellation near k = m: a series in v = (k−m)/(k+m). */
function deviance(k: number, mean: number): number {
  const difference = k - mean;
  if (Math.abs(difference) >= 0.1 * (k + mean)) return k * Math.log(k / mean) + mean - k;
  const v = difference / (k + mean);
  let sum = difference * v;
  let term = 2 * k * v;
  for (let j = 1; j < 1000; j++) {
    term *= v * v;
    const next = sum + term / (2 * j + 1);
    if (next === sum) return next;
    sum = next;
  }
  return sum;
}
