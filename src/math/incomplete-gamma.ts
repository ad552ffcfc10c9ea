import { invariant } from "./invariant.ts";
import { poissonDensity } from "./saddle-point-density.ts";

const TINY = 1e-300;
const TERMS_MAX = 100_000;

/**
 * Regularised upper incomplete gamma Q(a, x) = ∫ₓ^∞ t^(a−1)e^(−t) dt / Γ(a): power series of the complement below a+1,
 * Lentz's continued fraction above. Holds: a > 0, x ≥ 0. Source: Abramowitz and Stegun 6.5.29 and 6.5.31.
 */
export function regularizedGammaUpper(a: number, x: number): number {
  if (!(a > 0 && x >= 0)) return Number.NaN;
  if (x === 0) return 1;
  if (x === Infinity) return 0;
  const front = poissonDensity(a, x);
  return x < a + 1 ? 1 - front * lowerSeries(a, x) : front * a * upperFraction(a, x);
}

/** Survival function of the chi-square distribution, P(X > x) = Q(k/2, x/2), full relative precision in the tail. */
export function chiSquareSf(x: number, degreesOfFreedom: number): number {
  return regularizedGammaUpper(degreesOfFreedom / 2, Math.max(x, 0) / 2);
}

/** Σ xⁿ / ((a+1)…(a+n)), n ≥ 0. */
function lowerSeries(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; n <= TERMS_MAX; n++) {
    term *= x / (a + n);
    sum += term;
    if (term <= sum * 1e-17) return sum;
  }
  invariant(false, "incomplete gamma series converges");
}

function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n <= TERMS_MAX; n++) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / nonZero(an * d + b);
    c = nonZero(b + an / c);
    const step = c * d;
    value *= step;
    if (Math.abs(step - 1) <= 2e-16) return value;
  }
  invariant(false, "incomplete gamma fraction converges");
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
