import type { Calibrated } from "../../domain/calibrated.ts";
import { residualsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import type { SheetPosition } from "./portfolio-var.ts";

export const DRIFT_DECAY: Calibrated = {
  value: 0.97,
  unit: "fraction kept per hour",
  source: "RiskMetrics' monthly decay, half-life 23 hours here: the portfolio-level filter of the backtest",
  fittedOn: "24 h portfolio VaR of 7 coins over 1114 days, 2020 to 2024",
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
 * Shapes:  residualSums of the sheet's window, overwritten
 * Holds:   1 for a single position and for books with one direction; homogeneous of degree 0
 * Source:  Gurrola-Perez and Murphy, Filtered historical simulation VaR models and their competitors (2015)
 */
export function correlationDriftScale(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  residualSums: Float64Array,
): number {
  const hedged = hedgedShare(sheet, positions);
  if (hedged === 0) return 1;
  residualSums.fill(0);
  for (const { row, notionalUsdSigned } of positions) {
    const residuals = residualsOf(sheet, row);
    const weight = notionalUsdSigned * sheet.paths.daySigmas[row]!;
    for (let hour = 0; hour < residualSums.length; hour++) {
      residualSums[hour] = residualSums[hour]! + weight * residuals[hour]!;
    }
  }
  let total = 0;
  for (let hour = 0; hour < residualSums.length; hour++) total += residualSums[hour]! ** 2;
  const mean = total / residualSums.length;
  if (!(mean > 0)) return 1;
  const decay = DRIFT_DECAY.value;
  let recent = mean;
  for (let hour = 0; hour < residualSums.length; hour++) {
    recent = decay * recent + (1 - decay) * residualSums[hour]! ** 2;
  }
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
    const weighted = exposure * sheet.paths.daySigmas[row]!;
    net += weighted;
    gross += Math.abs(weighted);
  }
  return gross > 0 ? Math.max(0, 1 - Math.abs(net) / gross) : 0;
}
