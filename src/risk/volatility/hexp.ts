import type { Calibrated } from "../../domain/calibrated.ts";
import { mean } from "../../math/moments.ts";
import { minimise } from "../../math/nelder-mead.ts";
import { LONG_RUN_GUARD } from "./term-structure.ts";
import { advanceHexp, type HexpRecursion } from "./variance-recursion.ts";

/** Memory of the four averages: an hour or two, a session, a day, a week. */
export const HEXP_HALF_LIVES_HOURS: Calibrated<readonly number[]> = {
  value: [2, 8, 30, 168],
  unit: "hours",
  source:
    "Bollerslev, Hood, Huss and Pedersen, Risk Everywhere, Rev. Financ. Stud. 31 (2018): exponential HAR",
  fittedOn: "not fitted: a grid that spans the horizons, chosen 2026-11",
};

export const HEXP_LONG_RUN_MAX: Calibrated = {
  value: LONG_RUN_GUARD.value.ratioMax,
  unit: "multiple of the window's variance",
  source: "the first model's limit",
  fittedOn: "not fitted: chosen 2026-11",
};

/** Bars left out of the criterion while the averages forget their start, and the pulls that keep six weights stable. */
export const HEXP_CRITERION: Calibrated<{
  readonly burnInHours: number;
  readonly ridgeWeight: number;
  readonly ridgeCentre: number;
  readonly massWeight: number;
}> = {
  value: { burnInHours: 200, ridgeWeight: 0.02, ridgeCentre: -2, massWeight: 200 },
  unit: "hours; weight of (ln b − centre)², ln b, weight of (mass − 1)², beside a QLIKE of one per hour",
  source: "chosen: weak beside thousands of hours; a mass of 1 gives back the variance that it is fed",
  fittedOn: "not fitted: chosen 2026-11",
};
const { burnInHours: BURN_IN, massWeight: MASS_WEIGHT } = HEXP_CRITERION.value;
const { ridgeWeight: RIDGE_WEIGHT, ridgeCentre: RIDGE_CENTRE } = HEXP_CRITERION.value;
const START = [0.05, 0.4, 0.15, 0.15, 0.15, 0.1] as const;
const STEPS = [0.7, 0.5, 0.7, 0.7, 0.7, 0.7] as const;
const WARM_EDGE = 0.3;
const WEIGHT_MIN = 1e-3;
const TOLERANCE = 1e-3;

export interface HexpOptions {
  /** A previous fit of the same asset to start from; null starts from a typical one. */
  readonly start: HexpRecursion | null;
  readonly evaluationsMax: number;
}

export interface HexpFit {
  readonly recursion: HexpRecursion;
  /** Σ [ln h + x/h] from bar 201 on, without the ridge. */
  readonly objectiveValue: number;
}

/**
 * Fits h = b₀V + Σ b_k E_k + b_lev x 1[r<0], all b > 0 and V = mean x, by QLIKE with a ridge on ln b and a pull of the
 * mass Σb − ½b_lev to 1, on data scaled to V = 1.
 *
 * Shapes:  `returns` and `ranges` of one length, more than 200 bars
 * Holds:   where b₀ is at most 1, expectations return to at most 4 V
 */
export function fitHexp(returns: Float64Array, ranges: Float64Array, options: HexpOptions): HexpFit {
  const variance = mean(ranges);
  const scaled = ranges.map((value) => value / variance);
  const averages = exponentialAverages(scaled);
  const falls = scaled.map((value, t) => (returns[t]! < 0 ? value : 0));
  const weights = new Float64Array(START.length);
  const best = minimise(
    (theta) => {
      let penalty = 0;
      for (let i = 0; i < theta.length; i++) {
        weights[i] = Math.exp(theta[i]!);
        penalty += RIDGE_WEIGHT * (theta[i]! - RIDGE_CENTRE) ** 2;
      }
      penalty += MASS_WEIGHT * (massOf(weights) - 1) ** 2;
      boundLongRun(weights);
      return hexpQlike(weights, averages, falls, scaled) + penalty;
    },
    startOf(options.start, variance),
    {
      steps: options.start === null ? STEPS : STEPS.map((step) => step * WARM_EDGE),
      evaluationsMax: options.evaluationsMax,
      tolerance: TOLERANCE,
      restarts: 1,
    },
  );
  const b = best.map(Math.exp);
  boundLongRun(b);
  const observations = Math.max(0, ranges.length - BURN_IN);
  return {
    recursion: hexpOf(variance, b[0]!, [...b.slice(1, 5)], b[5]!),
    objectiveValue: hexpQlike(b, averages, falls, scaled) + observations * Math.log(variance),
  };
}

/** The recursion of weights b₀, b_k, b_lev on the long-run variance V. */
export function hexpOf(
  longRunVarianceStep: number,
  baseWeight: number,
  weights: readonly number[],
  leverage: number,
): HexpRecursion {
  return {
    kind: "hexp",
    baseVarianceStep: baseWeight * longRunVarianceStep,
    decays: HEXP_HALF_LIVES_HOURS.value.map((halfLife) => 0.5 ** (1 / halfLife)),
    weights,
    leverage,
  };
}

/** The state before any bar: every average at V and h = b₀V + Σ b_k V. */
export function initialHexpState(recursion: HexpRecursion, longRunVarianceStep: number): Float64Array {
  const state = new Float64Array(1 + recursion.decays.length).fill(longRunVarianceStep);
  state[0] = recursion.weights.reduce(
    (sum, weight) => sum + weight * longRunVarianceStep,
    recursion.baseVarianceStep,
  );
  return state;
}

/** One bar, in place: state becomes that after the bar and its next variance is returned. */
export function updateHexp(
  recursion: HexpRecursion,
  state: Float64Array,
  returnStep: number,
  rangeVariance: number,
): number {
  const next = advanceHexp(recursion, state, rangeVariance, returnStep < 0);
  state[0] = next;
  return next;
}

/** ln of the weights to start from; one that had shrunk to nothing may grow again. */
function startOf(start: HexpRecursion | null, longRunVarianceStep: number): Float64Array {
  if (start === null) return Float64Array.from(START, Math.log);
  const weights = [start.baseVarianceStep / longRunVarianceStep, ...start.weights, start.leverage];
  return Float64Array.from(weights, (weight) => Math.log(Math.max(weight, WEIGHT_MIN)));
}

/** Σ b − ½ b_lev: the sum of what a unit of long-run variance comes back as. */
function massOf(weights: Float64Array): number {
  let sum = -weights[weights.length - 1]! / 2;
  for (const weight of weights) sum += weight;
  return sum;
}

/**
 * Makes the weights what expectations can go on with for a week: the variance that they return to, b₀V / (1 − Σb_k −
 * ½b_lev), is at most a few times V. Where more comes back of a unit of variance than went in, there is none.
 */
function boundLongRun(weights: Float64Array): void {
  const base = weights[0]!;
  const returning = massOf(weights) - base;
  const excess = Math.max(1, returning / (1 - Math.min(base, 1) / HEXP_LONG_RUN_MAX.value));
  for (let i = 1; i < weights.length; i++) weights[i]! /= excess;
}

/** E_k after each bar, one row per half-life: fixed during the fit. */
function exponentialAverages(scaled: Float64Array): readonly Float64Array[] {
  return HEXP_HALF_LIVES_HOURS.value.map((halfLife) => exponentialAverage(scaled, 0.5 ** (1 / halfLife)));
}

/** Started at the mean 1. */
function exponentialAverage(scaled: Float64Array, decay: number): Float64Array {
  const out = new Float64Array(scaled.length);
  let average = 1;
  for (let t = 0; t < scaled.length; t++) {
    average = decay * average + (1 - decay) * scaled[t]!;
    out[t] = average;
  }
  return out;
}

/**
 * Σ [ln h + x/h]. Two bars share a division, x/h + x'/h' = (x h' + x' h)/(h h'), because the logarithm needs the product
 * of the variances anyway.
 */
function hexpQlike(
  weights: Float64Array,
  averages: readonly Float64Array[],
  falls: Float64Array,
  scaled: Float64Array,
): number {
  const [first, second, third, fourth] = averages as [Float64Array, Float64Array, Float64Array, Float64Array];
  const [base, b1, b2, b3, b4, leverage] = weights as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const n = scaled.length;
  let product = 1;
  let sum = 0;
  let t = BURN_IN;
  for (; t + 1 < n; t += 2) {
    const p = t - 1;
    const h =
      base + b1 * first[p]! + b2 * second[p]! + b3 * third[p]! + b4 * fourth[p]! + leverage * falls[p]!;
    const after =
      base + b1 * first[t]! + b2 * second[t]! + b3 * third[t]! + b4 * fourth[t]! + leverage * falls[t]!;
    const both = h * after;
    sum += (scaled[t]! * after + scaled[t + 1]! * h) / both;
    product *= both;
    if (!(product < 1e200 && product > 1e-200)) {
      sum += Math.log(product);
      product = 1;
    }
  }
  if (t < n) {
    const p = t - 1;
    const h =
      base + b1 * first[p]! + b2 * second[p]! + b3 * third[p]! + b4 * fourth[p]! + leverage * falls[p]!;
    sum += scaled[t]! / h;
    product *= h;
  }
  return sum + Math.log(product);
}
