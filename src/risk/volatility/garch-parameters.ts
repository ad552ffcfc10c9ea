import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { logistic, logit } from "../../math/logistic.ts";
import { FITTED } from "../calibration/fitted-values.ts";
import type { GarchCoefficients } from "./garch-likelihood.ts";
import { guardedLongRunVariance } from "./term-structure.ts";

/** The supremum of the persistence that a fit may take. */
export const PERSISTENCE_SUPREMUM: Calibrated = {
  value: 0.9999,
  unit: "sum of reaction and beta",
  source: "chosen: half-life of nine and a half months, longer than the window that is fitted on can tell",
  fittedOn: "not fitted: chosen 2026-11",
};

/**
 * Where an unconstrained optimiser moves: θ = (logit(P/0.9999), logit(A/P), artanh g, ln(V/s²)), for data scaled to
 * mean news s² = 1. Every θ is a stationary model: ω > 0, A > 0, β > 0, |g| < 1, P < 1.
 */
export function coefficientsOf(theta: Float64Array): GarchCoefficients {
  const persistence = PERSISTENCE_SUPREMUM.value * logistic(theta[0]!);
  const reaction = persistence * logistic(theta[1]!);
  return {
    omega: Math.exp(theta[3]!) * (1 - persistence),
    reaction,
    asymmetry: Math.tanh(theta[2]!),
    beta: persistence - reaction,
  };
}

/** The inverse of coefficientsOf, where a fit begins: a persistence at the bound is taken just inside it. */
export function thetaOf(coefficients: GarchCoefficients): Float64Array {
  const persistence = Math.min(
    coefficients.reaction + coefficients.beta,
    PERSISTENCE_SUPREMUM.value * 0.99999,
  );
  return Float64Array.of(
    logit(persistence / PERSISTENCE_SUPREMUM.value),
    logit(coefficients.reaction / persistence),
    Math.atanh(coefficients.asymmetry),
    Math.log(coefficients.omega / (1 - persistence)),
  );
}

/** A coefficient set on the original scale, when the fit ran on data divided by `variance`. */
export function rescaled(coefficients: GarchCoefficients, variance: number): GarchCoefficients {
  const { omega, reaction, asymmetry, beta } = coefficients;
  return { omega: omega * variance, reaction, asymmetry, beta };
}

/** Centre and spread of the cross-section on the optimiser's scale: what is believed before an asset's own bars. */
export interface GarchPrior {
  readonly centre: readonly [number, number, number, number];
  readonly spread: readonly [number, number, number, number];
}

/** ½ Σ ((θ−θ₀)/τ)²: a weak ridge, worth about as much as the first few hundred bars of a new listing. */
export function priorPenalty(theta: Float64Array, prior: GarchPrior): number {
  let sum = 0;
  for (let i = 0; i < 4; i++) {
    const distance = (theta[i]! - prior.centre[i]!) / prior.spread[i]!;
    sum += distance * distance;
  }
  return 0.5 * sum;
}

const SURVEY = "medians and 5–95 % range of own fits to 183 Hyperliquid perpetuals, 4320 hourly bars each";

/** Range GARCH: logit of P/0.9999, logit of α/P, artanh g, log of V over the window's mean variance. */
export const RANGE_GARCH_PRIOR: Calibrated<GarchPrior> = FITTED.rangeGarchPrior;

/** GJR: α + γ/2 0.095, β 0.87, hardly a leverage effect, whose sign is not constant in hourly crypto. */
export const GJR_GARCH_PRIOR: Calibrated<GarchPrior> = {
  value: {
    centre: [logit(0.965 / PERSISTENCE_SUPREMUM.value), logit(0.095 / 0.965), Math.atanh(0.05), 0],
    spread: [1.07, 0.34, 0.3, 0.5],
  },
  unit: "as the range GARCH prior, with A = α + γ/2",
  source: SURVEY,
  fittedOn: "Hyperliquid hourly candles to 2025; V's spread of 0.5 is chosen 2026-11",
};

/** What a fit may become before it is used: beyond these a path simulation or a long-run variance is not credible. */
export const GARCH_GUARDS: Calibrated<{
  readonly reactionMin: number;
  readonly reactionMax: number;
  readonly betaMin: number;
  readonly betaMax: number;
  readonly persistenceMax: number;
  readonly asymmetryMax: number;
}> = {
  value: {
    reactionMin: 0.01,
    reactionMax: 0.6,
    betaMin: 0.3,
    betaMax: 0.985,
    persistenceMax: 0.9995,
    asymmetryMax: 0.5,
  },
  unit: "1",
  source: "outside the 5–95 % range of every fit of the survey by a wide margin",
  fittedOn: "not fitted: chosen 2026-11",
};

/**
 * What forecasts and paths may go on with: the fit inside the guards, where the persistence limit takes from β first,
 * around its long-run variance as far as that is identified. A reaction that was brought to the scale of its news may
 * have taken the persistence past 1.
 */
export function anchored(coefficients: GarchCoefficients, windowVarianceStep: number): GarchCoefficients {
  const guard = GARCH_GUARDS.value;
  const persistence = coefficients.reaction + coefficients.beta;
  const longRun = guardedLongRunVariance(coefficients.omega, persistence, windowVarianceStep);
  const reaction = clamp(coefficients.reaction, guard.reactionMin, guard.reactionMax);
  const ceiling = Math.min(guard.betaMax, guard.persistenceMax - reaction);
  const beta = clamp(coefficients.beta, guard.betaMin, ceiling);
  const asymmetry = clamp(coefficients.asymmetry, -guard.asymmetryMax, guard.asymmetryMax);
  return { omega: longRun * (1 - reaction - beta), reaction, asymmetry, beta };
}

/** V = ω/(1−P), for P < 1. */
export function longRunOf(coefficients: GarchCoefficients): number {
  return coefficients.omega / (1 - coefficients.reaction - coefficients.beta);
}
