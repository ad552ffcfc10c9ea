import type { HarrellDavisWeights } from "../../math/harrell-davis.ts";
import {
  buildHarrellDavisWeights,
  harrellDavisOfDescending,
  harrellDavisReach,
} from "../../math/harrell-davis.ts";
import type { Selection } from "../../math/order-statistics.ts";
import { createSelection, selectLargest } from "../../math/order-statistics.ts";
import { expectedShortfallOfDescending, tailSizeOf } from "../expected-shortfall.ts";
import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";

/** A position as the joint sheet sees it. */
export interface SheetPosition {
  /** Row of the asset in the sheet. */
  readonly row: number;
  /** Positive long, negative short. */
  readonly notionalUsdSigned: number;
}

/** Portfolio loss quantiles and tail means over 24 hours. */
export interface PortfolioTail {
  readonly var95Usd: number;
  readonly var99Usd: number;
  readonly expectedShortfall95Usd: number;
  readonly expectedShortfall99Usd: number;
}

/**
 * Memory and weights of portfolio calculations on one size of sheet, made once per thread and reused by every request.
 */
export interface PortfolioWorkspace {
  readonly scenarios: number;
  readonly at95: HarrellDavisWeights;
  readonly at99: HarrellDavisWeights;
  /** Largest losses that a 95 % tail, and a 99 % tail, read. */
  readonly reach95: number;
  readonly reach99: number;
  /** After portfolioTail: the largest losses and their scenarios, largest first. */
  readonly selection: Selection;
  readonly lossesUsd: Float64Array;
  readonly residuals: Float64Array;
}

export function createPortfolioWorkspace(scenarios: number, windowHours: number): PortfolioWorkspace {
  const at95 = buildHarrellDavisWeights(scenarios, 0.95);
  const at99 = buildHarrellDavisWeights(scenarios, 0.99);
  return {
    scenarios,
    at95,
    at99,
    reach95: reachOf(at95),
    reach99: reachOf(at99),
    selection: createSelection(scenarios),
    lossesUsd: new Float64Array(scenarios),
    residuals: new Float64Array(windowHours),
  };
}

/** Loss of every scenario, −Σ w_i (e^{c_i} − 1); a wallet's vector may be kept and new trades added to a copy of it. */
export function fillPortfolioLosses(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  lossesUsd: Float64Array,
): void {
  lossesUsd.fill(0);
  for (const position of positions) addPositionLosses(sheet, position, lossesUsd);
}

/** Adds one position to a vector of losses; a negated notional takes it out again. */
export function addPositionLosses(
  sheet: ScenarioSheet,
  position: SheetPosition,
  lossesUsd: Float64Array,
): void {
  const returns = dayReturnsOf(sheet, position.row);
  const notionalUsd = position.notionalUsdSigned;
  for (let scenario = 0; scenario < lossesUsd.length; scenario++) {
    lossesUsd[scenario] = lossesUsd[scenario]! - notionalUsd * returns[scenario]!;
  }
}

/**
 * VaR and ES of a vector of losses; `scale` is the hedged book's correction for drifting correlations, else 1.
 *
 * Shapes:  lossesUsd as long as the workspace's scenarios; not changed
 * Holds:   homogeneous in the losses; ES >= VaR, 99 >= 95
 */
export function portfolioTail(
  lossesUsd: Float64Array,
  scale: number,
  workspace: PortfolioWorkspace,
): PortfolioTail {
  const { selection, at95, at99, scenarios } = workspace;
  selectLargest(lossesUsd, workspace.reach95, selection);
  const var95 = harrellDavisOfDescending(selection.values, at95);
  const var99 = harrellDavisOfDescending(selection.values, at99);
  const shortfall95 = expectedShortfallOfDescending(selection.values, scenarios, 0.95);
  const shortfall99 = expectedShortfallOfDescending(selection.values, scenarios, 0.99);
  // A smoothed quantile may exceed the tail mean by rounding where the tail is flat.
  return {
    var95Usd: scale * var95,
    var99Usd: scale * var99,
    expectedShortfall95Usd: scale * Math.max(shortfall95, var95),
    expectedShortfall99Usd: scale * Math.max(shortfall99, var99),
  };
}

/** Only the 99 % VaR: a shorter selection for portfolios with one position taken out. */
export function portfolioVar99Usd(
  lossesUsd: Float64Array,
  scale: number,
  workspace: PortfolioWorkspace,
): number {
  selectLargest(lossesUsd, workspace.reach99, workspace.selection);
  return scale * harrellDavisOfDescending(workspace.selection.values, workspace.at99);
}

function reachOf(weights: HarrellDavisWeights): number {
  const tail = Math.ceil(tailSizeOf(weights.sampleSize, weights.confidence));
  return Math.min(weights.sampleSize, Math.max(harrellDavisReach(weights), tail));
}
