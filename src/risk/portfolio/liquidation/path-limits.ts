import type { HorizonHours } from "../../scenarios/horizon.ts";
import { sheetRow, type ScenarioSheet } from "../../scenarios/sheet.ts";

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
 * The lowest lows and the highest highs of the joint paths within a horizon, as drawn, for every block of scenarios and
 * every group of blocks: what cannot happen at their limits need not be looked for inside. Found when first asked for and
 * kept while the draw is.
 */
export interface PathLimits {
  readonly horizonHours: HorizonHours;
  logPaths: Float32Array | null;
  /** By row. */
  lows: (RowLimits | undefined)[];
  highs: (RowLimits | undefined)[];
}

export function createPathLimits(horizonHours: HorizonHours): PathLimits {
  return { horizonHours, logPaths: null, lows: [], highs: [] };
}

/** An asset's limits for a direction: lows for a long, highs for a short. */
export function rowLimitsOf(
  sheet: ScenarioSheet,
  row: number,
  direction: 1 | -1,
  limits: PathLimits,
): RowLimits {
  if (limits.logPaths !== sheet.logPaths) {
    limits.logPaths = sheet.logPaths;
    limits.lows = [];
    limits.highs = [];
  }
  const known = direction === 1 ? limits.lows : limits.highs;
  return (known[row] ??= findLimits(sheet, row, direction, limits.horizonHours));
}

function findLimits(
  sheet: ScenarioSheet,
  row: number,
  direction: 1 | -1,
  horizonHours: HorizonHours,
): RowLimits {
  const scenarios = sheetRow(sheet, row, horizonHours, direction === 1 ? "low" : "high");
  const blocks = worstOfEach(scenarios, BLOCK_SCENARIOS, direction);
  return [scenarios, blocks, worstOfEach(blocks, GROUP_BLOCKS, direction)];
}

function worstOfEach(values: Float32Array, count: number, direction: 1 | -1): Float32Array {
  const worst = new Float32Array(Math.ceil(values.length / count));
  values.forEach((value, i) => {
    const at = Math.floor(i / count);
    if (direction * value < direction * worst[at]!) worst[at] = value;
  });
  return worst;
}
