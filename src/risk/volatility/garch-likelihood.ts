import { standardisedTLogNormaliser } from "../../math/student-t.ts";

/**
 * The one recursion behind range GARCH and GJR: h' = ω + A(1 + g s) x + βh, s = +1 after a fall, else −1. With x the
 * range variance it is range GARCH; with x = r² it is GJR, whose α = A(1−g) and γ = 2Ag.
 */
export interface GarchCoefficients {
  readonly omega: number;
  readonly reaction: number;
  readonly asymmetry: number;
  readonly beta: number;
}

/** A product of variances is logged only when it leaves this range: one logarithm for dozens of bars. */
const PRODUCT_MAX = 1e200;
const PRODUCT_MIN = 1e-200;
const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/**
 * Minus the Gaussian log-likelihood, Σ ½[ln 2π + ln h_t + e_t²/h_t]. Shapes: `returns` and `news` (x_t) of one length;
 * h_1 = firstVariance. Returns Infinity when a variance is not positive and finite.
 */
export function gaussianObjective(
  coefficients: GarchCoefficients,
  returns: Float64Array,
  news: Float64Array,
  firstVariance: number,
): number {
  const { omega, beta } = coefficients;
  const fall = coefficients.reaction * (1 + coefficients.asymmetry);
  const rise = coefficients.reaction * (1 - coefficients.asymmetry);
  const n = returns.length;
  let h = firstVariance;
  let product = 1;
  let sum = 0;
  for (let t = 0; t < n; t++) {
    const e = returns[t]!;
    product *= h;
    sum += (e * e) / h;
    if (!(product < PRODUCT_MAX && product > PRODUCT_MIN)) {
      sum += Math.log(product);
      product = 1;
    }
    h = omega + (e < 0 ? fall : rise) * news[t]! + beta * h;
  }
  return finiteOrInfinity(0.5 * (sum + Math.log(product)) + n * HALF_LOG_TWO_PI);
}

/** Minus the log-likelihood of the variance-1 Student t with nu > 2. Shapes: as gaussianObjective. */
export function studentTObjective(
  coefficients: GarchCoefficients,
  returns: Float64Array,
  news: Float64Array,
  firstVariance: number,
  nu: number,
): number {
  const { omega, beta } = coefficients;
  const fall = coefficients.reaction * (1 + coefficients.asymmetry);
  const rise = coefficients.reaction * (1 - coefficients.asymmetry);
  const n = returns.length;
  let h = firstVariance;
  let product = 1;
  let tailProduct = 1;
  let logVariance = 0;
  let logTail = 0;
  for (let t = 0; t < n; t++) {
    const e = returns[t]!;
    product *= h;
    tailProduct *= 1 + (e * e) / (h * (nu - 2));
    if (!(product < PRODUCT_MAX && product > PRODUCT_MIN)) {
      logVariance += Math.log(product);
      product = 1;
    }
    if (tailProduct > PRODUCT_MAX) {
      logTail += Math.log(tailProduct);
      tailProduct = 1;
    }
    h = omega + (e < 0 ? fall : rise) * news[t]! + beta * h;
  }
  logVariance += Math.log(product);
  logTail += Math.log(tailProduct);
  return finiteOrInfinity(0.5 * logVariance + 0.5 * (nu + 1) * logTail - n * standardisedTLogNormaliser(nu));
}

/** The variances h_1 … h_{n+1}; the last is the forecast after the last bar. Shapes: out has n + 1 entries. */
export function fillVariances(
  coefficients: GarchCoefficients,
  returns: Float64Array,
  news: Float64Array,
  firstVariance: number,
  out: Float64Array,
): void {
  const { omega, beta } = coefficients;
  const fall = coefficients.reaction * (1 + coefficients.asymmetry);
  const rise = coefficients.reaction * (1 - coefficients.asymmetry);
  let h = firstVariance;
  out[0] = h;
  for (let t = 0; t < returns.length; t++) {
    h = omega + (returns[t]! < 0 ? fall : rise) * news[t]! + beta * h;
    out[t + 1] = h;
  }
}

/** A single bar that multiplies past the range of doubles gives NaN or ∞; both mean "not here" to the optimiser. */
function finiteOrInfinity(value: number): number {
  return Number.isFinite(value) ? value : Infinity;
}
