import { estimatedProbability } from "../../../math/binomial.ts";
import { maintenanceMarginUsd, type MarginSchedule, marginTierOf } from "../../margin/margin.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { MarginedPosition } from "./account-replay.ts";
import { countGone, createGoneMemory, type GoneMemory } from "./gone-scenarios.ts";
import {
  BLOCK_SCENARIOS,
  GROUP_BLOCKS,
  LEVELS,
  type LimitLevel,
  type PathLimits,
  rowLimitsOf,
} from "./path-limits.ts";
import { createRowMemory } from "./row-paths.ts";

/** A rise that doubles the price: up to it a parabola bounds what a short loses, beyond it the exponential is taken. */
const LOG_RISE_MAX = Math.LN2;

/** Share of scenarios in which a cross account is liquidated within 24 hours. */
export interface CrossLiquidation {
  /** Mean of the bounds, smoothed. */
  readonly probability: number;
  /** Equity checked at hourly closes only. */
  readonly lowerBound: number;
  /** As if all positions met their worst price of the hour at once. */
  readonly upperBound: number;
}

/** Reusable memory of cross-liquidation answers on one sheet. */
export interface CrossLiquidationWorkspace extends GoneMemory {
  /** By group of blocks, by block of one group, and by scenario of one block. */
  readonly groupLossUsd: Float64Array;
  readonly blockLossUsd: Float64Array;
  readonly worstLossUsd: Float64Array;
  readonly limits: PathLimits;
}

export function createCrossLiquidationWorkspace(sheet: ScenarioSheet): CrossLiquidationWorkspace {
  return {
    groupLossUsd: new Float64Array(Math.ceil(sheet.scenarios / (BLOCK_SCENARIOS * GROUP_BLOCKS))),
    blockLossUsd: new Float64Array(GROUP_BLOCKS),
    worstLossUsd: new Float64Array(BLOCK_SCENARIOS),
    ...createGoneMemory(sheet.scenarios),
    limits: createRowMemory(),
  };
}

/**
 * Liquidation of a cross account with several positions: E_s(k) = equity + Σ w_i(e^{c_is(k)} − 1) − Σ maintenance_i.
 * An account's worst moment is not the sum of its positions' worst moments, so the scenarios that could be lethal at
 * all, by a bound from each path's extreme, are replayed hour by hour.
 *
 * Units:   equityUsd after expected costs until the horizon
 * Holds:   lowerBound <= probability <= upperBound; 1 when equity is at maintenance already; falls with equity as
 *          long as no scenarios are sampled
 */
export function crossLiquidationProbability(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  equityUsd: number,
  workspace: CrossLiquidationWorkspace,
): CrossLiquidation {
  if (positions.length === 0) return { probability: 0, lowerBound: 0, upperBound: 0 };
  let maintenanceUsd = 0;
  for (const { marginSchedule, notionalUsdSigned } of positions) {
    maintenanceUsd += maintenanceMarginUsd(marginSchedule, Math.abs(notionalUsdSigned));
  }
  if (equityUsd <= maintenanceUsd) return { probability: 1, lowerBound: 1, upperBound: 1 };

  const flagged = flagScenarios(sheet, positions, equityUsd, workspace);
  const { atClose, atWorst } = countGone(sheet, positions, equityUsd, flagged, workspace);
  const lowerBound = estimatedProbability(atClose, sheet.scenarios);
  const upperBound = estimatedProbability(atWorst, sheet.scenarios);
  return { probability: (lowerBound + upperBound) / 2, lowerBound, upperBound };
}

/**
 * Lists the scenarios whose paths' extremes, all at once, could use up the equity. Bounds without exponentials: for a
 * fall x <= 0 the loss and maintenance of a long are at most 1 − (1−m)(1+x); for a rise x <= ln 2 those of a short at
 * most (1+m)(1+x+x²) − 1, m the tier at twice the notional; higher rises are few. Read are only groups whose limits
 * could, in them only blocks whose limits could, and in them the scenarios.
 */
function flagScenarios(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  equityUsd: number,
  workspace: CrossLiquidationWorkspace,
): number {
  const { groupLossUsd, blockLossUsd, worstLossUsd, flagged, limits } = workspace;
  // The sheet's float32 lows are rounded; a hair of slack keeps the bound a bound.
  const bearableUsd = equityUsd * (1 - 1e-6);
  let count = 0;
  fillWorstLosses(sheet, positions, LEVELS.groups, 0, limits, groupLossUsd);
  for (let group = 0; group < groupLossUsd.length; group++) {
    if (groupLossUsd[group]! < bearableUsd) continue;
    const fromBlock = group * GROUP_BLOCKS;
    fillWorstLosses(sheet, positions, LEVELS.blocks, fromBlock, limits, blockLossUsd);
    for (let i = 0; i < GROUP_BLOCKS; i++) {
      if (blockLossUsd[i]! < bearableUsd) continue;
      const from = (fromBlock + i) * BLOCK_SCENARIOS;
      fillWorstLosses(sheet, positions, LEVELS.scenarios, from, limits, worstLossUsd);
      const scenarios = Math.min(BLOCK_SCENARIOS, sheet.scenarios - from);
      for (let j = 0; j < scenarios; j++) if (worstLossUsd[j]! >= bearableUsd) flagged[count++] = from + j;
    }
  }
  return count;
}

/** Fills the positions' losses and maintenance, all at their worst, from a place on. */
function fillWorstLosses(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  level: LimitLevel,
  from: number,
  limits: PathLimits,
  sumsUsd: Float64Array,
): void {
  sumsUsd.fill(0);
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]!;
    const worst = rowLimitsOf(sheet, position.row, position.notionalUsdSigned > 0 ? 1 : -1, limits);
    addWorstLosses(sheet, position, worst[level], from, sumsUsd);
  }
}

/** Adds a position's loss and maintenance at as many log returns, from a place on, as there are sums. */
function addWorstLosses(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned, marginSchedule }: MarginedPosition,
  logReturns: Float32Array,
  from: number,
  sumsUsd: Float64Array,
): void {
  if (notionalUsdSigned === 0) return;
  const { sigmaRatio } = sheet.days[row]!;
  const notionalUsd = Math.abs(notionalUsdSigned);
  const tier = marginTierOf(marginSchedule, notionalUsdSigned > 0 ? notionalUsd : 2 * notionalUsd);
  const maintenance = marginSchedule.maintenanceFraction[tier]!;
  const length = Math.min(sumsUsd.length, logReturns.length - from);
  if (notionalUsdSigned > 0) {
    const kept = (1 - maintenance) * notionalUsd;
    for (let i = 0; i < length; i++) {
      sumsUsd[i] = sumsUsd[i]! + notionalUsd - kept * Math.max(0, 1 + sigmaRatio * logReturns[from + i]!);
    }
    return;
  }
  for (let i = 0; i < length; i++) {
    const rise = sigmaRatio * logReturns[from + i]!;
    const worstUsd =
      rise <= LOG_RISE_MAX
        ? notionalUsd * ((1 + maintenance) * (1 + rise + rise * rise) - 1)
        : shortLossUsd(marginSchedule, notionalUsd, Math.exp(rise));
    sumsUsd[i] = sumsUsd[i]! + worstUsd;
  }
}

/** A short's loss and maintenance after its price grew by a factor. */
function shortLossUsd(schedule: MarginSchedule, notionalUsd: number, growth: number): number {
  return notionalUsd * (growth - 1) + maintenanceMarginUsd(schedule, notionalUsd * growth);
}
