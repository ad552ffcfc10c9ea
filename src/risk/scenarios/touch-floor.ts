import type { Calibrated } from "../../domain/calibrated.ts";
import { FITTED } from "../calibration/fitted-values.ts";

/**
 * How often any coin fell this far below its price within a day. The far end bounds from below
 * what a model of one coin's own history can know.
 */
export const POOLED_TOUCH: Calibrated<readonly (readonly [number, number])[]> = FITTED.pooledTouch;
/** Deviation of a day's log return behind the table. */
export const POOLED_DAY_SIGMA: Calibrated = FITTED.pooledDaySigma;
export const POOLED_FLOOR_SHARE: Calibrated = {
  value: 0.1,
  unit: "share of the pooled frequency",
  source: "chosen: the model understates falls beyond 20 % by a factor of 1.3 to 2, never by 10",
  fittedOn: "2020-07 to 2024-04 (11 013 coin-days) and 2024-04 to 2026-05 (6112), equal weights",
};

/**
 * A probability of touching a barrier, or the least that a coin of this volatility may be given where that is higher: a
 * tenth of the pooled frequency at the same distance in standard deviations, by straight lines in logarithms, the last
 * one continued.
 *
 * Units:   sigma of log returns over the horizon, not annualised
 * Holds:   the floor is in (0, 0.1], non-increasing in the distance, non-decreasing in sigma
 */
export function raisedToTouchFloor(probability: number, logDistance: number, sigma: number): number {
  if (!(sigma > 0)) return probability;
  const share = POOLED_FLOOR_SHARE.value;
  const scaled = (logDistance / sigma) * POOLED_DAY_SIGMA.value;
  // Nearer than the table the frequency rises straight to 1 at no distance.
  if (!(scaled > NEAREST.logFall)) {
    const fromNothing = Math.max(0, scaled) / NEAREST.logFall;
    return Math.max(probability, share * (1 - (1 - NEAREST.share) * fromNothing));
  }
  let k = LINES.length - 1;
  while (k > 0 && scaled <= LINES[k]!.left) k--;
  const line = LINES[k]!;
  // A line falls from its left end: what is above that end needs no logarithm.
  if (probability >= share * line.leftShare) return probability;
  return Math.max(probability, share * Math.exp(line.logShare + line.slope * (Math.log(scaled) - line.from)));
}

/** The table by log distances, as its deviation is one of logarithms. */
const POINTS = POOLED_TOUCH.value.map(([fall, share]) => ({ logFall: -Math.log1p(-fall), share }));
const NEAREST = POINTS[0]!;

/** Its lines in logarithms of both, each from its left end. */
const LINES = POINTS.slice(1).map((right, k) => {
  const left = POINTS[k]!;
  const from = Math.log(left.logFall);
  const logShare = Math.log(left.share);
  return {
    left: left.logFall,
    leftShare: left.share,
    from,
    logShare,
    slope: (Math.log(right.share) - logShare) / (Math.log(right.logFall) - from),
  };
});
