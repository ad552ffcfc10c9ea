import { DAY_HOURS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";
import { HORIZON_HOURS } from "../scenarios/horizon.ts";
import { omegaOf, persistenceOf, type VarianceRecursion } from "./variance-recursion.ts";

/** Crypto never closes: a year is 365 × 24 hourly steps. */
export const HOURS_PER_YEAR = 365 * DAY_HOURS;

/** How far the long-run variance of a fit is believed. */
export const LONG_RUN_GUARD: Calibrated<{
  readonly ratioMax: number;
  readonly identifiedDecay: number;
}> = {
  value: { ratioMax: 4, identifiedDecay: 0.01 },
  unit: "multiple of the window's robust variance, or its reciprocal; 1 − persistence from which a fit's own counts in full",
  source: "chosen: a half-life of 69 hours is seen dozens of times in a window, one of weeks a few times",
  fittedOn: "not fitted: chosen 2026-11",
};

/** Annualised standard deviations, fractions per √year (0.62 is 62 %), of the return over each horizon. */
export interface SigmaTermStructure {
  readonly sigma1hAnnual: number;
  readonly sigma4hAnnual: number;
  readonly sigma1dAnnual: number;
  readonly sigma7dAnnual: number;
  readonly longRunSigmaAnnual: number;
}

/** √(cumulative variance / H · 8760): the annualised form of a variance accumulated over `horizonHours`. */
export function annualisedSigma(cumulativeVariance: number, horizonHours: number): number {
  return Math.sqrt((cumulativeVariance / horizonHours) * HOURS_PER_YEAR);
}

/**
 * Expected variance of the next H steps in closed form: h·M + ω·S with M = Σ_{k<H} P^k = (1−P^H)/(1−P) and
 * S = (H−M)/(1−P); with V = ω/(1−P) this is H·V + (h−V)·M. At P = 1: H·h + ω·H(H−1)/2; a P above 1
 * (rounded parameters) counts as 1. Continuous in P.
 */
export function cumulativeVariance(
  varianceStep: number,
  omega: number,
  persistence: number,
  horizonHours: number,
): number {
  const decay = Math.max(0, 1 - persistence);
  if (decay * horizonHours < 0.01) {
    const intercepts = nearUnitIntercepts(decay, horizonHours);
    return varianceStep * (horizonHours - decay * intercepts) + omega * intercepts;
  }
  const memory = -Math.expm1(horizonHours * Math.log(persistence)) / decay;
  return varianceStep * memory + (omega * (horizonHours - memory)) / decay;
}

/** (H−M)/δ as the binomial series C(H,2) − δC(H,3) + δ²C(H,4) − …, where the subtraction would lose its digits. */
function nearUnitIntercepts(decay: number, horizonHours: number): number {
  let term = (horizonHours * (horizonHours - 1)) / 2;
  let sum = term;
  for (let j = 3; j <= 8; j++) {
    term *= (-decay * (horizonHours - j + 1)) / j;
    sum += term;
  }
  return sum;
}

/** Hours after which half of a variance shock is forgotten, ln ½ / ln P; Infinity when P is 1. */
export function halfLifeHours(persistence: number): number {
  return persistence >= 1 ? Infinity : Math.log(0.5) / Math.log(persistence);
}

/**
 * E[h] of the next `out.length` steps in deseasonalised space, out[0] being the next step's h = state[0]. Expectations
 * put E[ξ] = E[z²] = 1 and falls as likely as rises. Shapes: state as in advanceVariance; not modified.
 */
export function fillExpectedVariance(
  recursion: VarianceRecursion,
  state: Float64Array,
  out: Float64Array,
): void {
  if (recursion.kind !== "hexp") {
    const persistence = persistenceOf(recursion);
    const omega = omegaOf(recursion);
    let h = state[0]!;
    for (let k = 0; k < out.length; k++) {
      out[k] = h;
      h = omega + persistence * h;
    }
    return;
  }
  const { decays, weights, leverage, baseVarianceStep } = recursion;
  const averages = state.slice(1);
  let h = state[0]!;
  for (let step = 0; step < out.length; step++) {
    out[step] = h;
    let next = baseVarianceStep + (leverage / 2) * h;
    for (let k = 0; k < decays.length; k++) {
      averages[k] = decays[k]! * averages[k]! + (1 - decays[k]!) * h;
      next += weights[k]! * averages[k]!;
    }
    h = next;
  }
}

/**
 * Expected variance of the coming hours with their seasonal factors, Σ_{k≤H} f²_{t+k} E[h_{t+k}], for each H of
 * HORIZON_HOURS. Shapes: `factors` holds the 168 factors of the coming week, starting with the next hour's.
 */
export function seasonalCumulativeVariances(
  expectedVariance: Float64Array,
  factors: Float64Array,
): [number, number, number, number] {
  invariant(expectedVariance.length >= 168 && factors.length >= 168, "a week of steps");
  const result: [number, number, number, number] = [0, 0, 0, 0];
  let sum = 0;
  let next = 0;
  for (let k = 0; k < 168; k++) {
    sum += factors[k]! * factors[k]! * expectedVariance[k]!;
    if (k + 1 === HORIZON_HOURS[next]) result[next++] = sum;
  }
  return result;
}

/** The published term structure from the cumulative variances of HORIZON_HOURS and the long-run variance. */
export function sigmaTermStructure(
  cumulative: readonly [number, number, number, number],
  longRunVarianceStep: number,
): SigmaTermStructure {
  return {
    sigma1hAnnual: annualisedSigma(cumulative[0], 1),
    sigma4hAnnual: annualisedSigma(cumulative[1], 4),
    sigma1dAnnual: annualisedSigma(cumulative[2], DAY_HOURS),
    sigma7dAnnual: annualisedSigma(cumulative[3], 168),
    longRunSigmaAnnual: annualisedSigma(longRunVarianceStep, 1),
  };
}

/**
 * The long-run variance that may be published: the fitted V = ω/(1−P), at most a factor of four from the robust variance
 * of the window, and near P = 1, where it is not identified, drawn to that with weight min(1, (1−P)/0.01) on its own.
 * Holds: continuous in P, which may be past 1, where V does not exist.
 */
export function guardedLongRunVariance(
  omega: number,
  persistence: number,
  windowVarianceStep: number,
): number {
  const decay = Math.max(0, 1 - persistence);
  const { ratioMax, identifiedDecay } = LONG_RUN_GUARD.value;
  const own = clamp(omega / decay, windowVarianceStep / ratioMax, windowVarianceStep * ratioMax);
  const ownWeight = Math.min(1, decay / identifiedDecay);
  return ownWeight * own + (1 - ownWeight) * windowVarianceStep;
}
