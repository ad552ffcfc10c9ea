import { clamp } from "./clamp.ts";

/** Excesses over a threshold follow G(y) = 1 − (1 + ξy/β)^(−1/ξ), β > 0; ξ = 0 is the exponential. */
export interface GeneralisedPareto {
  readonly shape: number;
  readonly scale: number;
}

/** How often a threshold is exceeded: `exceedances` of `sampleSize` observations lie strictly above it. */
export interface TailSample {
  readonly threshold: number;
  readonly exceedances: number;
  readonly sampleSize: number;
}

/** Below this |θ·mean| the profile is its Taylor series: the direct form would divide two rounding errors. */
const SERIES_BELOW = 1e-6;
/** A smaller shape is the exponential to the last digit, and dividing by it would not be. */
const EXPONENTIAL_BELOW = 1e-12;
/** Fewer excesses than this cannot tell a shape from noise. */
const EXCESSES_MIN = 10;
const GRID_STEPS = 24;
const SEARCH_STEPS = 48;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** The profile is searched for θ in (−1/max y, 50/mean y]; θ = ξ/β, so the upper end is far beyond ξ = 2. */
const THETA_UPPER = 50;

/**
 * Maximum-likelihood fit by the profile ξ(θ) = mean ln(1 + θy), β = ξ/θ: a grid in θ, then golden section.
 *
 * Shapes:  excesses positive, any order; at least 10 and not all equal, else undefined
 * Holds:   scaling the excesses by c scales β by c and leaves ξ
 * Source:  Grimshaw, Computing maximum likelihood estimates for the generalized Pareto, Technometrics 35 (1993)
 */
export function fitGeneralisedPareto(excesses: Float64Array): GeneralisedPareto | undefined {
  const n = excesses.length;
  if (n < EXCESSES_MIN) return undefined;
  let mean = 0;
  let largest = 0;
  for (const excess of excesses) {
    mean += excess / n;
    largest = Math.max(largest, excess);
  }
  if (!(mean > 0) || !Number.isFinite(largest)) return undefined;
  const scaled = excesses.map((excess) => excess / mean);

  // u in [0, 1] maps to θ from just inside −1/max to the upper end, dense around 0 where most tails lie.
  const lowest = (-mean / largest) * (1 - 1e-6);
  const thetaOf = (u: number): number => {
    const v = 2 * u - 1;
    return v < 0 ? lowest * v * v : THETA_UPPER * v * v * v * v;
  };
  const profile = (u: number): number => profileLogLikelihood(scaled, thetaOf(u));

  let best = -1;
  let bestValue = -Infinity;
  for (let i = 0; i <= GRID_STEPS; i++) {
    const value = profile(i / GRID_STEPS);
    if (value > bestValue) {
      best = i;
      bestValue = value;
    }
  }
  // At either end the likelihood is unbounded or the search region is wrong: no interior maximum, no fit.
  if (best <= 0 || best >= GRID_STEPS) return undefined;

  let low = (best - 1) / GRID_STEPS;
  let high = (best + 1) / GRID_STEPS;
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let leftValue = profile(left);
  let rightValue = profile(right);
  for (let step = 0; step < SEARCH_STEPS; step++) {
    if (leftValue >= rightValue) {
      high = right;
      right = left;
      rightValue = leftValue;
      left = high - GOLDEN * (high - low);
      leftValue = profile(left);
    } else {
      low = left;
      left = right;
      leftValue = rightValue;
      right = low + GOLDEN * (high - low);
      rightValue = profile(right);
    }
  }
  const theta = thetaOf((low + high) / 2);
  const ratio = shapePerTheta(scaled, theta);
  return { shape: ratio * theta, scale: ratio * mean };
}

/**
 * The most likely scale for a given shape: root in β of the score, Σ (1+ξ) y/(β+ξy) = n, by Newton steps in ln β.
 *
 * Shapes:  excesses positive; the start is any admissible scale
 */
export function fitParetoScale(excesses: Float64Array, shape: number, startScale: number): number {
  const n = excesses.length;
  let largest = 0;
  for (const excess of excesses) largest = Math.max(largest, excess);
  // A negative shape bounds the support at −β/ξ, which must hold every excess.
  const lowest = shape < 0 ? -shape * largest * (1 + 1e-9) : 0;
  let scale = Math.max(startScale, lowest);
  for (let step = 0; step < 40; step++) {
    let score = -n;
    let slope = 0;
    for (let i = 0; i < n; i++) {
      const y = excesses[i]!;
      const share = y / (scale + shape * y);
      score += (1 + shape) * share;
      slope -= (1 + shape) * share * (scale / (scale + shape * y));
    }
    const change = clamp(-score / slope, -1, 1);
    const next = Math.max(scale * Math.exp(change), lowest);
    const isDone = Math.abs(next - scale) <= 1e-12 * scale;
    scale = next;
    if (isDone) break;
  }
  return scale;
}

/** Quantile beyond the threshold, u + (β/ξ)[((1−p)n/n_u)^(−ξ) − 1]; needs 1 − p ≤ n_u/n. */
export function paretoQuantile(pareto: GeneralisedPareto, tail: TailSample, confidence: number): number {
  const logRatio = Math.log(tail.exceedances / ((1 - confidence) * tail.sampleSize));
  const { shape, scale } = pareto;
  const isExponential = Math.abs(shape) < EXPONENTIAL_BELOW;
  return tail.threshold + scale * (isExponential ? logRatio : Math.expm1(shape * logRatio) / shape);
}

/** Mean loss beyond the quantile, (q + β − ξu)/(1−ξ); needs ξ < 1. */
export function paretoExpectedShortfall(
  pareto: GeneralisedPareto,
  tail: TailSample,
  confidence: number,
): number {
  const quantile = paretoQuantile(pareto, tail, confidence);
  return (quantile + pareto.scale - pareto.shape * tail.threshold) / (1 - pareto.shape);
}

/** l(θ)/n = −ln(ξ/θ) − ξ − 1 with ξ = mean ln(1 + θy). */
function profileLogLikelihood(scaled: Float64Array, theta: number): number {
  const ratio = shapePerTheta(scaled, theta);
  return -Math.log(ratio) - ratio * theta - 1;
}

/** mean ln(1 + θy) / θ; its limit at 0 is the mean, 1. */
function shapePerTheta(scaled: Float64Array, theta: number): number {
  if (Math.abs(theta) < SERIES_BELOW) {
    let square = 0;
    for (const y of scaled) square += y * y;
    return 1 - (theta * square) / (2 * scaled.length);
  }
  // ln of products: one logarithm per few hundred factors instead of one each.
  let sum = 0;
  let product = 1;
  for (let i = 0; i < scaled.length; i++) {
    product *= 1 + theta * scaled[i]!;
    if (product > 1e100 || product < 1e-100) {
      sum += Math.log(product);
      product = 1;
    }
  }
  return (sum + Math.log(product)) / (scaled.length * theta);
}
