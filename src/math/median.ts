import { quantileOfSorted } from "./quantile.ts";

/** Scale that makes the median absolute deviation the standard deviation of a normal, 1/Φ⁻¹(¾), as it is printed. */
export const MAD_TO_SIGMA = 1.4826;

/** The middle value; of an even number of values the point half-way between the two in the middle. NaN of none. */
export function medianOf(values: ArrayLike<number>): number {
  return quantileOfSorted(Float64Array.from(values).sort(), 0.5);
}
