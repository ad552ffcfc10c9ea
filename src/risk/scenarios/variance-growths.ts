import { invariant } from "../../math/invariant.ts";
import type { HexpRecursion, VarianceRecursion } from "../volatility/variance-recursion.ts";
import { TUPLE_LENGTH } from "./residual-pool.ts";

/** HExp has as many averages at most; fewer are filled up with such as weigh nothing. */
export const AVERAGES_MAX = 4;

/** Four numbers, so that a loop over paths keeps each in a register. */
export type Four = readonly [number, number, number, number];

/**
 * What h is multiplied by on its way to the next h, hour by hour of a pool: the same for every h, so a path pays one
 * product for it. Shapes: growths one per hour. Holds: for scalar recursions (h' − ω)/h.
 */
export function fillVarianceGrowths(
  recursion: VarianceRecursion,
  tuples: Float64Array,
  growths: Float64Array,
): void {
  switch (recursion.kind) {
    case "range-garch": {
      const { alpha, asymmetry, beta } = recursion;
      fillRangeGrowths(alpha * (1 - asymmetry), alpha * (1 + asymmetry), beta, tuples, growths);
      return;
    }
    case "gjr-garch": {
      const { alpha, gamma, beta } = recursion;
      fillSquareGrowths(alpha, alpha + gamma, beta, tuples, growths);
      return;
    }
    case "ewma": {
      const { decay } = recursion;
      fillSquareGrowths(1 - decay, 1 - decay, decay, tuples, growths);
      return;
    }
    case "hexp": {
      const [gain1, gain2, gain3, gain4] = gainsOf(recursion);
      const gain = gain1 + gain2 + (gain3 + gain4);
      fillRangeGrowths(gain, gain + recursion.leverage, 0, tuples, growths);
    }
  }
}

/** b_k(1−λ_k): what a unit of news adds to b_k E_k. */
export function gainsOf({ weights, decays }: HexpRecursion): Four {
  return fourOf(weights.map((weight, k) => weight * (1 - decays[k]!)));
}

export function fourOf(values: readonly number[]): Four {
  invariant(values.length <= AVERAGES_MAX, "HExp has at most four averages");
  return [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0, values[3] ?? 0];
}

/** reaction × ξ + memory, the reaction by the sign of z. */
function fillRangeGrowths(
  rise: number,
  fall: number,
  memory: number,
  tuples: Float64Array,
  growths: Float64Array,
): void {
  for (let hour = 0; hour < growths.length; hour++) {
    const at = hour * TUPLE_LENGTH;
    growths[hour] = (tuples[at]! < 0 ? fall : rise) * tuples[at + 3]! + memory;
  }
}

/** reaction × z² + memory, the reaction by the sign of z. */
function fillSquareGrowths(
  rise: number,
  fall: number,
  memory: number,
  tuples: Float64Array,
  growths: Float64Array,
): void {
  for (let hour = 0; hour < growths.length; hour++) {
    const z = tuples[hour * TUPLE_LENGTH]!;
    growths[hour] = (z < 0 ? fall : rise) * z * z + memory;
  }
}
