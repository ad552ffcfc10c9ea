import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import { forgetLosses, takePositions } from "./asked-book.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import { type PortfolioTail, type PortfolioWorkspace, portfolioTailOfDescending } from "../portfolio-var.ts";
import { isLargeTrade } from "./large-trade.ts";
import { addReaching } from "./candidate-search.ts";
import { anchorCandidates } from "./anchored-candidates.ts";
import { isCurrent, type TailCandidates } from "./tail-candidates.ts";
import { takeBounds, type TailPosition } from "./met-losses.ts";
import { admitLosing, moveReference } from "./moved-reference.ts";
import { worstChangeUsd } from "./row-extremes.ts";
import { sortTail } from "./sorted-tail.ts";
import { ROUNDING } from "./reach-cover.ts";

/** At most so many times what a 95 % tail reads: candidates left from trades that are no longer asked about slow every book. */
const CANDIDATES_MAX = 6;
/** Columns of assets that were once traded. */
const SPARE_COLUMNS = 8;
/** Extremes of a traded row that are looked at even if fewer would do: the lower the bound, the fewer for each change. */
const EXTREMES_WALKED = 256;
/** Share of what those extremes add, by which more is searched than asked. */
const MARGIN = 0.1;
/** Of the tail's last loss: where other rows may add more to the bound, the reference moves to the book. */
const SLACK_MAX = 0.05;
/** Of the same loss: scenarios that lost so much in a moved reference become candidates, as it was anchored with. */
const KEPT_SHARE = 0.7;

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
  positions: readonly TailPosition[],
  traded: SheetPosition | null,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): PortfolioTail {
  const { reach95, selection, steps, book } = workspace;
  takeBounds(sheet, positions, steps, book.met);
  const isUsable =
    isCurrent(sheet, candidates) &&
    candidates.columns.length <= positions.length + SPARE_COLUMNS &&
    candidates.count <= CANDIDATES_MAX * reach95 + book.met.total;
  // After a large trade the book is its own reference.
  const small = traded === null || isLargeTrade(traded, positions) ? null : traded;
  if (!isUsable || !selectTail(sheet, positions, small, candidates, workspace)) {
    if (small !== null) anchorCandidates(sheet, bookBefore(positions, small), candidates, workspace);
    if (small === null || !selectTail(sheet, positions, small, candidates, workspace)) {
      anchorCandidates(sheet, positions, candidates, workspace);
      if (!selectTail(sheet, positions, null, candidates, workspace))
        deepenTail(sheet, candidates, workspace);
    }
  }
  return portfolioTailOfDescending(selection.values, workspace);
}

/** Where bounds are met the tail can begin at smaller losses than those that the reference was anchored with. */
function deepenTail(sheet: ScenarioSheet, candidates: TailCandidates, workspace: PortfolioWorkspace): void {
  const { book, selection, reach95 } = workspace;
  const floorUsd = selection.values[reach95 - 1]!;
  const known = candidates.count;
  admitLosing(floorUsd - (1 - KEPT_SHARE) * Math.abs(floorUsd) - book.rest.slackUsd, candidates, workspace);
  boundRest(sheet, candidates, workspace);
  forgetLosses(known, candidates, book);
  sortBook(candidates, workspace);
}

function bookBefore(
  positions: readonly SheetPosition[],
  { row, notionalUsdSigned }: SheetPosition,
): readonly SheetPosition[] {
  return [...positions, { row, notionalUsdSigned: -notionalUsdSigned }];
}

/**
 * Sorts the tail among the candidates; false where others may belong to it, which they do not if the book is the
 * reference itself, whatever ties there are.
 */
function selectTail(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  traded: SheetPosition | null,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): boolean {
  const { book, selection, reach95, extremes } = workspace;
  const { rest } = book;
  takePositions(sheet, positions, candidates, book);
  let far = boundRest(sheet, candidates, workspace);
  const { outsideUsd } = candidates.tail;
  if (outsideUsd > 0 && rest.slackUsd > SLACK_MAX * outsideUsd) {
    moveReference(sheet, traded, KEPT_SHARE * outsideUsd, candidates, workspace);
    far = boundRest(sheet, candidates, workspace);
  }
  forgetLosses(0, candidates, book);
  sortBook(candidates, workspace);
  const floorUsd = selection.values[reach95 - 1]!;
  if (rest.lossUsd < floorUsd) return true;
  if (!(rest.nearLossUsd < floorUsd)) return false;
  const known = candidates.count;
  const deepUsd = worstChangeUsd(sheet, far, rest.farChangeUsd, extremes, EXTREMES_WALKED);
  rest.lossUsd = Math.min(floorUsd, rest.nearLossUsd + deepUsd);
  const marginUsd = MARGIN * deepUsd;
  addReaching(sheet, far, 0, rest.lossUsd, marginUsd, candidates.tail.cover, candidates, workspace);
  if (candidates.count > known) {
    forgetLosses(known, candidates, book);
    sortBook(candidates, workspace);
  }
  return true;
}

/** The book is its own change by nothing, in whichever row. */
function sortBook(candidates: TailCandidates, { book, reach95, sorter }: PortfolioWorkspace): void {
  const { columns, tail, referenceOrder } = candidates;
  sortTail(book, columns[0]!, 0, reach95, candidates, tail, referenceOrder, sorter);
}

/**
 * Bounds what scenarios that are no candidates lost: each row's notional differs from the reference's by so much, and
 * none moves further than its own extreme. The row whose change adds the most to the bound is kept apart and returned.
 */
function boundRest(
  sheet: ScenarioSheet,
  { columns, restLossUsd, roundingUsd }: TailCandidates,
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
  rest.slackUsd = sumUsd - farUsd + ROUNDING * grossUsd + roundingUsd;
  rest.nearLossUsd = restLossUsd + rest.slackUsd;
  rest.lossUsd = rest.nearLossUsd + farUsd;
  rest.farChangeUsd = far.notionalUsd - far.referenceUsd;
  rest.far = far;
  return far;
}
