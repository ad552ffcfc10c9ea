import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";

/** A forecast of exactly 0 or 1 that is wrong would cost everything. */
const CLIP = 1e-15;

/**
 * Mean of −y ln p − (1−y) ln(1−p), p kept within 1e-15 of 0 and 1; lower is better. Null of nothing.
 *
 * Source:  Good, Rational decisions, J. Royal Statistical Society B 14 (1952)
 */
export function logLoss(probabilities: ArrayLike<number>, outcomes: ArrayLike<number>): number | null {
  const n = probabilities.length;
  invariant(outcomes.length === n, "a forecast for every outcome");
  let sum = 0;
  for (let i = 0; i < n; i++) sum += forecastLoss(probabilities[i]!, outcomes[i] === 1);
  return n === 0 ? null : sum / n;
}

/** The logarithmic loss of one forecast. */
export function forecastLoss(probability: number, hasHappened: boolean): number {
  const p = clamp(probability, CLIP, 1 - CLIP);
  return -(hasHappened ? Math.log(p) : Math.log1p(-p));
}
