import { lowerEndOfRoot } from "./bracketed-root.ts";
import { invariant } from "./invariant.ts";
import { binomialDensity } from "./saddle-point-density.ts";

const TINY = 1e-300;
const EPSILON = 1e-16;
/** The continued fraction needs O(√max(a,b)) terms; this covers shapes up to about 1e8. */
const TERMS_MAX = 100_000;

/**
 * Regularised incomplete beta I_x(a, b) = ∫₀ˣ t^(a−1)(1−t)^(b−1) dt / B(a, b), by Lentz's continued fraction behind a
 * saddle-point front factor. Holds: a, b > 0, x in [0, 1]; I_x(a,b) = 1 − I_{1−x}(b,a).
 * Source: Abramowitz and Stegun 26.5.8.
 */
export function regularizedIncompleteBeta(x: number, a: number, b: number): number {
  return incompleteBetaOfPair(x, 1 - x, a, b);
}

/** The same with 1−x passed as `complement`, for callers that know it more precisely than the subtraction does. */
export function incompleteBetaOfPair(x: number, complement: number, a: number, b: number): number {
  if (!(a > 0 && b > 0 && x >= 0 && complement >= 0)) return Number.NaN;
  if (x === 0) return 0;
  if (complement === 0) return 1;
  const n = a + b;
  const front = ((a * b) / n) * binomialDensity(a, n, x, complement);
  if (x < (a + 1) / (n + 2)) return (front / a) * continuedFraction(x, complement, a, b);
  return 1 - (front / b) * continuedFraction(complement, x, b, a);
}

const QUANTILE_WIDTH = 1e-13;

/** The x at which I_x(a, b) is p, within 1e-13. Holds: 0 < p < 1; a, b > 0. */
export function betaQuantile(p: number, a: number, b: number): number {
  const bracket = { low: 0, high: 1, valueLow: -p, valueHigh: 1 - p };
  return lowerEndOfRoot(bracket, QUANTILE_WIDTH, (x) => regularizedIncompleteBeta(x, a, b) - p);
}

function continuedFraction(x: number, complement: number, a: number, b: number): number {
  const n = a + b;
  let c = 1;
  // a + 1 − n x and 1 − b + n (1−x) are the same number; the one with the smaller product rounds less.
  let d = (a + 1) / nonZero(x < complement ? a + 1 - n * x : 1 - b + n * complement);
  let value = d;
  for (let m = 1; m <= TERMS_MAX; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    value *= c * d;
    const odd = (-(a + m) * (n + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    const step = c * d;
    value *= step;
    if (Math.abs(step - 1) <= 2 * EPSILON) return value;
  }
  invariant(false, "incomplete beta converges");
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
