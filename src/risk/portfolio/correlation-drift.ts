import type { Calibrated } from "../../domain/calibrated.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
import type { SheetPosition } from "./portfolio-var.ts";
import { productAt, type ResidualProducts } from "./residual-products.ts";

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

/** Share of the sum of absolute products below which a sum of products is rounding. */
const ROUNDING = 1e-13;

/**
 * Scenarios replay the window's average dependence, which is wrong for a hedged book when coins have come apart, or
 * together, since. Correction: k^{h/2} within [0.8, 1.3], where k is the portfolio's recent deviation over its window
 * deviation, both made of residuals (p_t = Σ w_i σ_i z_it, EWMA against mean of p²), so that only dependence and not
 * the level of volatility moves it, and h = 1 − |net|/gross is the hedged share of the sigma-weighted exposure.
 *
 * Squares of sums are sums of products, so nothing walks the window here.
 *
 * Shapes:  `skipped` is the index of a position to leave out
 * Holds:   1 for a single position and for books with one direction; homogeneous of degree 0
 * Source:  Gurrola-Perez and Murphy, Filtered historical simulation VaR models and their competitors (2015)
 */
export function correlationDriftScale(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  products: ResidualProducts,
  skipped = -1,
): number {
  const hedged = hedgedShare(sheet, positions, skipped);
  if (hedged === 0) return 1;
  let total = 0;
  let recent = 0;
  let gross = 0;
  for (let i = 0; i < positions.length; i++) {
    if (i === skipped) continue;
    const { row } = positions[i]!;
    const weight = weightOf(sheet, positions[i]!);
    for (let j = 0; j <= i; j++) {
      if (j === skipped) continue;
      const at = productAt(sheet, row, positions[j]!.row, products);
      const share = (j === i ? 1 : 2) * weight * weightOf(sheet, positions[j]!);
      total += share * products.total[at]!;
      recent += share * products.recent[at]!;
      gross += Math.abs(share * products.total[at]!);
    }
  }
  // A book that cancels to the last digit has no deviation, only rounding.
  if (!(total > ROUNDING * gross)) return 1;
  const mean = total / sheet.windowHours;
  // The average starts at the mean: what the window does not reach is as usual.
  recent += products.decay ** sheet.windowHours * mean;
  const [lowest, highest] = DRIFT_SCALE_RANGE.value;
  return Math.max(lowest, Math.min(highest, (recent / mean) ** (hedged / 4)));
}

/** 1 − |Σ w_i σ_i|/Σ|w_i σ_i| over rows, positions in one row netted first. */
function hedgedShare(sheet: ScenarioSheet, positions: readonly SheetPosition[], skipped: number): number {
  let net = 0;
  let gross = 0;
  for (let i = 0; i < positions.length; i++) {
    if (i === skipped) continue;
    const { row } = positions[i]!;
    let exposure = 0;
    let isCounted = false;
    for (let j = 0; j < positions.length; j++) {
      if (j === skipped || positions[j]!.row !== row) continue;
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

function weightOf(sheet: ScenarioSheet, { row, notionalUsdSigned }: SheetPosition): number {
  return notionalUsdSigned * sheet.days[row]!.sigma;
}
