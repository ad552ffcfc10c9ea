import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { PortfolioWorkspace } from "../portfolio-var.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import { isCovered, type ReachCover } from "./reach-cover.ts";
import { extremesOf, type RowExtremes, SORTING_SLACK, worstChangeUsd } from "./row-extremes.ts";
import { addCandidate, type TailCandidates } from "./tail-candidates.ts";

/** What bounds the losses that scenarios which are no candidates have in the book that is asked about. */
export interface RestBound {
  /** None lost more. */
  lossUsd: number;
  /** None lost more but for the change of one row, the far one: */
  nearLossUsd: number;
  /** Each lost at most this more than in the reference book, but for the same change. */
  slackUsd: number;
  farChangeUsd: number;
  far: CandidateColumn | null;
}

/**
 * Adds the scenarios that a change of one row's notional may carry to a floor, and those that it may carry to a margin
 * below it, so that the next search for the same tail finds itself covered though marks moved a little. The row's own
 * extremes come first, until they add too little; where their list would end before, every scenario is looked at.
 *
 * Source:  Fagin, Lotem and Naor, Optimal aggregation algorithms for middleware (2003): bounds from two sorted lists
 */
export function addReaching(
  sheet: ScenarioSheet,
  column: CandidateColumn,
  changeUsd: number,
  floorUsd: number,
  marginUsd: number,
  cover: ReachCover,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): void {
  const { extremes, book } = workspace;
  const { lossUsd, nearLossUsd, slackUsd, farChangeUsd, far: farthest } = book.rest;
  const { restLossUsd, moves } = candidates;
  const far = farthest ?? column;
  // Two changes of one row are one: taking a trade back leaves the reference.
  const isFar = column === far;
  const movedUsd = isFar ? farChangeUsd + changeUsd : changeUsd;
  const otherUsd = isFar ? 0 : farChangeUsd;
  const floorOfRestUsd = floorUsd - slackUsd;
  if (isCovered(cover, sheet, column, movedUsd, far, otherUsd, floorOfRestUsd, restLossUsd, moves, extremes))
    return;
  cover.column = column;
  cover.movedUsd = movedUsd;
  cover.far = far;
  cover.otherUsd = otherUsd;
  cover.leastUsd = floorOfRestUsd - marginUsd;
  cover.moves = moves;
  const boundUsd = (isFar ? nearLossUsd : lossUsd) - slackUsd;
  const listed = extremesOf(sheet, column.row, movedUsd > 0 ? -1 : 1, extremes).length;
  const isListEnough =
    listed === sheet.scenarios ||
    boundUsd + worstChangeUsd(sheet, column, movedUsd, extremes, listed - 1) < cover.leastUsd;
  if (isListEnough) addListed(sheet, column, cover, boundUsd, far, candidates, extremes);
  else addFromAll(column, cover, far, candidates, workspace);
}

/** Walks a row's extremes as long as a scenario that moved as far can reach what is searched. */
function addListed(
  sheet: ScenarioSheet,
  { row, day: { returns } }: CandidateColumn,
  { movedUsd, otherUsd, leastUsd }: ReachCover,
  boundUsd: number,
  far: CandidateColumn,
  candidates: TailCandidates,
  extremes: RowExtremes,
): void {
  const { restLossesUsd } = candidates;
  const farReturns = far.day.returns;
  const worst = extremesOf(sheet, row, movedUsd > 0 ? -1 : 1, extremes);
  for (let i = 0; i < worst.length; i++) {
    const scenario = worst[i]!;
    const addedUsd = 0 - movedUsd * returns[scenario]!;
    if (boundUsd + addedUsd + SORTING_SLACK * Math.abs(addedUsd) < leastUsd) return;
    const mostUsd = restLossesUsd[scenario]! - otherUsd * farReturns[scenario]! + addedUsd;
    if (mostUsd >= leastUsd) addCandidate(scenario, candidates);
  }
}

function addFromAll(
  column: CandidateColumn,
  { movedUsd, otherUsd, leastUsd }: ReachCover,
  far: CandidateColumn,
  candidates: TailCandidates,
  { book: { kernel, rows }, selection: { keptIndices } }: PortfolioWorkspace,
): void {
  const returns = rows.returnsOf(column.row, column.day);
  const farReturns = rows.returnsOf(far.row, far.day);
  const { restLossesUsd } = candidates;
  const found = kernel.findMoved(
    restLossesUsd,
    farReturns,
    otherUsd,
    returns,
    movedUsd,
    leastUsd,
    keptIndices,
  );
  for (let i = 0; i < found; i++) addCandidate(keptIndices[i]!, candidates);
}
