import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { type HexpRecursion, omegaOf, type VarianceRecursion } from "../volatility/variance-recursion.ts";
import { fillVarianceGrowths, fourOf, gainsOf } from "./variance-growths.ts";
import type { ResidualPool } from "./residual-pool.ts";
import { TUPLE_LENGTH } from "./residual-pool.ts";
import type { ScenarioIndex } from "./scenario-index.ts";

/** A simulated hour's standard deviation, its season and its multiples apart, stays at 100 % at most: beyond it only overflow is left to model. */
export const PATH_VARIANCE_MAX = 1;
/**
 * The mean of a fat-tailed logarithm's exponential does not exist: what a short can lose is as large as the largest rise
 * that is let through, so that rise is a choice.
 */
export const PATH_RISE_MAX: Calibrated = {
  value: 19,
  unit: "fraction of price",
  source:
    "chosen: a price five times as high as JELLY's at the end of its squeeze on 2025-03-26, the largest on record here",
  fittedOn: "not fitted: chosen 2026-11",
};
const LOG_RISE_MAX = Math.log1p(PATH_RISE_MAX.value);
/** Beyond it a price is nothing. */
const LOG_FALL_MAX = 10;

/** A log return within what may be stored of a path. */
export function boundedLogReturn(logReturn: number): number {
  return clamp(logReturn, -LOG_FALL_MAX, LOG_RISE_MAX);
}

/** A variance model and its state now: [h] or, for HExp, [h, E_1 … E_K]; h is the variance of the coming hour. */
export interface PathModel {
  readonly recursion: VarianceRecursion;
  readonly state: Float64Array;
}

/** The three facts kept of a path at each horizon. */
export const PATH_FACTS = ["terminal", "low", "high"] as const;
export type PathFact = (typeof PATH_FACTS)[number];

export interface PathDraw {
  readonly pool: ResidualPool;
  readonly index: ScenarioIndex;
  /** One model, or several that share the scenarios of every block equally (a mixture). */
  readonly models: readonly PathModel[];
  /** Per step: seasonal factor of that hour times every multiplier of sigma. */
  readonly sigmaFactors: Float64Array;
  /** Ascending; the last is at most the index's steps. */
  readonly horizonSteps: readonly number[];
}

/**
 * Simulates log-price paths by replaying standardised hours and keeps, at each horizon, the terminal, lowest and
 * highest log return: q = f√h, low = min(low, c + q z_low), high = max(high, c + q z_high), c += q z, h = next(h, z, ξ).
 *
 * Shapes:  out[(horizon × 3 + fact) × scenarios + scenario], fact in the order of PATH_FACTS
 * Holds:   low <= min(0, terminal), high >= max(0, terminal); low falls and high rises with the horizon
 * Source:  Barone-Adesi, Giannopoulos and Vosper, VaR without correlations (1999), with ranges beside the returns
 */
export function drawPaths(draw: PathDraw, out: Float32Array | Float64Array): void {
  const { pool, index, models } = draw;
  const growths = new Float64Array(pool.windowHours);
  models.forEach(({ recursion, state }, place) => {
    fillVarianceGrowths(recursion, pool.tuples, growths);
    for (let first = 0; first < index.scenarios; first += index.windowHours) {
      const count = Math.min(index.windowHours, index.scenarios - first);
      const from = first + Math.floor((count * place) / models.length);
      const to = first + Math.floor((count * (place + 1)) / models.length);
      if (recursion.kind === "hexp") drawHexpPaths(draw, growths, recursion, state, from, to, out);
      else drawScalarPaths(draw, growths, omegaOf(recursion), state, from, to, out);
    }
  });
}

/** Which of the mixture's models moves a scenario. */
export function modelOfScenario(
  models: readonly PathModel[],
  index: ScenarioIndex,
  scenario: number,
): number {
  const first = scenario - (scenario % index.windowHours);
  const count = Math.min(index.windowHours, index.scenarios - first);
  let place = 0;
  while (scenario >= first + Math.floor((count * (place + 1)) / models.length)) place++;
  return place;
}

/** Working memory of the two below. */
const pair = new Float64Array(2);

/** Math.min of two finite numbers without a branch: whether an hour sets a new extreme is hard to predict. */
function lesser(a: number, b: number): number {
  pair[0] = a;
  pair[1] = b;
  return pair[Number(b < a)]!;
}

function greater(a: number, b: number): number {
  pair[0] = a;
  pair[1] = b;
  return pair[Number(b > a)]!;
}

/** The state comes as an array: a number that is handed over and then carried round a loop becomes an object at every step. */
function drawScalarPaths(
  draw: PathDraw,
  growths: Float64Array,
  omega: number,
  stateNow: Float64Array,
  from: number,
  to: number,
  out: Float32Array | Float64Array,
): void {
  const { horizonSteps, sigmaFactors } = draw;
  const { hours, steps, scenarios } = draw.index;
  const { tuples } = draw.pool;
  for (let scenario = from; scenario < to; scenario++) {
    const first = scenario * steps;
    let close = 0;
    let low = 0;
    let high = 0;
    let variance = stateNow[0]!;
    let step = 0;
    for (let horizon = 0; horizon < horizonSteps.length; horizon++) {
      const end = horizonSteps[horizon]!;
      for (; step < end; step++) {
        const hour = hours[first + step]!;
        const at = hour * TUPLE_LENGTH;
        const sigma = Math.sqrt(variance) * sigmaFactors[step]!;
        low = lesser(low, close + sigma * tuples[at + 1]!);
        high = greater(high, close + sigma * tuples[at + 2]!);
        close += sigma * tuples[at]!;
        variance = Math.min(omega + variance * growths[hour]!, PATH_VARIANCE_MAX);
      }
      store(out, horizon * PATH_FACTS.length * scenarios + scenario, scenarios, close, low, high);
    }
  }
}

/**
 * With s_k = b_k E_k and x = hξ the recursion is h' = base + Σ λ_k s_k + h (Σ b_k(1−λ_k) + b_lev 1[z<0]) ξ, where the
 * factor of h is an hour's own and the rest is known before h: one product and one sum from one variance to the next.
 */
function drawHexpPaths(
  draw: PathDraw,
  growths: Float64Array,
  recursion: HexpRecursion,
  stateNow: Float64Array,
  from: number,
  to: number,
  out: Float32Array | Float64Array,
): void {
  const { horizonSteps, sigmaFactors } = draw;
  const { hours, steps, scenarios } = draw.index;
  const { tuples } = draw.pool;
  const { baseVarianceStep } = recursion;
  const [decay1, decay2, decay3, decay4] = fourOf(recursion.decays);
  const [gain1, gain2, gain3, gain4] = gainsOf(recursion);
  const [start1, start2, start3, start4] = fourOf(recursion.weights.map((b, k) => b * stateNow[k + 1]!));
  for (let scenario = from; scenario < to; scenario++) {
    const first = scenario * steps;
    let s1 = start1;
    let s2 = start2;
    let s3 = start3;
    let s4 = start4;
    let close = 0;
    let low = 0;
    let high = 0;
    let variance = stateNow[0]!;
    let step = 0;
    for (let horizon = 0; horizon < horizonSteps.length; horizon++) {
      const end = horizonSteps[horizon]!;
      for (; step < end; step++) {
        const hour = hours[first + step]!;
        const at = hour * TUPLE_LENGTH;
        const sigma = Math.sqrt(variance) * sigmaFactors[step]!;
        low = lesser(low, close + sigma * tuples[at + 1]!);
        high = greater(high, close + sigma * tuples[at + 2]!);
        close += sigma * tuples[at]!;
        const news = variance * tuples[at + 3]!;
        const kept1 = decay1 * s1;
        const kept2 = decay2 * s2;
        const kept3 = decay3 * s3;
        const kept4 = decay4 * s4;
        const known = baseVarianceStep + (kept1 + kept2 + (kept3 + kept4));
        variance = Math.min(known + variance * growths[hour]!, PATH_VARIANCE_MAX);
        s1 = kept1 + gain1 * news;
        s2 = kept2 + gain2 * news;
        s3 = kept3 + gain3 * news;
        s4 = kept4 + gain4 * news;
      }
      store(out, horizon * PATH_FACTS.length * scenarios + scenario, scenarios, close, low, high);
    }
  }
}

function store(
  out: Float32Array | Float64Array,
  at: number,
  scenarios: number,
  close: number,
  low: number,
  high: number,
): void {
  out[at] = boundedLogReturn(close);
  out[at + scenarios] = boundedLogReturn(low);
  out[at + 2 * scenarios] = boundedLogReturn(high);
}
