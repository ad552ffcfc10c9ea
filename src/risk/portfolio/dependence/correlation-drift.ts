import type { Calibrated } from "../../../domain/calibrated.ts";
import { clamp } from "../../../math/clamp.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import { type ProductMemory, productAt, type ResidualProducts } from "./residual-products.ts";

export const DRIFT_DECAY: Calibrated = {
  value: 0.97,
  unit: "fraction kept per hour",
  source: "RiskMetrics' monthly decay, half-life 23 hours here: the portfolio-level filter of the backtest",
  fittedOn: "chosen 2026-11 on the 24 h portfolio VaR of 7 coins over 1114 days",
};
export const DRIFT_SCALE_RANGE: Calibrated<readonly [number, number]> = {
  value: [0.8, 1.3],
  unit: "ratio",
  source: "chosen: bounds what a day of unusual co-movement may do to a VaR",
  fittedOn: "not fitted: chosen 2026-11",
};

export const DRIFT_EXPONENT: Calibrated = {
  value: 0.5,
  unit: "power of the ratio of deviations, for a book hedged fully",
  source: "chosen: half way between the window's dependence and the recent one",
  fittedOn: "not fitted: chosen 2026-11",
};
/** Of the ratio of variances. */
const VARIANCE_EXPONENT = DRIFT_EXPONENT.value / 2;

/** Share of the sum of absolute products below which a sum of products is rounding. */
const ROUNDING = 1e-13;
/** Below this share of it too many digits are lost for what remains to be a difference of sums. */
const CANCELLED = 1e-3;

/**
 * The sums behind the correction of one book: over its pairs, and for each row, so that changing a row costs additions
 * only. All of residuals' products times exposures w σ.
 *
 * Shapes:  by row that is held
 */
export interface DriftTerms {
  count: number;
  total: number;
  recent: number;
  gross: number;
  readonly rows: number[];
  readonly sigmas: number[];
  readonly notionalsUsd: number[];
  /** Σ_j w_j σ_j z_i z_j, and the same of absolute products. */
  readonly totals: number[];
  readonly recents: number[];
  readonly grosses: number[];
}

export function createDriftTerms(): DriftTerms {
  return {
    count: 0,
    total: 0,
    recent: 0,
    gross: 0,
    rows: [],
    sigmas: [],
    notionalsUsd: [],
    totals: [],
    recents: [],
    grosses: [],
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
  memory: ProductMemory,
  terms: DriftTerms,
): number {
  const products = memory.of(sheet);
  fillDriftTerms(sheet, positions, products, terms);
  const hedged = hedgedShare(terms, 0, -1, 0);
  return scaleOf(hedged, terms.total, terms.recent, terms.gross, sheet.windowHours, products);
}

/**
 * The correction of the book of these terms with the notional of one row changed, by as much as it holds if need be.
 *
 * Holds:   what correlationDriftScale says of the changed book, up to rounding: where more than three digits cancel it is
 *          asked itself
 */
export function changedDriftScale(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned: changeUsd }: SheetPosition,
  memory: ProductMemory,
  terms: DriftTerms,
): number {
  const products = memory.of(sheet);
  const { sigma } = sheet.days[row]!;
  const hedged = hedgedShare(terms, changeUsd, row, sigma);
  if (hedged === 0) return 1;
  let at = terms.rows.indexOf(row);
  if (at < 0 || at >= terms.count) at = fillSums(sheet, row, products, terms);
  const weight = changeUsd * sigma;
  const own = productAt(sheet, row, row, products);
  const square = weight * weight;
  const total = terms.total + 2 * weight * terms.totals[at]! + square * products.total[own]!;
  const recent = terms.recent + 2 * weight * terms.recents[at]! + square * products.recent[own]!;
  const gross = terms.gross + 2 * Math.abs(weight) * terms.grosses[at]! + square * products.total[own]!;
  if (total > CANCELLED * gross) return scaleOf(hedged, total, recent, gross, sheet.windowHours, products);
  return correlationDriftScale(sheet, changedPositions(terms, row, changeUsd), memory, createDriftTerms());
}

function scaleOf(
  hedged: number,
  total: number,
  recent: number,
  gross: number,
  windowHours: number,
  products: ResidualProducts,
): number {
  if (hedged === 0) return 1;
  // A book that cancels to the last digit has no deviation, only rounding.
  if (!(total > ROUNDING * gross)) return 1;
  const mean = total / windowHours;
  // The average starts at the mean: what the window does not reach is as usual.
  const smoothed = recent + products.unreached * mean;
  const [lowest, highest] = DRIFT_SCALE_RANGE.value;
  return clamp((smoothed / mean) ** (VARIANCE_EXPONENT * hedged), lowest, highest);
}

function fillDriftTerms(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  products: ResidualProducts,
  terms: DriftTerms,
): void {
  fillRows(sheet, positions, terms);
  const { rows, sigmas, notionalsUsd, totals, recents, grosses } = terms;
  terms.total = 0;
  terms.recent = 0;
  terms.gross = 0;
  for (let i = 0; i < terms.count; i++) {
    const row = rows[i]!;
    const weight = notionalsUsd[i]! * sigmas[i]!;
    totals[i] = 0;
    recents[i] = 0;
    grosses[i] = 0;
    for (let j = i; j >= 0; j--) {
      const product = productAt(sheet, row, rows[j]!, products);
      const total = products.total[product]!;
      const recent = products.recent[product]!;
      const weightOther = notionalsUsd[j]! * sigmas[j]!;
      const share = (j === i ? 1 : 2) * weight * weightOther;
      terms.total += share * total;
      terms.recent += share * recent;
      terms.gross += Math.abs(share * total);
      totals[i] = totals[i]! + weightOther * total;
      recents[i] = recents[i]! + weightOther * recent;
      grosses[i] = grosses[i]! + Math.abs(weightOther * total);
      if (j === i) continue;
      totals[j] = totals[j]! + weight * total;
      recents[j] = recents[j]! + weight * recent;
      grosses[j] = grosses[j]! + Math.abs(weight * total);
    }
  }
}

/** Positions of one row are netted first: sums over such as cancel each other lose the digits that matter. */
function fillRows(sheet: ScenarioSheet, positions: readonly SheetPosition[], terms: DriftTerms): void {
  const { rows, sigmas, notionalsUsd } = terms;
  terms.count = 0;
  for (let i = 0; i < positions.length; i++) {
    const { row, notionalUsdSigned } = positions[i]!;
    let at = 0;
    while (at < terms.count && rows[at] !== row) at++;
    if (at < terms.count) {
      notionalsUsd[at] = notionalsUsd[at]! + notionalUsdSigned;
      continue;
    }
    rows[at] = row;
    sigmas[at] = sheet.days[row]!.sigma;
    notionalsUsd[at] = notionalUsdSigned;
    terms.count++;
  }
}

/** The sums of a row that holds nothing yet, behind those of the positions; where they stand. */
function fillSums(
  sheet: ScenarioSheet,
  row: number,
  products: ResidualProducts,
  { count, rows, sigmas, notionalsUsd, totals, recents, grosses }: DriftTerms,
): number {
  let total = 0;
  let recent = 0;
  let gross = 0;
  for (let j = 0; j < count; j++) {
    const product = productAt(sheet, row, rows[j]!, products);
    const weight = notionalsUsd[j]! * sigmas[j]!;
    total += weight * products.total[product]!;
    recent += weight * products.recent[product]!;
    gross += Math.abs(weight * products.total[product]!);
  }
  totals[count] = total;
  recents[count] = recent;
  grosses[count] = gross;
  return count;
}

function changedPositions(
  { count, rows, notionalsUsd }: DriftTerms,
  row: number,
  changeUsd: number,
): readonly SheetPosition[] {
  const positions: SheetPosition[] = [];
  for (let i = 0; i < count; i++) positions.push({ row: rows[i]!, notionalUsdSigned: notionalsUsd[i]! });
  return [...positions, { row, notionalUsdSigned: changeUsd }];
}

/** 1 − |Σ w_i σ_i|/Σ|w_i σ_i| over rows, one row's notional changed. */
function hedgedShare(
  { count, rows, sigmas, notionalsUsd }: DriftTerms,
  changeUsd: number,
  row: number,
  sigma: number,
): number {
  let net = 0;
  let gross = 0;
  let left = changeUsd;
  for (let i = 0; i < count; i++) {
    let heldUsd = notionalsUsd[i]!;
    if (rows[i] === row) {
      heldUsd += left;
      left = 0;
    }
    const weighted = heldUsd * sigmas[i]!;
    net += weighted;
    gross += Math.abs(weighted);
  }
  net += left * sigma;
  gross += Math.abs(left * sigma);
  return gross > 0 ? Math.max(0, 1 - Math.abs(net) / gross) : 0;
}
