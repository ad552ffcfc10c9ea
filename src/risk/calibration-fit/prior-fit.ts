import { quantileOfSorted } from "../../math/quantile.ts";
import {
  coefficientsOf,
  type GarchPrior,
  RANGE_GARCH_PRIOR,
  thetaOf,
} from "../volatility/garch-parameters.ts";
import type { FitFinding } from "./fit-finding.ts";

/** One coin's own range GARCH, fitted without a prior. */
export interface OwnGarch {
  readonly asset: string;
  readonly reaction: number;
  readonly asymmetry: number;
  readonly beta: number;
}

/** The survey in force covers 183 coins: far fewer cannot replace it. */
const COINS_MIN = 100;

/** Medians and spreads of the optimiser's parameters over the coins' own fits; the level's stay as they are. */
export function fitRangeGarchPrior(fits: readonly OwnGarch[], data: string): FitFinding<GarchPrior> {
  const inForce = RANGE_GARCH_PRIOR.value;
  const thetas = fits.map(({ reaction, asymmetry, beta }) =>
    thetaOf({ omega: 1 - reaction - beta, reaction, asymmetry, beta }),
  );
  const quantile = (i: number, p: number): number =>
    quantileOfSorted(Float64Array.from(thetas, (theta) => theta[i]!).sort(), p);
  const centre = [quantile(0, 0.5), quantile(1, 0.5), quantile(2, 0.5), inForce.centre[3]] as const;
  // Width of the 5–95 % range of a normal: 3.29 deviations.
  const spreadOf = (i: number): number => (quantile(i, 0.95) - quantile(i, 0.05)) / 3.29;
  const spread = [spreadOf(0), spreadOf(1), spreadOf(2), inForce.spread[3]] as const;
  const isAdopted = fits.length >= COINS_MIN;
  const distances = [0, 1, 2].map((i) => (centre[i]! - inForce.centre[i]!) / inForce.spread[i]!);
  const median = coefficientsOf(Float64Array.from(centre));
  return {
    fitted: { centre, spread },
    method:
      "medians and 5–95 % ranges over 3.29 of the coins' own fits; the level's centre and spread are chosen",
    standardError: null,
    isAdopted,
    verdict: isAdopted
      ? `medians of ${String(fits.length)} coins`
      : `${String(fits.length)} coins against 183 of the survey; medians lie ${distances.map((d) => d.toFixed(2)).join(", ")} of its spreads away`,
    data,
    evidence: {
      reactionMedian: median.reaction,
      persistenceMedian: median.reaction + median.beta,
      asymmetryMedian: median.asymmetry,
      centre,
      spread,
      distancesInSpreads: distances,
    },
  };
}
