import { invariant } from "../../math/invariant.ts";
import { ascendingOrder } from "../../math/radix-sort.ts";

/**
 * A non-decreasing step fit, read by straight lines between its knots and flat outside.
 *
 * Shapes:  x strictly ascending, y non-decreasing, of one length
 */
export interface IsotonicCurve {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/**
 * Weighted least squares under y non-decreasing in x, by pooling adjacent violators; equal x are averaged first. Null
 * of nothing.
 *
 * Shapes:  x, y and weights (null: all 1) of one length, in any order
 * Holds:   keeps the weighted mean of y; fitting a fitted curve changes nothing
 * Source:  Ayer, Brunk, Ewing, Reid and Silverman, Annals of Mathematical Statistics 26 (1955)
 */
export function fitIsotonic(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  weights: ArrayLike<number> | null,
): IsotonicCurve | null {
  const n = x.length;
  invariant(y.length === n && (weights === null || weights.length === n), "columns of one length");
  if (n === 0) return null;
  const knots: number[] = [];
  const sums: number[] = [];
  const masses: number[] = [];
  for (const i of ascendingOrder(x)) {
    const weight = weights?.[i] ?? 1;
    invariant(weight > 0, "a weight is positive");
    if (x[i] !== knots.at(-1)) {
      knots.push(x[i]!);
      sums.push(0);
      masses.push(0);
    }
    sums[sums.length - 1]! += weight * y[i]!;
    masses[masses.length - 1]! += weight;
  }
  return { x: Float64Array.from(knots), y: pooled(sums, masses) };
}

/** Reads the curve. */
export function isotonicAt(curve: IsotonicCurve, at: number): number {
  const { x, y } = curve;
  const last = x.length - 1;
  if (at <= x[0]!) return y[0]!;
  if (at >= x[last]!) return y[last]!;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (x[middle]! <= at) low = middle;
    else high = middle;
  }
  const position = (at - x[low]!) / (x[high]! - x[low]!);
  return y[low]! + position * (y[high]! - y[low]!);
}

function pooled(sums: readonly number[], masses: readonly number[]): Float64Array {
  const blocks: { sum: number; mass: number; length: number }[] = [];
  for (let i = 0; i < sums.length; i++) {
    let block = { sum: sums[i]!, mass: masses[i]!, length: 1 };
    for (
      let previous = blocks.at(-1);
      previous !== undefined && previous.sum * block.mass >= block.sum * previous.mass;
      previous = blocks.at(-1)
    ) {
      blocks.pop();
      block = {
        sum: previous.sum + block.sum,
        mass: previous.mass + block.mass,
        length: previous.length + block.length,
      };
    }
    blocks.push(block);
  }
  const fitted = new Float64Array(sums.length);
  let at = 0;
  for (const { sum, mass, length } of blocks) {
    fitted.fill(sum / mass, at, at + length);
    at += length;
  }
  return fitted;
}
