import { mean } from "../../math/moments.ts";
import { minimise } from "../../math/nelder-mead.ts";
import { fillVariances, gaussianObjective, type GarchCoefficients } from "./garch-likelihood.ts";
import { coefficientsOf, priorPenalty, rescaled, thetaOf, type GarchPrior } from "./garch-parameters.ts";
import type { RangeGarchRecursion } from "./variance-recursion.ts";

export interface RangeGarchOptions {
  /** null fits the asset alone. */
  readonly prior: GarchPrior | null;
  /** A previous fit of the same asset to start from; null starts from the cross-section. */
  readonly start: RangeGarchRecursion | null;
  readonly evaluationsMax: number;
}

const COLD_START: GarchCoefficients = { omega: 0.035, reaction: 0.24, asymmetry: 0.01, beta: 0.725 };
/** Simplex edges on the optimiser's scale, about one cross-sectional spread. */
const STEPS = [1, 0.5, 0.3, 0.3] as const;
const WARM_EDGE = 0.2;
const TOLERANCE = 1e-4;

/**
 * Fits h' = ω + α(1 + g s) x + βh by quasi-maximum likelihood on data scaled to mean x = 1 (unscaled hourly variances
 * defeat an optimiser). Shapes: `returns` and `ranges` of one length; both deseasonalised, ranges already on the scale
 * of squared returns. Holds: scaling returns by c and ranges by c² scales ω by c² and nothing else.
 */
export function fitRangeGarch(
  returns: Float64Array,
  ranges: Float64Array,
  options: RangeGarchOptions,
): RangeGarchRecursion {
  const variance = mean(ranges);
  const scale = 1 / Math.sqrt(variance);
  const r = returns.map((value) => value * scale);
  const x = ranges.map((value) => value / variance);
  const { prior, start } = options;
  const best = minimise(
    (theta) => {
      const penalty = prior === null ? 0 : priorPenalty(theta, prior);
      return gaussianObjective(coefficientsOf(theta), r, x, 1) + penalty;
    },
    thetaOf(start === null ? COLD_START : rescaled(coefficientsOfRangeGarch(start), 1 / variance)),
    {
      steps: start === null ? STEPS : STEPS.map((step) => step * WARM_EDGE),
      evaluationsMax: options.evaluationsMax,
      tolerance: TOLERANCE,
      restarts: 1,
    },
  );
  return rangeGarchOf(rescaled(coefficientsOf(best), variance));
}

/** The variances h_1 … h_{n+1} with h_1 = mean range; the last is the forecast. Shapes: as fitRangeGarch. */
export function filterRangeGarch(
  recursion: RangeGarchRecursion,
  returns: Float64Array,
  ranges: Float64Array,
): Float64Array {
  const out = new Float64Array(returns.length + 1);
  fillVariances(coefficientsOfRangeGarch(recursion), returns, ranges, mean(ranges), out);
  return out;
}

/** One bar: the next variance from this one's h, return and range variance. */
export function updateRangeGarch(
  recursion: RangeGarchRecursion,
  varianceStep: number,
  returnStep: number,
  rangeVariance: number,
): number {
  const sign = returnStep < 0 ? 1 : -1;
  const reaction = recursion.alpha * (1 + recursion.asymmetry * sign);
  return recursion.omega + reaction * rangeVariance + recursion.beta * varianceStep;
}

export function rangeGarchOf(coefficients: GarchCoefficients): RangeGarchRecursion {
  const { omega, reaction, asymmetry, beta } = coefficients;
  return { kind: "range-garch", omega, alpha: reaction, asymmetry, beta };
}

export function coefficientsOfRangeGarch(recursion: RangeGarchRecursion): GarchCoefficients {
  const { omega, alpha, asymmetry, beta } = recursion;
  return { omega, reaction: alpha, asymmetry, beta };
}

/**
 * Mean of (1 + g s) ξ over the window. Quasi-likelihood fits h to r², so x = c·k may average to something else than h.
 * Moving this factor from c into α leaves every h as it is and makes E[(1 + g s) ξ] = 1, which the closed forms of the
 * term structure and α + β as persistence assume; a second model fitted on the same x then has the same level.
 */
export function meanNewsRatio(
  recursion: RangeGarchRecursion,
  returns: Float64Array,
  ranges: Float64Array,
): number {
  const variances = filterRangeGarch(recursion, returns, ranges);
  let sum = 0;
  for (let t = 0; t < returns.length; t++) {
    const tilt = returns[t]! < 0 ? 1 + recursion.asymmetry : 1 - recursion.asymmetry;
    sum += (tilt * ranges[t]!) / variances[t]!;
  }
  return sum / returns.length;
}
