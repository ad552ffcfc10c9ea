import { invariant } from "../../math/invariant.ts";

/**
 * A piecewise-linear curve through named anchors, constant beyond its ends.
 *
 * Shapes:  both arrays of one length, 2 or more
 * Holds:   `at` strictly ascends; `value` is monotone in one direction
 */
export interface Ramp {
  readonly at: readonly number[];
  readonly value: readonly number[];
}

/** The same anchors in typed arrays: one representation for all curves that are read many times an answer. */
export interface RampTable {
  readonly at: ArrayLike<number>;
  readonly value: ArrayLike<number>;
}

export function rampTable({ at, value }: Ramp): RampTable {
  return { at: Float64Array.from(at), value: Float64Array.from(value) };
}

/** The curve's height at x; x may be infinite. */
export function rampValue(ramp: RampTable, x: number): number {
  invariant(!Number.isNaN(x), "a ramp is read at a number");
  const { at, value } = ramp;
  const last = at.length - 1;
  if (x <= at[0]!) return value[0]!;
  if (x >= at[last]!) return value[last]!;
  let i = 1;
  while (x > at[i]!) i += 1;
  const share = (x - at[i - 1]!) / (at[i]! - at[i - 1]!);
  return value[i - 1]! + share * (value[i]! - value[i - 1]!);
}

/** The x at which a curve reaches a height between its ends. */
export function rampInverse({ at, value }: Ramp, height: number): number {
  const isAscending = value[0]! < value.at(-1)!;
  return isAscending
    ? rampValue({ at: value, value: at }, height)
    : rampValue({ at: value.toReversed(), value: at.toReversed() }, height);
}
