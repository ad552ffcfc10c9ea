/**
 * Kendall's tau-b, (concordant − discordant)/√((pairs untied in x)(pairs untied in y)), in O(n log n).
 *
 * Shapes:  x, y of one length
 * Holds:   in [−1, 1]; NaN when either is constant
 * Source:  Knight, A computer method for calculating Kendall's tau with ungrouped data, JASA 61 (1966)
 */
export function kendallTau(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const n = x.length;
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  order.sort((a, b) => x[a]! - x[b]! || y[a]! - y[b]!);
  const sortedX = Float64Array.from(order, (i) => x[i]!);
  const sortedY = Float64Array.from(order, (i) => y[i]!);

  const pairs = (n * (n - 1)) / 2;
  const tiedX = tiedPairs(n, (i) => sortedX[i] === sortedX[i - 1]);
  const tiedBoth = tiedPairs(n, (i) => sortedX[i] === sortedX[i - 1] && sortedY[i] === sortedY[i - 1]);
  const swaps = sortCountingSwaps(sortedY);
  const tiedY = tiedPairs(n, (i) => sortedY[i] === sortedY[i - 1]);

  const score = pairs - tiedX - tiedY + tiedBoth - 2 * swaps;
  return score / Math.sqrt((pairs - tiedX) * (pairs - tiedY));
}

/** Pairs inside runs of equal neighbours. */
function tiedPairs(n: number, equalsPrevious: (i: number) => boolean): number {
  let total = 0;
  let run = 1;
  for (let i = 1; i <= n; i++) {
    if (i < n && equalsPrevious(i)) run++;
    else {
      total += (run * (run - 1)) / 2;
      run = 1;
    }
  }
  return total;
}

/** Bottom-up merge sort in place; how many pairs stood in the wrong order. */
function sortCountingSwaps(values: Float64Array): number {
  const n = values.length;
  let source: Float64Array = values;
  let target: Float64Array = new Float64Array(n);
  let swaps = 0;
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(start + 2 * width, n);
      let left = start;
      let right = middle;
      for (let i = start; i < end; i++) {
        if (right < end && (left >= middle || source[right]! < source[left]!)) {
          swaps += middle - left;
          target[i] = source[right++]!;
        } else {
          target[i] = source[left++]!;
        }
      }
    }
    [source, target] = [target, source];
  }
  if (source !== values) values.set(source);
  return swaps;
}
