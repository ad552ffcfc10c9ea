import { estimatedProbability } from "../../math/binomial.ts";
import { invariant } from "../../math/invariant.ts";
import { sortFloats } from "../../math/radix-sort.ts";

/** Paths whose depth is kept exactly: the 6 % worst of 16 384, where liquidation probabilities lie. */
const EXACT_PATHS = 1024;
/** Beyond them every n-th is kept, so that an asset's eight vectors take 131 kB instead of 524. */
const THINNED_PATHS = 3072;

/**
 * How far paths went against a position within a horizon, ready for a binary search.
 *
 * Shapes:  depths descending; the first `exact` are the deepest paths one by one, the rest every `stride`-th
 * Units:   depth = −(lowest log return) for a long, highest log return for a short; at least 0
 */
export interface PathExtremes {
  readonly paths: number;
  readonly exact: number;
  readonly stride: number;
  readonly depths: Float32Array;
  /** Ratio of sigma now to sigma when the paths were drawn; depths count this many times. */
  readonly sigmaRatio: number;
}

/** How many depths are kept of so many paths. */
export function depthsLengthOf(paths: number): number {
  const exact = exactOf(paths);
  return exact + Math.floor((paths - exact) / strideOf(paths));
}

/**
 * Fills `depths` with what is kept.
 *
 * Shapes:  excursions as simulated, lows when direction is +1, highs when −1; they are sorted in place
 */
export function buildPathExtremes(
  excursions: Float32Array,
  direction: 1 | -1,
  depths: Float32Array = new Float32Array(depthsLengthOf(excursions.length)),
): PathExtremes {
  const paths = excursions.length;
  sortFloats(excursions);
  const depthOf = (rank: number): number =>
    direction === 1 ? 0 - excursions[rank]! : excursions[paths - 1 - rank]!;
  const exact = exactOf(paths);
  const stride = strideOf(paths);
  for (let i = 0; i < depths.length; i++) {
    depths[i] = depthOf(i < exact ? i : exact + (i - exact + 1) * stride - 1);
  }
  return { paths, exact, stride, depths, sigmaRatio: 1 };
}

function exactOf(paths: number): number {
  return Math.min(EXACT_PATHS, paths);
}

function strideOf(paths: number): number {
  return Math.max(1, Math.ceil((paths - exactOf(paths)) / THINNED_PATHS));
}

/**
 * Share of paths that went at least `logDistance` against the position, smoothed: (k + ½)/(N + 1), so that no hit is
 * not "impossible".
 *
 * Holds:   non-increasing in the distance; the largest possible value at distance 0
 */
export function touchProbability(extremes: PathExtremes, logDistance: number): number {
  invariant(!Number.isNaN(logDistance), "a distance is a number");
  return estimatedProbability(pathsBeyond(extremes, logDistance), extremes.paths);
}

function pathsBeyond(extremes: PathExtremes, logDistance: number): number {
  const { depths, exact, stride, paths, sigmaRatio } = extremes;
  const wanted = logDistance / sigmaRatio;
  let low = 0;
  let high = depths.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (depths[middle]! >= wanted) low = middle + 1;
    else high = middle;
  }
  if (low === depths.length && wanted <= 0) return paths;
  // Between two kept depths lie stride − 1 unknown paths: count half of them.
  return low < exact ? low : Math.min(paths, exact + (low - exact) * stride + (stride - 1) / 2);
}

/** The same paths at another level of sigma. */
export function rescaleExtremes(extremes: PathExtremes, ratio: number): PathExtremes {
  const { paths, exact, stride, depths, sigmaRatio } = extremes;
  return { paths, exact, stride, depths, sigmaRatio: sigmaRatio * ratio };
}
