/** Variance-covariance VaR q√(w'Σw) with population covariances, and its Euler components q w_i(Σw)_i/√(w'Σw). */
export function deltaNormalVar(
  columns: readonly Float64Array[],
  positionsUsd: readonly number[],
  quantile: number,
): { readonly varUsd: number; readonly components: readonly number[] } {
  const n = columns[0]!.length;
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / n);
  const covariance = (i: number, j: number): number =>
    columns[i]!.reduce((sum, value, s) => sum + (value - means[i]!) * (columns[j]![s]! - means[j]!), 0) / n;
  const slopes = columns.map((_, i) => positionsUsd.reduce((sum, w, j) => sum + covariance(i, j) * w, 0));
  const sigma = Math.sqrt(positionsUsd.reduce((sum, w, i) => sum + w * slopes[i]!, 0));
  return {
    varUsd: quantile * sigma,
    components: positionsUsd.map((w, i) => (quantile * w * slopes[i]!) / sigma),
  };
}
