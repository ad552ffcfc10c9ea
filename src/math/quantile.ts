/**
 * Quantile by linear interpolation between order statistics (Hyndman–Fan type 7): x_(h), h = (n−1)p + 1.
 *
 * Shapes:  sorted ascending, at least one value
 * Source:  Hyndman and Fan, Sample quantiles in statistical packages, Am. Stat. 50 (1996)
 */
export function quantileOfSorted(sorted: ArrayLike<number>, p: number): number {
  const position = (sorted.length - 1) * p;
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (position - below) * (high - low);
}
