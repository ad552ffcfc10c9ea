import { harrellDavisOfDescending } from "../../../math/harrell-davis.ts";
import { expectedShortfallOfDescending, expectedShortfallReach } from "../../tails/expected-shortfall.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import { forgetLosses } from "./asked-book.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import type { PortfolioWorkspace } from "../portfolio-var.ts";
import { addReaching } from "./candidate-search.ts";
import { columnOf, type TailCandidates } from "./tail-candidates.ts";
import { createTailMemory } from "./tail-memory.ts";
import { admitCandidates, sortTail } from "./sorted-tail.ts";

/** Share of the tail's last loss by which more is searched than asked. */
const MARGIN = 0.01;

/** Changes of one purpose, row and direction have like tails: a position gone is one, and each trial size. */
const REMOVAL = 0;

/**
 * The portfolio's 99 % VaR without a position, or with less of it.
 *
 * Shapes:  candidates and workspace as bookTail left them; candidates may become more
 * Holds:   what portfolioTail says of the losses with the change added, to the last bit
 */
export function reducedVar99Usd(
  sheet: ScenarioSheet,
  change: SheetPosition,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): number {
  const { at99, reach99 } = workspace;
  const tail = changedTail(sheet, change, REMOVAL, reach99, candidates, workspace);
  return harrellDavisOfDescending(tail, at99);
}

/** Its 99 % expected shortfall at a trial size of one position, with the same shapes; trials count from 0. */
export function trialShortfall99Usd(
  sheet: ScenarioSheet,
  change: SheetPosition,
  trial: number,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): number {
  const { scenarios } = workspace;
  const reach = expectedShortfallReach(scenarios, 0.99);
  const tail = changedTail(sheet, change, REMOVAL + 1 + trial, reach, candidates, workspace);
  return expectedShortfallOfDescending(tail, scenarios, 0.99);
}

/** The largest losses after a change of one notional, largest first, from the candidates and those that it may carry to them. */
function changedTail(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned: changeUsd }: SheetPosition,
  purpose: number,
  reach: number,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): Float64Array {
  const { book, sorter } = workspace;
  const { values } = sorter.selection;
  const column = columnOf(sheet, row, candidates, book);
  const ofBook = candidates.tail.order;
  // Before the first such tail its guess is the book's own.
  const memory = (column.tails[2 * purpose + (changeUsd > 0 ? 1 : 0)] ??= createTailMemory(
    ofBook,
    reach,
    book.arena,
  ));
  sortTail(book, column, changeUsd, reach, candidates, memory, ofBook, sorter);
  const known = candidates.count;
  const floorUsd = values[reach - 1]!;
  const marginUsd = MARGIN * Math.abs(floorUsd);
  addReaching(sheet, column, changeUsd, floorUsd, marginUsd, memory.cover, candidates, workspace);
  if (candidates.count > known) {
    forgetLosses(known, candidates, book);
    admitCandidates(book, column, changeUsd, candidates, memory, sorter);
  }
  return values;
}
