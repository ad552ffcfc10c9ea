import { invariant } from "./invariant.ts";

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

/** The curve's height at x; x may be infinite. */
export function rampValue({ at, value }: Ramp, x: number): number {
  invariant(!Number.isNaN(x), "a ramp is read at a number");
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
