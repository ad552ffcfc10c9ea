/** Variance-covariance VaR q√(w'Σw) with population covariances, and its Euler components q w_i(Σw)_i/√(w'Σw). */
export function deltaNormalVar(
  columns: readonly Float64Array[],
  positionsUsd: readonly number[],
  quantile: number,
): {
  readonly covariance: readonly (readonly number[])[];
  readonly sigmaUsd: number;
  readonly varUsd: number;
  readonly marginals: readonly number[];
  readonly components: readonly number[];
} {
  const n = columns[0]!.length;
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / n);
  const covariance = columns.map((a, i) =>
    columns.map((b, j) => a.reduce((sum, x, s) => sum + (x - means[i]!) * (b[s]! - means[j]!), 0) / n),
  );
  const slopes = covariance.map((row) => positionsUsd.reduce((sum, w, j) => sum + row[j]! * w, 0));
  const sigmaUsd = Math.sqrt(positionsUsd.reduce((sum, w, i) => sum + w * slopes[i]!, 0));
  const marginals = slopes.map((slope) => (quantile * slope) / sigmaUsd);
  return {
    covariance,
    sigmaUsd,
    varUsd: quantile * sigmaUsd,
    marginals,
    components: positionsUsd.map((w, i) => w * marginals[i]!),
  };
}
