import { SCORE } from "../calibration.ts";
import { type Ramp, rampInverse, rampTable, rampValue } from "./ramp.ts";

const logOdds = (probability: number): number => Math.log(probability / (1 - probability));

/** The calibrated curve with its knots in log-odds. */
const CURVE: Ramp = {
  at: SCORE.adverseCurve.value.at.map(logOdds),
  value: SCORE.adverseCurve.value.value,
};
const TABLE = rampTable(CURVE);
/** Below the first knot of the curve nothing is added, and no logarithm is needed to say so. */
const HARMLESS_PROBABILITY = SCORE.adverseCurve.value.at[0]!;

/**
 * The points that a probability of an adverse outcome (liquidation, or loss of half of the equity behind the position, within 24 h) is worth.
 *
 *   100 F(p), F straight in log-odds through 1 % -> 25, 5 % -> 40, 20 % -> 70, 50 % -> 90
 *
 * Holds:   strictly increasing between 0.05 % and 99 %
 */
export function adversePoints(probability: number): number {
  if (probability <= HARMLESS_PROBABILITY) return CURVE.value[0]!;
  if (probability >= 1) return CURVE.value.at(-1)!;
  return rampValue(TABLE, logOdds(probability));
}

/** The probability of an adverse outcome that a score stands for: the inverse of adversePoints. */
export function adverseProbabilityOfScore(score: number): number {
  return 1 / (1 + Math.exp(-rampInverse(CURVE, score)));
}
