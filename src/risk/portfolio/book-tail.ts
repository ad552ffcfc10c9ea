import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { fillCandidateLosses, takePositions } from "./asked-book.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import { type PortfolioTail, type PortfolioWorkspace, tailOfDescending } from "./portfolio-var.ts";
import {
  addReaching,
  anchorCandidates,
  dropAdded,
  isCurrent,
  type TailCandidates,
} from "./tail-candidates.ts";
import { worstChangeUsd } from "./row-extremes.ts";
import { sortTail } from "./sorted-tail.ts";
import { ROUNDING } from "./reach-cover.ts";

/** Times the anchored ones: more candidates slow every book down, those of trades that are no longer asked about too. */
const CANDIDATES_MAX = 1.25;
/** Columns of assets that were once traded. */
const SPARE_COLUMNS = 8;
/** Extremes of a traded row that are looked at even if fewer would do: the lower the bound, the fewer for each change. */
const EXTREMES_WALKED = 256;
/** Share of what those extremes add, by which more is searched than asked. */
const MARGIN = 0.1;
/** Of the gross notional: beyond it the book after a trade is its own reference. */
const TRADE_SHARE_MAX = 0.25;

/**
 * VaR and ES of a book from the few scenarios that can be in its tail, whose losses, order and slots stay in the
 * workspace.
 *
 * Shapes:  `traded` is the change that the book's trade made, where it is known: the reference is then the book before
 *          it, which the next trade starts from too
 * Holds:   what portfolioTail says of the losses of all scenarios, to the last bit, whatever was asked before
 */
export function bookTail(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  traded: SheetPosition | null,
  scale: number,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): PortfolioTail {
  const { reach95, selection } = workspace;
  const isUsable =
    isCurrent(sheet, candidates) && candidates.columns.length <= positions.length + SPARE_COLUMNS;
  if (candidates.count > CANDIDATES_MAX * candidates.anchored) dropAdded(candidates);
  if (!isUsable || !selectTail(sheet, positions, candidates, workspace)) {
    const before = traded === null ? null : bookBefore(positions, traded);
    if (before !== null) anchorCandidates(sheet, before, reach95, candidates, selection);
    if (before === null || !selectTail(sheet, positions, candidates, workspace)) {
      anchorCandidates(sheet, positions, reach95, candidates, selection);
      selectTail(sheet, positions, candidates, workspace);
    }
  }
  return tailOfDescending(selection.values, scale, workspace);
}

/** The book before its trade; null where the trade is so large that their tails have little in common. */
function bookBefore(
  positions: readonly SheetPosition[],
  { row, notionalUsdSigned }: SheetPosition,
): readonly SheetPosition[] | null {
  let grossUsd = 0;
  for (const position of positions) grossUsd += Math.abs(position.notionalUsdSigned);
  if (Math.abs(notionalUsdSigned) > TRADE_SHARE_MAX * grossUsd) return null;
  return [...positions, { row, notionalUsdSigned: -notionalUsdSigned }];
}

/**
 * Sorts the tail among the candidates; false where others may belong to it, which they do not if the book is the
 * reference itself, whatever ties there are.
 */
function selectTail(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): boolean {
  const { book, selection, reach95, extremes } = workspace;
  const { rest } = book;
  takePositions(sheet, positions, candidates, book);
  fillCandidateLosses(0, candidates, book);
  sortBook(candidates, workspace);
  const floorUsd = selection.values[reach95 - 1]!;

  const far = boundRest(sheet, candidates, workspace);
  if (rest.lossUsd < floorUsd) return true;
  if (!(rest.nearLossUsd < floorUsd)) return false;
  const known = candidates.count;
  const deepUsd = worstChangeUsd(sheet, far, rest.farChangeUsd, extremes, EXTREMES_WALKED);
  rest.lossUsd = Math.min(floorUsd, rest.nearLossUsd + deepUsd);
  const marginUsd = MARGIN * deepUsd;
  addReaching(sheet, far, 0, rest.lossUsd, marginUsd, rest, candidates.tail.cover, candidates, extremes);
  if (candidates.count > known) {
    fillCandidateLosses(known, candidates, book);
    sortBook(candidates, workspace);
  }
  return true;
}

/** The book is its own change by nothing, in whichever row. */
function sortBook(candidates: TailCandidates, { book, reach95, sorter }: PortfolioWorkspace): void {
  const { columns, tail, referenceOrder } = candidates;
  sortTail(book.lossesUsd, columns[0]!, 0, reach95, candidates, tail, referenceOrder, sorter);
}

/**
 * Bounds what scenarios that are no candidates lost: each row's notional differs from the reference's by so much, and
 * none moves further than its own extreme. The row whose change adds the most to the bound is kept apart and returned.
 */
function boundRest(
  sheet: ScenarioSheet,
  { columns, restLossUsd }: TailCandidates,
  { book, extremes }: PortfolioWorkspace,
): CandidateColumn {
  let far = columns[0]!;
  let farUsd = -Infinity;
  let sumUsd = 0;
  let grossUsd = 0;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!;
    const { notionalUsd, referenceUsd } = column;
    const worstUsd = worstChangeUsd(sheet, column, notionalUsd - referenceUsd, extremes);
    grossUsd += Math.abs(notionalUsd) + Math.abs(referenceUsd);
    sumUsd += worstUsd;
    if (worstUsd > farUsd) {
      far = column;
      farUsd = worstUsd;
    }
  }
  const { rest } = book;
  rest.slackUsd = sumUsd - farUsd + ROUNDING * grossUsd;
  rest.nearLossUsd = restLossUsd + rest.slackUsd;
  rest.lossUsd = rest.nearLossUsd + farUsd;
  rest.farChangeUsd = far.notionalUsd - far.referenceUsd;
  rest.far = far;
  return far;
}
