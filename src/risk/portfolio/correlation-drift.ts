import type { Calibrated } from "../../domain/calibrated.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
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
 * What the correction of one book is made of, by pair of positions, so that leaving one out costs additions only.
 *
 * Shapes:  pairs (i, j <= i) of `count` positions, i outermost; by position: its sigma, its notional, and the first
 *          position in the same row
 */
export interface DriftTerms {
  count: number;
  total: Float64Array;
  recent: Float64Array;
  readonly sigmas: number[];
  readonly notionalsUsd: number[];
  readonly firstInRow: number[];
  /** Working memory: netted exposure by first position. */
  readonly exposuresUsd: number[];
}

export function createDriftTerms(): DriftTerms {
  return {
    count: 0,
    total: new Float64Array(0),
    recent: new Float64Array(0),
    sigmas: [],
    notionalsUsd: [],
    firstInRow: [],
    exposuresUsd: [],
  };
}

/**
 * Scenarios replay the window's average dependence, which is wrong for a hedged book when coins have come apart, or
 * together, since. Correction: k^{h/2} within [0.8, 1.3], where k is the portfolio's recent deviation over its window
 * deviation, both made of residuals (p_t = Σ w_i σ_i z_it, EWMA against mean of p²), so that only dependence and not
 * the level of volatility moves it, and h = 1 − |net|/gross is the hedged share of the sigma-weighted exposure.
 *
 * Squares of sums are sums of products, so nothing walks the window here.
 *
 * Holds:   1 for a single position and for books with one direction; homogeneous of degree 0
 * Source:  Gurrola-Perez and Murphy, Filtered historical simulation VaR models and their competitors (2015)
 */
export function correlationDriftScale(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  products: ResidualProducts,
  terms: DriftTerms,
): number {
  fillDriftTerms(sheet, positions, products, terms);
  return driftScaleWithout(-1, sheet.windowHours, products, terms);
}

/** The correction of the book of these terms without one of its positions; of all of it for −1. */
export function driftScaleWithout(
  skipped: number,
  windowHours: number,
  products: ResidualProducts,
  terms: DriftTerms,
): number {
  const hedged = hedgedShare(terms, skipped);
  if (hedged === 0) return 1;
  let total = 0;
  let recent = 0;
  let gross = 0;
  let at = 0;
  for (let i = 0; i < terms.count; i++) {
    for (let j = 0; j <= i; j++, at++) {
      if (i === skipped || j === skipped) continue;
      total += terms.total[at]!;
      recent += terms.recent[at]!;
      gross += Math.abs(terms.total[at]!);
    }
  }
  // A book that cancels to the last digit has no deviation, only rounding.
  if (!(total > ROUNDING * gross)) return 1;
  const mean = total / windowHours;
  // The average starts at the mean: what the window does not reach is as usual.
  recent += products.decay ** windowHours * mean;
  const [lowest, highest] = DRIFT_SCALE_RANGE.value;
  return Math.max(lowest, Math.min(highest, (recent / mean) ** (hedged / 4)));
}

function fillDriftTerms(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  products: ResidualProducts,
  terms: DriftTerms,
): void {
  const count = positions.length;
  const pairs = (count * (count + 1)) / 2;
  if (terms.total.length < pairs) {
    terms.total = new Float64Array(2 * pairs);
    terms.recent = new Float64Array(2 * pairs);
  }
  terms.count = count;
  let at = 0;
  for (let i = 0; i < count; i++) {
    const { row, notionalUsdSigned } = positions[i]!;
    terms.sigmas[i] = sheet.days[row]!.sigma;
    terms.notionalsUsd[i] = notionalUsdSigned;
    terms.firstInRow[i] = i;
    const weight = notionalUsdSigned * terms.sigmas[i]!;
    for (let j = 0; j <= i; j++, at++) {
      if (positions[j]!.row === row && terms.firstInRow[i] === i) terms.firstInRow[i] = j;
      const product = productAt(sheet, row, positions[j]!.row, products);
      const share = (j === i ? 1 : 2) * weight * terms.notionalsUsd[j]! * terms.sigmas[j]!;
      terms.total[at] = share * products.total[product]!;
      terms.recent[at] = share * products.recent[product]!;
    }
  }
}

/** 1 − |Σ w_i σ_i|/Σ|w_i σ_i| over rows, positions in one row netted first. */
function hedgedShare(
  { count, sigmas, notionalsUsd, firstInRow, exposuresUsd }: DriftTerms,
  skipped: number,
): number {
  for (let i = 0; i < count; i++) exposuresUsd[i] = 0;
  for (let i = 0; i < count; i++) {
    if (i !== skipped) exposuresUsd[firstInRow[i]!]! += notionalsUsd[i]!;
  }
  let net = 0;
  let gross = 0;
  for (let i = 0; i < count; i++) {
    const weighted = exposuresUsd[i]! * sigmas[i]!;
    net += weighted;
    gross += Math.abs(weighted);
  }
  return gross > 0 ? Math.max(0, 1 - Math.abs(net) / gross) : 0;
}
