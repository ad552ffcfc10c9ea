/** Arithmetic mean; NaN of nothing. */
export function mean(values: Float64Array | Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Mean of the squares. */
export function meanSquare(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return sum / values.length;
}

/** Variance about the mean, dividing by n. */
export function populationVariance(values: Float64Array | Float32Array): number {
  const centre = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - centre) * (value - centre);
  return sum / values.length;
}
