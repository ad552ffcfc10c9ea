import { quantileOfSorted } from "../../math/quantile.ts";
import {
  coefficientsOf,
  type GarchPrior,
  RANGE_GARCH_PRIOR,
  thetaOf,
} from "../volatility/garch-parameters.ts";
import { filterRangeGarch, fitRangeGarch } from "../volatility/range-garch.ts";
import { clusteredMean, type FitFinding, isClearGain } from "./fit-finding.ts";

/** One coin's own range GARCH, fitted without a prior. */
export interface OwnGarch {
  readonly reaction: number;
  readonly asymmetry: number;
  readonly beta: number;
  /** What it was fitted to: deseasonalised returns, and ranges on the scale of their squares. */
  readonly returns: Float64Array;
  readonly ranges: Float64Array;
}

/** A young listing's history, where a prior matters, and as much after it to judge by. */
const YOUNG_HOURS = 336;
const EVALUATIONS_MAX = 160;
/** The survey in force covers 183 coins: far fewer cannot replace it. */
const COINS_MIN = 100;

/**
 * Medians and spreads of the optimiser's parameters over the coins' own fits; the level's stay as they are. Judged on
 * two weeks after fits to two weeks: a coin's own parameters are left out of the prior that it is fitted with.
 */
export function fitRangeGarchPrior(fits: readonly OwnGarch[], data: string): FitFinding<GarchPrior> {
  const inForce = RANGE_GARCH_PRIOR.value;
  const fitted = priorOf(fits);
  const gain = clusteredMean(fits.map((one) => gainOf(one, priorOf(fits.filter((other) => other !== one)))));
  const isAdopted = fits.length >= COINS_MIN && isClearGain(gain);
  const distances = [0, 1, 2].map((i) => (fitted.centre[i]! - inForce.centre[i]!) / inForce.spread[i]!);
  const median = coefficientsOf(Float64Array.from(fitted.centre));
  const size = `log likelihood of an hour after a fit to ${String(YOUNG_HOURS)} ${gain.mean.toFixed(5)} ± ${gain.standardError.toFixed(5)} higher`;
  // A coin is judged by the prior of the others.
  const few = `${String(fits.length)} coins against 183 of the survey`;
  return {
    fitted,
    method:
      "medians and 5–95 % ranges over 3.29 of the coins' own fits; the level's centre and spread are chosen",
    standardError: gain.standardError,
    isAdopted,
    verdict: fits.length < COINS_MIN ? (fits.length > 1 ? `${few}; ${size}` : few) : size,
    data,
    evidence: {
      reactionMedian: median.reaction,
      persistenceMedian: median.reaction + median.beta,
      asymmetryMedian: median.asymmetry,
      centre: fitted.centre,
      spread: fitted.spread,
      distancesInSpreads: distances,
      gainPerHour: gain.mean,
      gainStandardError: gain.standardError,
    },
  };
}

function priorOf(fits: readonly OwnGarch[]): GarchPrior {
  const inForce = RANGE_GARCH_PRIOR.value;
  const thetas = fits.map(({ reaction, asymmetry, beta }) =>
    thetaOf({ omega: 1 - reaction - beta, reaction, asymmetry, beta }),
  );
  const quantile = (i: number, p: number): number =>
    quantileOfSorted(Float64Array.from(thetas, (theta) => theta[i]!).sort(), p);
  // Width of the 5–95 % range of a normal: 3.29 deviations.
  const spreadOf = (i: number): number => (quantile(i, 0.95) - quantile(i, 0.05)) / 3.29;
  return {
    centre: [quantile(0, 0.5), quantile(1, 0.5), quantile(2, 0.5), inForce.centre[3]],
    spread: [spreadOf(0), spreadOf(1), spreadOf(2), inForce.spread[3]],
  };
}

/** Over disjoint periods: how much likelier the hours are that follow a fit under the new prior than under the old. */
function gainOf(
  { returns, ranges }: OwnGarch,
  prior: GarchPrior,
): { readonly sum: number; readonly count: number } {
  let sum = 0;
  let count = 0;
  for (let from = 0; from + 2 * YOUNG_HOURS <= returns.length; from += 2 * YOUNG_HOURS) {
    const r = returns.subarray(from, from + 2 * YOUNG_HOURS);
    const x = ranges.subarray(from, from + 2 * YOUNG_HOURS);
    sum += laterLogLikelihood(r, x, prior) - laterLogLikelihood(r, x, RANGE_GARCH_PRIOR.value);
    count += YOUNG_HOURS;
  }
  return { sum, count };
}

/** Of the second half, with the parameters that the first half and the prior give. */
function laterLogLikelihood(returns: Float64Array, ranges: Float64Array, prior: GarchPrior): number {
  const recursion = fitRangeGarch(returns.subarray(0, YOUNG_HOURS), ranges.subarray(0, YOUNG_HOURS), {
    prior,
    start: null,
    evaluationsMax: EVALUATIONS_MAX,
  });
  const variances = filterRangeGarch(recursion, returns, ranges);
  let sum = 0;
  for (let t = YOUNG_HOURS; t < returns.length; t++) {
    sum -= 0.5 * (Math.log(variances[t]!) + returns[t]! ** 2 / variances[t]!);
  }
  return sum;
}
