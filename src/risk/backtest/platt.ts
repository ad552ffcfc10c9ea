import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";
import { logistic } from "../../math/logistic.ts";

/** A monotone recalibration p → logistic(intercept + slope × logit p). (0, 1) changes nothing. */
export interface PlattMap {
  readonly intercept: number;
  readonly slope: number;
}

const PLATT_IDENTITY: PlattMap = { intercept: 0, slope: 1 };

/** Forecasts are kept this far from 0 and 1, where the logit is infinite. */
const CLIP = 1e-15;
const STEPS_MAX = 100;
const HALVINGS_MAX = 40;
const TOLERANCE = 1e-13;

interface Sample {
  /** Logits of the forecasts. */
  readonly feature: Float64Array;
  readonly events: ArrayLike<number>;
  readonly counts: ArrayLike<number>;
}

/**
 * Fits outcomes by logistic regression on logit p, with ½w(intercept² + (slope−1)²) against leaving (0, 1): w weighs
 * as 4w observations of a fair coin, 0 is the maximum of the likelihood. Damped Newton steps, so every step improves.
 *
 * Shapes:  columns of one length; `events` of `counts` outcomes of each forecast happened (null: of one each); at w = 0
 *          both classes occur, at forecasts that overlap
 * Holds:   at w = 0 the recalibrated forecasts have the outcomes' mean
 * Source:  Platt, Probabilistic outputs for support vector machines (1999)
 */
export function fitPlatt(
  probabilities: ArrayLike<number>,
  events: ArrayLike<number>,
  counts: ArrayLike<number> | null,
  priorWeight: number,
): PlattMap {
  const feature = Float64Array.from(probabilities, keptLogit);
  const sample = { feature, events, counts: counts ?? new Float64Array(feature.length).fill(1) };
  invariant(
    events.length === feature.length && sample.counts.length === feature.length && priorWeight >= 0,
    "a forecast for every outcome",
  );
  let map = PLATT_IDENTITY;
  let value = objective(map, sample, priorWeight);
  for (let step = 0; step < STEPS_MAX; step++) {
    const direction = newtonStep(map, sample, priorWeight);
    if (direction === undefined) return map;
    let length = 1;
    let next = moved(map, direction, length);
    let nextValue = objective(next, sample, priorWeight);
    for (let halving = 0; halving < HALVINGS_MAX && !(nextValue <= value); halving++) {
      length /= 2;
      next = moved(map, direction, length);
      nextValue = objective(next, sample, priorWeight);
    }
    if (!(nextValue < value)) return map;
    const gain = value - nextValue;
    map = next;
    value = nextValue;
    if (gain <= TOLERANCE * Math.abs(value)) return map;
  }
  return map;
}

/** The recalibrated forecast; increasing in p when the slope is positive. */
export function plattAt(map: PlattMap, probability: number): number {
  return logistic(map.intercept + map.slope * keptLogit(probability));
}

function objective(
  { intercept, slope }: PlattMap,
  { feature, events, counts }: Sample,
  priorWeight: number,
): number {
  let sum = 0.5 * priorWeight * (intercept ** 2 + (slope - 1) ** 2);
  for (let i = 0; i < feature.length; i++) {
    const eta = intercept + slope * feature[i]!;
    // ln(1 + e^η) − yη without overflow.
    sum += counts[i]! * (Math.max(eta, 0) + Math.log1p(Math.exp(-Math.abs(eta)))) - events[i]! * eta;
  }
  return sum;
}

/** Minus inverse Hessian times gradient; undefined where the curvature vanishes. */
function newtonStep(
  { intercept, slope }: PlattMap,
  { feature, events, counts }: Sample,
  priorWeight: number,
): readonly [number, number] | undefined {
  let g0 = priorWeight * intercept;
  let g1 = priorWeight * (slope - 1);
  let h00 = priorWeight;
  let h01 = 0;
  let h11 = priorWeight;
  for (let i = 0; i < feature.length; i++) {
    const x = feature[i]!;
    const p = logistic(intercept + slope * x);
    const error = counts[i]! * p - events[i]!;
    const curvature = counts[i]! * p * (1 - p);
    g0 += error;
    g1 += error * x;
    h00 += curvature;
    h01 += curvature * x;
    h11 += curvature * x * x;
  }
  const determinant = h00 * h11 - h01 * h01;
  if (!(h00 > 0)) return undefined;
  // One forecast for all: the slope is unknowable and stays, the intercept is not.
  if (!(determinant > 1e-14 * h00 * h11)) return [-g0 / h00, 0];
  return [-(h11 * g0 - h01 * g1) / determinant, -(h00 * g1 - h01 * g0) / determinant];
}

function moved(map: PlattMap, direction: readonly [number, number], length: number): PlattMap {
  return { intercept: map.intercept + length * direction[0], slope: map.slope + length * direction[1] };
}

/** Finite at 0 and 1, and in two logarithms, which recorded maps were fitted with. */
function keptLogit(p: number): number {
  const kept = clamp(p, CLIP, 1 - CLIP);
  return Math.log(kept) - Math.log1p(-kept);
}
