import { regularizedIncompleteBeta } from "./incomplete-beta.ts";
import { invariant } from "./invariant.ts";

/** Order statistics beyond both reaches weigh nothing: twelve binomial deviations, or e^−40 near the ends. */
const REACH_DEVIATIONS = 12;
const REACH_RANKS = 40;
/** Weights below this are not stored; together they are below 1e-9 of the whole. */
const WEIGHT_MIN = 1e-10;

/**
 * The non-zero weights of the Harrell–Davis quantile for one sample size and confidence, by rank from the largest.
 *
 * Shapes:  weights[j] belongs to the value of rank firstRank + j, rank 0 being the largest
 * Holds:   weights are positive and sum to 1
 */
export interface HarrellDavisWeights {
  readonly sampleSize: number;
  readonly confidence: number;
  readonly firstRank: number;
  readonly weights: Float64Array;
}

/**
 * Weights of the Harrell–Davis L-estimator, w_j = I_{j/n}(a,b) − I_{(j−1)/n}(a,b) with a = (n+1)c, b = (n+1)(1−c).
 *
 * Source:  Harrell and Davis, A new distribution-free quantile estimator, Biometrika 69 (1982)
 */
export function buildHarrellDavisWeights(sampleSize: number, confidence: number): HarrellDavisWeights {
  invariant(sampleSize >= 1 && confidence > 0 && confidence < 1, "a sample and a confidence inside (0, 1)");
  // Counted from the largest value the roles of a and b swap, which keeps full precision in the upper tail.
  const a = (sampleSize + 1) * (1 - confidence);
  const b = (sampleSize + 1) * confidence;
  const centre = sampleSize * (1 - confidence);
  const reach = REACH_RANKS + REACH_DEVIATIONS * Math.sqrt(sampleSize * confidence * (1 - confidence));
  const from = Math.max(0, Math.floor(centre - reach));
  const to = Math.min(sampleSize, Math.ceil(centre + reach));

  const all = new Float64Array(to - from);
  let below = regularizedIncompleteBeta(from / sampleSize, a, b);
  for (let rank = from; rank < to; rank++) {
    const above = regularizedIncompleteBeta((rank + 1) / sampleSize, a, b);
    all[rank - from] = above - below;
    below = above;
  }

  const first = all.findIndex((weight) => weight >= WEIGHT_MIN);
  const last = all.findLastIndex((weight) => weight >= WEIGHT_MIN);
  const weights = all.slice(first, last + 1);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return { sampleSize, confidence, firstRank: from + first, weights: weights.map((weight) => weight / sum) };
}

/** How many of the largest values the estimate reads. */
export function harrellDavisReach(weights: HarrellDavisWeights): number {
  return weights.firstRank + weights.weights.length;
}

/**
 * The estimate Σ w_j x_(j), in four sums side by side: each addition to one would wait for the one before.
 *
 * Shapes:  descending, at least as long as the weights reach
 */
export function harrellDavisOfDescending(
  descending: ArrayLike<number>,
  { firstRank, weights }: HarrellDavisWeights,
): number {
  const { length } = weights;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let j = 0;
  for (let rank = firstRank; j + 3 < length; j += 4, rank += 4) {
    a += weights[j]! * descending[rank]!;
    b += weights[j + 1]! * descending[rank + 1]!;
    c += weights[j + 2]! * descending[rank + 2]!;
    d += weights[j + 3]! * descending[rank + 3]!;
  }
  for (; j < length; j++) a += weights[j]! * descending[firstRank + j]!;
  return a + b + (c + d);
}
