import { invariant } from "../../math/invariant.ts";

/**
 * Joint loss of a VaR and ES forecast, lowest on average for the true pair; homogeneous of degree 0, so that calm and
 * wild times and assets weigh alike.
 *
 *   FZ0 = 1{L > VaR}(L − VaR)/(p ES) + VaR/ES + ln ES − 1
 *
 * Source:  Patton, Ziegel and Chen, Dynamic semiparametric models for expected shortfall, J. Econometrics 211 (2019)
 */
export function fzLoss(
  loss: number,
  valueAtRisk: number,
  expectedShortfall: number,
  tailProbability: number,
): number {
  invariant(expectedShortfall > 0, "a shortfall is a loss");
  const excess = loss > valueAtRisk ? (loss - valueAtRisk) / tailProbability : 0;
  return (excess + valueAtRisk) / expectedShortfall + Math.log(expectedShortfall) - 1;
}

/**
 * Quantile loss of a VaR forecast alone, (1{L > VaR} − p)(L − VaR), lowest on average for the true quantile.
 *
 * Source:  Koenker and Bassett, Regression quantiles, Econometrica 46 (1978)
 */
export function tickLoss(loss: number, valueAtRisk: number, tailProbability: number): number {
  return ((loss > valueAtRisk ? 1 : 0) - tailProbability) * (loss - valueAtRisk);
}
