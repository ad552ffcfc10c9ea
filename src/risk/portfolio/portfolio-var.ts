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
import { createDriftTerms, DRIFT_DECAY, type DriftTerms } from "./correlation-drift.ts";
import { createResidualProducts, type ResidualProducts } from "./residual-products.ts";
import { createRowExtremes, type RowExtremes } from "./row-extremes.ts";

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
  /** After portfolioTail: the reach95 largest losses and their scenarios, largest first. */
  readonly selection: Selection;
  /** Losses of a changed portfolio; their places are not kept. */
  readonly changed: Selection;
  readonly products: ResidualProducts;
  readonly extremes: RowExtremes;
  /** Of the positions that the correction was last asked for. */
  readonly drift: DriftTerms;
}

export function createPortfolioWorkspace(scenarios: number): PortfolioWorkspace {
  const at95 = buildHarrellDavisWeights(scenarios, 0.95);
  const at99 = buildHarrellDavisWeights(scenarios, 0.99);
  return {
    scenarios,
    at95,
    at99,
    reach95: reachOf(at95),
    reach99: reachOf(at99),
    selection: createSelection(scenarios),
    changed: createSelection(scenarios),
    products: createResidualProducts(DRIFT_DECAY.value),
    extremes: createRowExtremes(scenarios),
    drift: createDriftTerms(),
  };
}

/** Loss of every scenario, −Σ w_i (e^{c_i} − 1); a wallet's vector may be kept and new trades added to a copy of it. */
export function fillPortfolioLosses(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  lossesUsd: Float64Array,
): void {
  lossesUsd.fill(0);
  for (let next = 0; next < positions.length; next += 4) {
    addFourPositionsLosses(sheet, positions, next, lossesUsd);
  }
}

/**
 * Four at a time, so that a loss is loaded and stored once for them; the order of the sums is that of one by one. What
 * is missing to four is a position of nothing: one more pass over all losses costs more than its products.
 */
function addFourPositionsLosses(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  first: number,
  lossesUsd: Float64Array,
): void {
  const { row: rowA, notionalUsdSigned: a } = positions[first]!;
  const { row: rowB, notionalUsdSigned: b } = positions[first + 1] ?? { row: rowA, notionalUsdSigned: 0 };
  const { row: rowC, notionalUsdSigned: c } = positions[first + 2] ?? { row: rowA, notionalUsdSigned: 0 };
  const { row: rowD, notionalUsdSigned: d } = positions[first + 3] ?? { row: rowA, notionalUsdSigned: 0 };
  const returnsA = dayReturnsOf(sheet, rowA);
  const returnsB = dayReturnsOf(sheet, rowB);
  const returnsC = dayReturnsOf(sheet, rowC);
  const returnsD = dayReturnsOf(sheet, rowD);
  for (let s = 0; s < lossesUsd.length; s++) {
    lossesUsd[s] = lossesUsd[s]! - a * returnsA[s]! - b * returnsB[s]! - c * returnsC[s]! - d * returnsD[s]!;
  }
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
  const { selection, reach95, at95, at99, scenarios } = workspace;
  const { values } = selection;
  selectLargest(lossesUsd, reach95, selection);
  const var95 = harrellDavisOfDescending(values, at95);
  const var99 = harrellDavisOfDescending(values, at99);
  const shortfall95 = expectedShortfallOfDescending(values, scenarios, 0.95);
  const shortfall99 = expectedShortfallOfDescending(values, scenarios, 0.99);
  // A smoothed quantile may exceed the tail mean by rounding where the tail is flat.
  return {
    var95Usd: scale * var95,
    var99Usd: scale * var99,
    expectedShortfall95Usd: scale * Math.max(shortfall95, var95),
    expectedShortfall99Usd: scale * Math.max(shortfall99, var99),
  };
}

function reachOf(weights: HarrellDavisWeights): number {
  const tail = Math.ceil(tailSizeOf(weights.sampleSize, weights.confidence));
  return Math.min(weights.sampleSize, Math.max(harrellDavisReach(weights), tail));
}
