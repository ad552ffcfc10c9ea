import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { changedDriftScale, correlationDriftScale } from "./dependence/correlation-drift.ts";
import { bookTail } from "./tail/book-tail.ts";
import { reducedVar99Usd } from "./tail/changed-risk.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { PortfolioTail, PortfolioWorkspace } from "./portfolio-var.ts";
import type { TailCandidates } from "./tail/tail-candidates.ts";

/** One position's part in the portfolio's 99 % risk over 24 hours; negative parts are hedges. */
export interface PositionAttribution {
  /**
   * VaR(P) − VaR(P without the position): the published "marginal" VaR, by the literature's name incremental. The
   * derivative is the component over the notional.
   */
  readonly incrementalVarUsd: number;
  readonly componentVarUsd: number;
  /** Component over total; null when the total is about zero. */
  readonly componentVarShare: number | null;
}

export interface PortfolioAttribution {
  readonly tail: PortfolioTail;
  /** Sum of the positions' VaR, each alone. */
  readonly aloneVar99Usd: number;
  /** In the order of the positions. */
  readonly positions: readonly PositionAttribution[];
}

/** Totals smaller than this share of what the positions lose alone are zero for every purpose. */
const NEGLIGIBLE_SHARE = 1e-9;

/**
 * Euler attribution on the joint scenarios: component_i = Σ_j w_j (−pnl_i in the j-th worst scenario of the portfolio),
 * with the weights of the quantile itself, so that components sum to the total exactly.
 *
 * Shapes:  `traded` and candidates as bookTail takes them
 * Holds:   Σ components = total; order of positions irrelevant; a position of 0 has 0 everywhere
 * Source:  Tasche, Capital allocation to business units: the Euler principle (2007)
 */
export function portfolioAttribution(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  traded: SheetPosition | null,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): PortfolioAttribution {
  const driftScale = correlationDriftScale(sheet, positions, workspace.products, workspace.drift);
  const tail = bookTail(sheet, positions, traded, driftScale, candidates, workspace);
  // What follows sorts other books in the same place.
  const { tailLossesUsd, selection } = workspace;
  for (let rank = 0; rank < tailLossesUsd.length; rank++) tailLossesUsd[rank] = selection.values[rank]!;

  let aloneVar99Usd = 0;
  for (const position of positions) aloneVar99Usd += standaloneVar99Usd(sheet, position);
  const isNegligible = isNegligibleTotal(tail.var99Usd, aloneVar99Usd);
  const parts: PositionAttribution[] = [];
  for (let i = 0; i < positions.length; i++) {
    const { notionalUsdSigned } = positions[i]!;
    const { returns } = workspace.book.columns[i]!;
    const componentVarUsd = 0 - driftScale * notionalUsdSigned * returnAtQuantile(returns, workspace);
    parts.push({
      incrementalVarUsd: tail.var99Usd - var99WithoutUsd(sheet, positions, i, candidates, workspace),
      componentVarUsd,
      componentVarShare: isNegligible ? null : componentVarUsd / tail.var99Usd,
    });
  }
  return { tail, aloneVar99Usd, positions: parts };
}

/** Whether nothing can be a share of a total. */
export function isNegligibleTotal(var99Usd: number, aloneVar99Usd: number): boolean {
  return Math.abs(var99Usd) <= NEGLIGIBLE_SHARE * aloneVar99Usd;
}

/** 1 − VaR/Σ VaR of each position alone. May be slightly negative: VaR is not subadditive. 0 without risk. */
export function diversificationBenefitOf(var99Usd: number, aloneVar99Usd: number): number {
  return aloneVar99Usd > 0 ? 1 - var99Usd / aloneVar99Usd : 0;
}

/** 99 % VaR of a position alone, on the same scenarios. */
export function standaloneVar99Usd(sheet: ScenarioSheet, position: SheetPosition): number {
  const notionalUsd = position.notionalUsdSigned;
  const { longVar99, shortVar99 } = sheet.days[position.row]!;
  return Math.abs(notionalUsd) * (notionalUsd < 0 ? shortVar99 : longVar99);
}

/** An asset's return weighted over the scenarios of the portfolio's 99 % quantile. */
function returnAtQuantile(returns: Float64Array, { at99, book }: PortfolioWorkspace): number {
  const { firstRank, weights } = at99;
  const { order } = book;
  const { length } = weights;
  let sum = 0;
  for (let j = 0; j < length; j++) sum += weights[j]! * returns[order[firstRank + j]!]!;
  return sum;
}

function var99WithoutUsd(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  removedIndex: number,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): number {
  if (positions.length === 1) return 0;
  const { row, notionalUsdSigned } = positions[removedIndex]!;
  // Nothing must add exactly nothing, and rounding differs between the two ways.
  if (positions.length === 2 && notionalUsdSigned !== 0) {
    return standaloneVar99Usd(sheet, positions[1 - removedIndex]!);
  }
  const removal = { row, notionalUsdSigned: -notionalUsdSigned };
  const driftScale = changedDriftScale(sheet, removal, workspace.products, workspace.drift);
  return reducedVar99Usd(sheet, removal, driftScale, candidates, workspace);
}
