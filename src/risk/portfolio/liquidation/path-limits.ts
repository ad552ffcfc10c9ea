import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import { foundOf, type RowMemory } from "./row-paths.ts";

/** Scenarios that share one limit, and such blocks that share one. */
export const BLOCK_SCENARIOS = 32;
export const GROUP_BLOCKS = 16;

/** How finely limits are known: of single scenarios, of blocks, of groups of blocks. */
export const LEVELS = { scenarios: 0, blocks: 1, groups: 2 } as const;
export type LimitLevel = (typeof LEVELS)[keyof typeof LEVELS];

/**
 * The worst log returns of one asset for one direction.
 *
 * Shapes:  by LEVELS: [scenario], a view of the sheet; [block] and [group], at most 0 for lows, at least 0 for highs
 */
export type RowLimits = readonly [Float32Array, Float32Array, Float32Array];

/**
 * The lowest lows and the highest highs of the joint paths within the day, as drawn, for every block of scenarios and
 * every group of blocks: what cannot happen at their limits need not be looked for inside.
 */
export type PathLimits = RowMemory<RowLimits>;

/** An asset's limits for a direction: lows for a long, highs for a short. */
export function rowLimitsOf(
  sheet: ScenarioSheet,
  row: number,
  direction: 1 | -1,
  limits: PathLimits,
): RowLimits {
  return foundOf(sheet, row, direction, limits, findLimits);
}

function findLimits(paths: Float32Array, direction: 1 | -1): RowLimits {
  const blocks = worstOfEach(paths, BLOCK_SCENARIOS, direction);
  return [paths, blocks, worstOfEach(blocks, GROUP_BLOCKS, direction)];
}

function worstOfEach(values: Float32Array, count: number, direction: 1 | -1): Float32Array {
  const worst = new Float32Array(Math.ceil(values.length / count));
  values.forEach((value, i) => {
    const at = Math.floor(i / count);
    if (direction * value < direction * worst[at]!) worst[at] = value;
  });
  return worst;
}
