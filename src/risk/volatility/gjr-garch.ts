import { mean, meanSquare } from "../../math/moments.ts";
import { minimise } from "../../math/nelder-mead.ts";
import {
  fillVariances,
  gaussianObjective,
  studentTObjective,
  type GarchCoefficients,
} from "./garch-likelihood.ts";
import { coefficientsOf, priorPenalty, rescaled, thetaOf, type GarchPrior } from "./garch-parameters.ts";
import type { GjrGarchRecursion } from "./variance-recursion.ts";

export interface GjrGarchOptions {
  /** gaussian (used for sigma) or student-t (a diagnosis of the tail; never its quantile). */
  readonly likelihood: "gaussian" | "student-t";
  /** false holds γ at 0: plain GARCH. */
  readonly isAsymmetric: boolean;
  readonly prior: GarchPrior | null;
  readonly evaluationsMax: number;
}

export interface GjrGarchFit {
  readonly recursion: GjrGarchRecursion;
  /** Degrees of freedom of the Student likelihood; null for the Gaussian one. */
  readonly nu: number | null;
}

const COLD_START: GarchCoefficients = { omega: 0.035, reaction: 0.08, asymmetry: 0.01, beta: 0.885 };
const STEPS = { garch: [1, 0.5, 0.3, 0.3], logNu: 0.5 } as const;
/** Below 2.5 the variance-1 form degenerates: sigma explodes or dies. */
const NU_MIN = 2.5;
const NU_START = 5;
const TOLERANCE = 1e-5;

/**
 * Fits h' = ω + (α + γ1[r<0]) r² + βh, h_1 = mean r², on data scaled to unit variance. Hourly drift is noise: none is
 * fitted.
 * Holds: α ≥ 0, α + γ ≥ 0, β ≥ 0, α + γ/2 + β < 1. Source: Glosten, Jagannathan and Runkle, J. Finance 48 (1993).
 */
export function fitGjrGarch(returns: Float64Array, options: GjrGarchOptions): GjrGarchFit {
  const variance = meanSquare(returns);
  const sd = Math.sqrt(variance);
  const likelihood = new GjrLikelihood(
    returns.map((value) => value / sd),
    options,
  );
  const start = [...thetaOf(COLD_START)];
  const steps: number[] = [...STEPS.garch];
  if (!options.isAsymmetric) start[2] = 0;
  if (options.likelihood === "student-t") {
    start.push(Math.log(NU_START - NU_MIN));
    steps.push(STEPS.logNu);
  }
  const { prior } = options;
  const best = minimise(
    (theta) => likelihood.objectiveAt(theta) + (prior === null ? 0 : priorPenalty(theta, prior)),
    Float64Array.from(start),
    { steps, evaluationsMax: options.evaluationsMax, tolerance: TOLERANCE, restarts: 3 },
  );
  const { coefficients, nu } = likelihood.parametersAt(best);
  return {
    recursion: gjrGarchOf(rescaled(coefficients, variance)),
    nu: options.likelihood === "student-t" ? nu : null,
  };
}

/** The likelihood over θ = (garch θ, [ln(ν − 2.5)]) of one series. */
class GjrLikelihood {
  readonly #returns: Float64Array;
  readonly #options: GjrGarchOptions;
  readonly #squares: Float64Array;
  readonly #firstVariance: number;

  constructor(returns: Float64Array, options: GjrGarchOptions) {
    this.#returns = returns;
    this.#options = options;
    this.#squares = returns.map((value) => value * value);
    this.#firstVariance = mean(this.#squares);
  }

  parametersAt(theta: Float64Array): { coefficients: GarchCoefficients; nu: number } {
    const hasNu = this.#options.likelihood === "student-t";
    const { omega, reaction, asymmetry, beta } = coefficientsOf(theta);
    return {
      coefficients: { omega, reaction, asymmetry: this.#options.isAsymmetric ? asymmetry : 0, beta },
      nu: hasNu ? NU_MIN + Math.exp(theta[4]!) : Infinity,
    };
  }

  objectiveAt(theta: Float64Array): number {
    const { coefficients, nu } = this.parametersAt(theta);
    return this.#options.likelihood === "student-t"
      ? studentTObjective(coefficients, this.#returns, this.#squares, this.#firstVariance, nu)
      : gaussianObjective(coefficients, this.#returns, this.#squares, this.#firstVariance);
  }
}

/** The variances h_1 … h_{n+1} with h_1 = mean e²; the last is the forecast. */
export function filterGjrGarch(recursion: GjrGarchRecursion, residuals: Float64Array): Float64Array {
  const squares = residuals.map((value) => value * value);
  const out = new Float64Array(residuals.length + 1);
  fillVariances(coefficientsOfGjr(recursion), residuals, squares, mean(squares), out);
  return out;
}

/** One bar: the next variance from this one's h and return. */
export function updateGjrGarch(
  recursion: GjrGarchRecursion,
  varianceStep: number,
  returnStep: number,
): number {
  const reaction = returnStep < 0 ? recursion.alpha + recursion.gamma : recursion.alpha;
  return recursion.omega + reaction * returnStep * returnStep + recursion.beta * varianceStep;
}

export function gjrGarchOf(coefficients: GarchCoefficients): GjrGarchRecursion {
  const { omega, reaction, asymmetry, beta } = coefficients;
  return {
    kind: "gjr-garch",
    omega,
    alpha: reaction * (1 - asymmetry),
    gamma: 2 * reaction * asymmetry,
    beta,
  };
}

export function coefficientsOfGjr(recursion: GjrGarchRecursion): GarchCoefficients {
  const reaction = recursion.alpha + recursion.gamma / 2;
  const asymmetry = reaction === 0 ? 0 : recursion.gamma / (2 * reaction);
  return { omega: recursion.omega, reaction, asymmetry, beta: recursion.beta };
}
