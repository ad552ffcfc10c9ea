import { harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { PortfolioWorkspace } from "./portfolio-var.ts";
import { isMetIn, type TailPosition } from "./tail/met-losses.ts";
import { extremesOf } from "./tail/row-extremes.ts";
import type { TailCandidates } from "./tail/tail-candidates.ts";

/** The most that a book can lose: what is behind its isolated positions, without limit where any is not. */
export function mostLosableUsd(positions: readonly TailPosition[], without = -1): number {
  let mostUsd = 0;
  for (let i = 0; i < positions.length; i++) {
    if (i !== without) mostUsd += positions[i]!.bound?.equityUsd ?? Infinity;
  }
  return mostUsd;
}

/** The correction for drifting correlations, as far as it adds no loss that the book cannot have. */
export function heldScale(driftScale: number, expectedShortfall99Usd: number, mostUsd: number): number {
  return expectedShortfall99Usd > 0
    ? Math.min(driftScale, Math.max(1, mostUsd / expectedShortfall99Usd))
    : driftScale;
}

/**
 * 99 % VaR alone of a position whose bound is met: all that is behind it there, then the worst of the day's other returns.
 *
 * Shapes:  the book asked about holds it; what was sorted last is lost
 */
export function boundedVar99Usd(
  sheet: ScenarioSheet,
  i: number,
  { row, notionalUsdSigned }: SheetPosition,
  { selection: { values }, reach99, at99, extremes, book: { met } }: PortfolioWorkspace,
): number {
  const list = met.lists[i]!;
  const { count } = list;
  const equityUsd = met.equitiesUsd[i]!;
  if (count >= reach99) return equityUsd;
  const returns = dayReturnsOf(sheet, row);
  const worst = extremesOf(sheet, row, notionalUsdSigned > 0 ? -1 : 1, extremes);
  values.fill(equityUsd, 0, count);
  for (let rank = count, k = 0; rank < reach99; k++) {
    const s = worst[k]!;
    if (!isMetIn(s, list)) values[rank++] = 0 - notionalUsdSigned * returns[s]!;
  }
  return harrellDavisOfDescending(values, at99);
}

/** Its loss weighted over the scenarios of the book's 99 % quantile. Shapes: candidates and workspace as bookTail left them */
export function boundedLossAtQuantileUsd(
  i: number,
  { scenarios }: TailCandidates,
  { at99: { firstRank, weights }, book }: PortfolioWorkspace,
): number {
  const { order, columns, notionalsUsd, met } = book;
  const list = met.lists[i]!;
  const equityUsd = met.equitiesUsd[i]!;
  const notionalUsd = notionalsUsd[i]!;
  const { returns } = columns[i]!;
  let sumUsd = 0;
  for (let j = 0; j < weights.length; j++) {
    const slot = order[firstRank + j]!;
    const lossUsd = isMetIn(scenarios[slot]!, list) ? equityUsd : 0 - notionalUsd * returns[slot]!;
    sumUsd += weights[j]! * lossUsd;
  }
  return sumUsd;
}
