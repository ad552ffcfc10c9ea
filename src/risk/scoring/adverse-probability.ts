import { logit } from "../../math/logistic.ts";
import { SCORE } from "../calibration/calibration.ts";
import { type Ramp, rampValue } from "../../math/ramp.ts";

/** The calibrated curve with its knots in log-odds. */
const CURVE: Ramp = {
  at: SCORE.adverseCurve.value.at.map(logit),
  value: SCORE.adverseCurve.value.value,
};
/** Below the first knot of the curve nothing is added, and no logarithm is needed to say so. */
const HARMLESS_PROBABILITY = SCORE.adverseCurve.value.at[0]!;

/**
 * The points that a probability of an adverse outcome (liquidation, or loss of half of the equity behind the position, within 24 h) is worth.
 *
 *   100 F(p), F straight in log-odds through 1 % -> 25, 5 % -> 40, 20 % -> 70, 50 % -> 90
 *
 * Holds:   strictly increasing between 0.05 % and 99 %; scoreProbability is its inverse
 */
export function adversePoints(probability: number): number {
  if (probability <= HARMLESS_PROBABILITY) return CURVE.value[0]!;
  if (probability >= 1) return CURVE.value.at(-1)!;
  return rampValue(CURVE, logit(probability));
}
