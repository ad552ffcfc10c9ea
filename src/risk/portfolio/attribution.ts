import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { expectedShortfallOfDescending } from "../tails/expected-shortfall.ts";
import { changedDriftScale, correlationDriftScale } from "./dependence/correlation-drift.ts";
import { boundedLossAtQuantileUsd, boundedVar99Usd, heldScale, mostLosableUsd } from "./bounded-parts.ts";
import { bookTail } from "./tail/book-tail.ts";
import { reducedVar99Usd } from "./tail/changed-risk.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import { type PortfolioTail, type PortfolioWorkspace, scaledTail } from "./portfolio-var.ts";
import { isMet, liftBound, putBoundBack, type TailPosition } from "./tail/met-losses.ts";
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
 * with the weights of the quantile itself, so that components sum to the total exactly. A position whose bound is met loses
 * what is behind it there.
 *
 * Shapes:  `traded` and candidates as bookTail takes them
 * Holds:   Σ components = total; order of positions irrelevant; a position of 0 has 0 everywhere; where no bound is met in
 *          any scenario bounds make no difference; of isolated positions alone no tail is more than all that is behind them
 * Source:  Tasche, Capital allocation to business units: the Euler principle (2007)
 */
export function portfolioAttribution(
  sheet: ScenarioSheet,
  positions: readonly TailPosition[],
  traded: SheetPosition | null,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): PortfolioAttribution {
  const { products, drift, book, selection, tailLossesUsd } = workspace;
  const driftScale = correlationDriftScale(sheet, positions, products, drift);
  const unscaled = bookTail(sheet, positions, traded, candidates, workspace);
  const scale = heldScale(driftScale, unscaled.expectedShortfall99Usd, mostLosableUsd(positions));
  const tail = scaledTail(unscaled, scale);
  // What follows sorts other books in the same place.
  for (let rank = 0; rank < tailLossesUsd.length; rank++) tailLossesUsd[rank] = selection.values[rank]!;

  const aloneUsd: number[] = [];
  let aloneVar99Usd = 0;
  let unboundedUsd = 0;
  for (let i = 0; i < positions.length; i++) {
    const inFullUsd = standaloneVar99Usd(sheet, positions[i]!);
    aloneUsd.push(isMet(i, book.met) ? boundedVar99Usd(sheet, i, positions[i]!, workspace) : inFullUsd);
    aloneVar99Usd += aloneUsd[i]!;
    unboundedUsd += inFullUsd;
  }
  const isShared = !isNegligible(tail.var99Usd, unboundedUsd);
  const parts: PositionAttribution[] = [];
  for (let i = 0; i < positions.length; i++) {
    const componentVarUsd = scale * lossAtQuantileUsd(i, positions[i]!, candidates, workspace);
    parts.push({
      incrementalVarUsd:
        tail.var99Usd - var99WithoutUsd(sheet, positions, i, aloneUsd, candidates, workspace),
      componentVarUsd,
      componentVarShare: isShared ? componentVarUsd / tail.var99Usd : null,
    });
  }
  return { tail, aloneVar99Usd, positions: parts };
}

/** When positions cancel, or margins are nearly gone, the total is rounding error and cannot be shared out. */
export function isNegligible(var99Usd: number, unboundedUsd: number): boolean {
  return Math.abs(var99Usd) <= NEGLIGIBLE_SHARE * unboundedUsd;
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

/** A position's loss weighted over the scenarios of the portfolio's 99 % quantile. */
function lossAtQuantileUsd(
  i: number,
  { notionalUsdSigned }: SheetPosition,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): number {
  const { at99, book } = workspace;
  if (isMet(i, book.met)) return boundedLossAtQuantileUsd(i, candidates, workspace);
  const { firstRank, weights } = at99;
  const { order } = book;
  const { returns } = book.columns[i]!;
  const { length } = weights;
  let sum = 0;
  for (let j = 0; j < length; j++) sum += weights[j]! * returns[order[firstRank + j]!]!;
  return 0 - notionalUsdSigned * sum;
}

function var99WithoutUsd(
  sheet: ScenarioSheet,
  positions: readonly TailPosition[],
  removed: number,
  aloneUsd: readonly number[],
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): number {
  if (positions.length === 1) return 0;
  const { row, notionalUsdSigned } = positions[removed]!;
  // Nothing must add exactly nothing, and rounding differs between the two ways.
  if (positions.length === 2 && notionalUsdSigned !== 0) return aloneUsd[1 - removed]!;
  const { products, drift, book, selection, scenarios } = workspace;
  const removal = { row, notionalUsdSigned: -notionalUsdSigned };
  const driftScale = changedDriftScale(sheet, removal, products, drift);
  const mostUsd = mostLosableUsd(positions, removed);
  liftBound(removed, candidates, book);
  const var99Usd = reducedVar99Usd(sheet, removal, candidates, workspace);
  putBoundBack(candidates, book);
  if (mostUsd === Infinity) return driftScale * var99Usd;
  const shortfallUsd = expectedShortfallOfDescending(selection.values, scenarios, 0.99);
  return heldScale(driftScale, Math.max(var99Usd, shortfallUsd), mostUsd) * var99Usd;
}
