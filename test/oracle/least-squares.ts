/**
 * Lower Cholesky factor of a symmetric matrix, row-major n×n; undefined when it is not positive definite to working
 * precision (a pivot is lost in the rounding of its own diagonal).
 */
export function cholesky(matrix: Float64Array, n: number): Float64Array | undefined {
  const factor = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= factor[i * n + k]! * factor[j * n + k]!;
      if (i !== j) factor[i * n + j] = sum / factor[j * n + j]!;
      else if (sum > 4 * n * Number.EPSILON * matrix[i * n + i]!) factor[i * n + i] = Math.sqrt(sum);
      else return undefined;
    }
  }
  return factor;
}

/** Solves L Lᵀ x = b for a lower Cholesky factor. */
function solveCholesky(factor: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i]! -= factor[i * n + k]! * x[k]!;
    x[i]! /= factor[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i]! -= factor[k * n + i]! * x[k]!;
    x[i]! /= factor[i * n + i]!;
  }
  return x;
}

/**
 * Ordinary least squares of y on the columns of X through the normal equations; undefined when they are collinear.
 * Shapes: `columns` each as long as `y`; include a column of ones for a constant.
 */
export function leastSquares(columns: readonly Float64Array[], y: Float64Array): Float64Array | undefined {
  const n = columns.length;
  const gram = new Float64Array(n * n);
  const moments = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) gram[i * n + j] = gram[j * n + i] = dot(columns[i]!, columns[j]!);
    moments[i] = dot(columns[i]!, y);
  }
  const factor = cholesky(gram, n);
  return factor === undefined ? undefined : solveCholesky(factor, n, moments);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let t = 0; t < a.length; t++) sum += a[t]! * b[t]!;
  return sum;
}
