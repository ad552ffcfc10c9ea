import { DAY_HOURS } from "../../domain/bar.ts";
import { raisedToTouchFloor } from "./touch-floor.ts";
import type { HorizonHours } from "./horizon.ts";
import { horizonIndex } from "./horizon.ts";
import type { PathExtremes } from "./path-extremes.ts";
import { touchProbability } from "./path-extremes.ts";

/** Beyond it nothing is traded: e^32 is fourteen orders of magnitude. */
const LOG_DISTANCE_MAX = 32;

/**
 * Probability that the price goes a log distance against a side within the horizon: the share of simulated paths that
 * did, at least the pooled floor.
 *
 * Shapes:  adversePaths one per horizon, ascending
 * Holds:   non-increasing in the distance, non-decreasing in the horizon
 */
export function touchWithin(
  adversePaths: readonly PathExtremes[],
  sigmaDay: number,
  logDistance: number,
  horizonHours: HorizonHours,
): number {
  const last = horizonIndex(horizonHours);
  const { sigmaRatio } = adversePaths[last]!;
  let probability = touchProbability(adversePaths[last]!, logDistance);
  for (let horizon = 0; horizon < last; horizon++) {
    // Paths only go deeper with time: a shorter horizon counts more only where it was rescaled by more.
    if (adversePaths[horizon]!.sigmaRatio <= sigmaRatio) continue;
    probability = Math.max(probability, touchProbability(adversePaths[horizon]!, logDistance));
  }
  const sigma = sigmaDay * Math.sqrt(horizonHours / DAY_HOURS);
  return raisedToTouchFloor(probability, logDistance, sigma);
}

/**
 * The inverse over 24 hours: the least log distance whose touch is no likelier than a probability, to the last bit, by
 * halving. Infinity where too few paths were drawn to tell any distance that safe.
 */
export function touchDistance(
  adversePaths: readonly PathExtremes[],
  sigmaDay: number,
  probability: number,
): number {
  const isSafe = (logDistance: number): boolean =>
    touchWithin(adversePaths, sigmaDay, logDistance, DAY_HOURS) <= probability;
  if (!isSafe(LOG_DISTANCE_MAX)) return Infinity;
  let unsafe = 0;
  let safe = LOG_DISTANCE_MAX;
  for (;;) {
    const middle = (unsafe + safe) / 2;
    if (middle === unsafe || middle === safe) return safe;
    if (isSafe(middle)) safe = middle;
    else unsafe = middle;
  }
}
