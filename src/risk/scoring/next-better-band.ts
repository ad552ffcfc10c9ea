import type { MarginMode } from "../../domain/account.ts";
import { lowerEndOfRoot } from "../../math/bracketed-root.ts";
import { SCORE } from "../calibration/calibration.ts";
import { type Recommendation, recommendationOf } from "./bands.ts";

/** The smallest single changes that reach the next better recommendation, the rest left as requested. */
export interface NextBetterBand {
  readonly recommendation: Recommendation;
  /**
   * Largest smaller size; null where neither the smallest, nor that of the position held against the order, nor a half, a
   * quarter or an eighth of the requested reaches it.
   */
  readonly notionalUsd: number | null;
  /** Highest lower whole leverage; null where neither 1 nor a half, a quarter or an eighth of the requested reaches it. */
  readonly leverage: number | null;
  /** The other margin mode; null where it does not reach it or is not allowed. */
  readonly marginMode: MarginMode | null;
}

export interface BandSearch {
  readonly score: number;
  readonly notionalUsd: number;
  readonly leverage: number;
  /** The mode to try; null when the asset allows no other. */
  readonly otherMode: MarginMode | null;
  readonly smallestUsd: number;
  /** Notional of the position that the order runs against; 0 without one. */
  readonly opposedUsd: number;
  /** The unrounded score of the same trade with another size, leverage or mode. */
  readonly scoreOf: (notionalUsd: number, leverage: number, mode: MarginMode | null) => number;
}

/** The size named is at most this far below one that fails, as a share. */
const SIZE_TOLERANCE = 1e-3;
/** Shares of the requested size or leverage at which a band is looked for that the smallest does not reach. */
const SHARES_TRIED = [1 / 2, 1 / 4, 1 / 8];

/**
 * Null when the score already says "proceed". At most 26 assessments of 10 USD to 100 million: 18 sizes, of which a score
 * without steps takes about half, 7 leverages up to 50, a mode.
 */
export function findNextBetterBand(search: BandSearch): NextBetterBand | null {
  const { score, notionalUsd, leverage, otherMode, scoreOf } = search;
  const current = recommendationOf(score);
  if (current === "proceed") return null;
  const target = current === "abort" ? SCORE.cautionMax.value : SCORE.proceedMax.value;
  return {
    recommendation: recommendationOf(target),
    notionalUsd: largestSize(search, target),
    leverage: highestLeverage(leverage, (lower) => scoreOf(notionalUsd, lower, null) <= target),
    marginMode: otherMode !== null && scoreOf(notionalUsd, leverage, otherMode) <= target ? otherMode : null,
  };
}

/**
 * The lower end of the bracket always reaches the band, so the answer does even where the score is not monotone.
 * Searched by ratio, so that of a far too large request few of the sizes tried are near it, which with many positions are
 * the dear ones.
 */
function largestSize(search: BandSearch, target: number): number | null {
  const { score, notionalUsd, leverage, smallestUsd, opposedUsd } = search;
  const excessOf = (sizeUsd: number): number => search.scoreOf(sizeUsd, leverage, null) - target;
  // The smallest where that reaches the band; where it does not, which margin for a position in danger can cause, what
  // ends the position held against the order, or a share.
  for (const low of [smallestUsd, opposedUsd, ...SHARES_TRIED.map((share) => share * notionalUsd)]) {
    if (low < smallestUsd || low >= notionalUsd) continue;
    const excess = excessOf(low);
    if (excess > 0) continue;
    const sizeAt = (lnRatio: number): number => low * Math.exp(lnRatio);
    const bracket = {
      low: 0,
      high: Math.log(notionalUsd / low),
      valueLow: excess,
      valueHigh: score - target,
    };
    return sizeAt(
      lowerEndOfRoot(bracket, Math.log1p(SIZE_TOLERANCE), (lnRatio) => excessOf(sizeAt(lnRatio))),
    );
  }
  return null;
}

/** Never more than seven trials up to 50: a share that fails bounds the search from above. */
function highestLeverage(leverage: number, reaches: (lower: number) => boolean): number | null {
  let high = Math.ceil(leverage);
  // 1 where that reaches the band; where it does not, for it takes the most margin from other positions, a share.
  for (const low of new Set([1, ...SHARES_TRIED.map((share) => Math.ceil(share * leverage))])) {
    if (low >= leverage) continue;
    if (reaches(low)) return highestBetween(low, high, reaches);
    if (low > 1) high = low;
  }
  return null;
}

/** From one that reaches to one that does not. */
function highestBetween(low: number, high: number, reaches: (lower: number) => boolean): number {
  if (high - low <= 1) return low;
  const middle = Math.floor((low + high) / 2);
  return reaches(middle) ? highestBetween(middle, high, reaches) : highestBetween(low, middle, reaches);
}
