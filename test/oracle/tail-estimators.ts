import type { GeneralisedPareto } from "../../src/math/generalised-pareto.ts";

/** A smaller shape is the exponential to the last digit, and dividing by it would not be. */
const EXPONENTIAL_BELOW = 1e-12;

/** Log likelihood Σ −ln β − (1 + 1/ξ) ln(1 + ξy/β); −∞ where an excess lies beyond the support. */
export function paretoLogLikelihood(excesses: ArrayLike<number>, pareto: GeneralisedPareto): number {
  const { shape, scale } = pareto;
  if (!(scale > 0)) return -Infinity;
  const isExponential = Math.abs(shape) < EXPONENTIAL_BELOW;
  let sum = 0;
  for (let i = 0; i < excesses.length; i++) {
    const y = excesses[i]! / scale;
    sum += isExponential ? y : (1 + 1 / shape) * Math.log1p(shape * y);
  }
  return Number.isNaN(sum) ? -Infinity : -excesses.length * Math.log(scale) - sum;
}

/** Hill's tail exponent from the k largest of the positive losses: 1 / mean ln(x_(i) / x_(k+1)). */
export function hillExponent(losses: Float64Array, k: number): number {
  const descending = losses
    .filter((loss) => loss > 0)
    .sort()
    .reverse();
  let sum = 0;
  for (let i = 0; i < k; i++) sum += Math.log(descending[i]! / descending[k]!);
  return k / sum;
}

/**
 * Generalised Pareto by probability-weighted moments, a0 = mean, a1 = mean of y (1 - p_j), p_j = (j - 0.35)/n:
 * shape 2 - a0/(a0 - 2 a1), scale 2 a0 a1/(a0 - 2 a1). Source: Hosking and Wallis, Technometrics 29 (1987).
 */
export function paretoByWeightedMoments(excesses: Float64Array): GeneralisedPareto {
  const n = excesses.length;
  const ascending = excesses.slice().sort();
  const a0 = ascending.reduce((sum, y) => sum + y, 0) / n;
  const a1 = ascending.reduce((sum, y, j) => sum + y * (1 - (j + 1 - 0.35) / n), 0) / n;
  return { shape: 2 - a0 / (a0 - 2 * a1), scale: (2 * a0 * a1) / (a0 - 2 * a1) };
}

/** Standard errors at a maximum: roots of the diagonal of the inverse observed information, by central differences. */
export function paretoStandardErrors(
  excesses: Float64Array,
  { shape, scale }: GeneralisedPareto,
): { readonly shape: number; readonly scale: number } {
  const a = 1e-3;
  const b = 1e-3 * scale;
  const at = (i: number, j: number): number =>
    paretoLogLikelihood(excesses, { shape: shape + i * a, scale: scale + j * b });
  const shapeShape = -(at(1, 0) - 2 * at(0, 0) + at(-1, 0)) / (a * a);
  const scaleScale = -(at(0, 1) - 2 * at(0, 0) + at(0, -1)) / (b * b);
  const cross = -(at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * a * b);
  const determinant = shapeShape * scaleScale - cross * cross;
  return { shape: Math.sqrt(scaleScale / determinant), scale: Math.sqrt(shapeShape / determinant) };
}
