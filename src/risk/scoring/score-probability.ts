import { logistic, logit } from "../../math/logistic.ts";
import { type Ramp, rampInverse } from "../../math/ramp.ts";

/**
 * The probability of an adverse outcome that a score stands for under a published curve (score points over
 * probability, straight in log-odds). The curve travels with the calibration hash, so that an old score keeps its
 * meaning.
 *
 * Holds:   increasing in the score; inverse of adversePoints for the curve in force
 */
export function scoreProbability(curve: Ramp, score: number): number {
  const logOddsCurve: Ramp = { at: curve.at.map(logit), value: curve.value };
  return logistic(rampInverse(logOddsCurve, score));
}
