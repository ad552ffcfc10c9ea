import type { Calibrated } from "../../domain/calibrated.ts";
import { residualsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import type { SheetPosition } from "./portfolio-var.ts";

export const DRIFT_DECAY: Calibrated = {
  value: 0.97,
  unit: "fraction kept per hour",
  source: "RiskMetrics' monthly decay, half-life 23 hours here: the portfolio-level filter of the backtest",
  fittedOn: "24 h portfolio VaR of 7 coins over 1114 days",
};
export const DRIFT_SCALE_RANGE: Calibrated<readonly [number, number]> = {
  value: [0.8, 1.3],
  unit: "ratio",
  source: "chosen: bounds what a day of unusual co-movement may do to a VaR",
  fittedOn: "not fitted",
};

/**
 * Scenarios replay the window's average dependence, which is wrong for a hedged book when coins have come apart, or
 * together, since. Correction: k^{h/2} within [0.8, 1.3], where k is the portfolio's recent deviation over its window
 * deviation, both made of residuals (p_t = Σ w_i σ_i z_it, EWMA against mean of p²), so that only dependence and not
 * the level of volatility moves it, and h = 1 − |net|/gross is the hedged share of the sigma-weighted exposure.
 *
 * Shapes:  residualSums of the sheet's window, overwritten with p when there are two positions or more
 * Holds:   1 for a single position and for books with one direction; homogeneous of degree 0
 * Source:  Gurrola-Perez and Murphy, Filtered historical simulation VaR models and their competitors (2015)
 */
export function correlationDriftScale(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  residualSums: Float64Array,
): number {
  if (positions.length < 2) return 1;
  fillResidualSums(sheet, positions, residualSums);
  const hedged = hedgedShare(sheet, positions);
  if (hedged === 0) return 1;
  return scaleOf(hedged, residualSums, 0, residualSums);
}

/**
 * The same scale for the book without one of its positions, from the sums of the whole book: one pass over the window.
 * Shapes:  residualSums as correlationDriftScale left them for the whole book; not changed
 */
export function correlationDriftScaleWithout(
  sheet: ScenarioSheet,
  rest: readonly SheetPosition[],
  removed: SheetPosition,
  residualSums: Float64Array,
): number {
  const hedged = hedgedShare(sheet, rest);
  if (hedged === 0) return 1;
  const weight = removed.notionalUsdSigned * sheet.days[removed.row]!.sigma;
  return scaleOf(hedged, residualSums, weight, residualsOf(sheet, removed.row));
}

/** p_t = Σ w_i σ_i z_it over the window. */
function fillResidualSums(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  residualSums: Float64Array,
): void {
  residualSums.fill(0);
  for (const { row, notionalUsdSigned } of positions) {
    const residuals = residualsOf(sheet, row);
    const weight = notionalUsdSigned * sheet.days[row]!.sigma;
    for (let hour = 0; hour < residualSums.length; hour++) {
      residualSums[hour] = residualSums[hour]! + weight * residuals[hour]!;
    }
  }
}

/** Scale of the book whose sums are p − weight × removed. */
function scaleOf(
  hedged: number,
  residualSums: Float64Array,
  weight: number,
  removed: ArrayLike<number>,
): number {
  const hours = residualSums.length;
  const decay = DRIFT_DECAY.value;
  let total = 0;
  let recent = 0;
  for (let hour = 0; hour < hours; hour++) {
    const square = (residualSums[hour]! - weight * removed[hour]!) ** 2;
    total += square;
    recent = decay * recent + (1 - decay) * square;
  }
  const mean = total / hours;
  if (!(mean > 0)) return 1;
  // The average starts at the mean: what the window does not reach is as usual.
  recent += decay ** hours * mean;
  const [lowest, highest] = DRIFT_SCALE_RANGE.value;
  return Math.max(lowest, Math.min(highest, (recent / mean) ** (hedged / 4)));
}

/** 1 − |Σ w_i σ_i|/Σ|w_i σ_i| over rows, positions in one row netted first. */
function hedgedShare(sheet: ScenarioSheet, positions: readonly SheetPosition[]): number {
  let net = 0;
  let gross = 0;
  for (let i = 0; i < positions.length; i++) {
    const { row } = positions[i]!;
    let exposure = 0;
    let isCounted = false;
    for (let j = 0; j < positions.length; j++) {
      if (positions[j]!.row !== row) continue;
      if (j < i) isCounted = true;
      exposure += positions[j]!.notionalUsdSigned;
    }
    if (isCounted) continue;
    const weighted = exposure * sheet.days[row]!.sigma;
    net += weighted;
    gross += Math.abs(weighted);
  }
  return gross > 0 ? Math.max(0, 1 - Math.abs(net) / gross) : 0;
}
