import type { HorizonHours } from "../scenarios/horizon.ts";
import { sheetRow, type ScenarioSheet } from "../scenarios/sheet.ts";

/** Scenarios that share one limit. */
export const BLOCK_SCENARIOS = 32;

/**
 * The lowest lows and the highest highs of the joint paths within a horizon, as drawn, one for every block of
 * scenarios: what cannot happen in a block at its limits need not be looked for in its scenarios. Found when first
 * asked for and kept while the draw is.
 */
export interface PathLimits {
  readonly horizonHours: HorizonHours;
  logPaths: Float32Array | null;
  /** By row; [block]. */
  lows: (Float32Array | undefined)[];
  highs: (Float32Array | undefined)[];
}

export function createPathLimits(horizonHours: HorizonHours): PathLimits {
  return { horizonHours, logPaths: null, lows: [], highs: [] };
}

/** An asset's worst log returns for a direction, block by block: lows for a long, highs for a short. */
export function worstOfBlocks(
  sheet: ScenarioSheet,
  row: number,
  direction: 1 | -1,
  limits: PathLimits,
): Float32Array {
  if (limits.logPaths !== sheet.logPaths) {
    limits.logPaths = sheet.logPaths;
    limits.lows = [];
    limits.highs = [];
  }
  const known = direction === 1 ? limits.lows : limits.highs;
  return (known[row] ??= limitsOf(sheet, row, direction, limits.horizonHours));
}

function limitsOf(
  sheet: ScenarioSheet,
  row: number,
  direction: 1 | -1,
  horizonHours: HorizonHours,
): Float32Array {
  const returns = sheetRow(sheet, row, horizonHours, direction === 1 ? "low" : "high");
  const worst = new Float32Array(Math.ceil(returns.length / BLOCK_SCENARIOS));
  returns.forEach((value, scenario) => {
    const block = Math.floor(scenario / BLOCK_SCENARIOS);
    if (direction * value < direction * worst[block]!) worst[block] = value;
  });
  return worst;
}
