import { harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { expectedShortfallOfDescending } from "../expected-shortfall.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { fillAddedLosses } from "./asked-book.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { PortfolioWorkspace } from "./portfolio-var.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import { addReaching, columnOf, type TailCandidates } from "./tail-candidates.ts";
import { createTailMemory, type TailMemory } from "./tail-memory.ts";
import { admitCandidates, sortTail } from "./sorted-tail.ts";
import type { TailOrder } from "./tail-order.ts";

/** The 99 % tail of a portfolio in which one position is larger, smaller or gone. */
export interface ChangedTail {
  readonly var99Usd: number;
  readonly expectedShortfall99Usd: number;
}

/** What a change is asked for, a number from 0: changes of one purpose, row and direction have like tails. */
export type ChangePurpose = number;

/** Share of the tail's last loss by which more is searched than asked. */
const MARGIN = 0.01;

/** A position gone; trial sizes come after it. */
export const REMOVAL: ChangePurpose = 0;

/**
 * The tail after a change of one notional, from the candidates and those that the change may carry to it.
 *
 * Shapes:  candidates and workspace as bookTail left them; candidates may become more
 * Holds:   what portfolioTail says of the losses with the change added, to the last bit, whatever the purpose
 */
export function changedTail(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned: changeUsd }: SheetPosition,
  purpose: ChangePurpose,
  scale: number,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): ChangedTail {
  const { book, sorter, reach99, at99, scenarios, extremes } = workspace;
  const { values } = sorter.selection;
  const column = columnOf(sheet, row, candidates);
  const ofBook = candidates.tail.order;
  const memory = memoryOf(column, 2 * purpose + (changeUsd > 0 ? 1 : 0), ofBook, reach99);
  sortTail(book, column, changeUsd, reach99, candidates, memory, ofBook, sorter);
  const known = candidates.count;
  const floorUsd = values[reach99 - 1]!;
  const marginUsd = MARGIN * Math.abs(floorUsd);
  addReaching(sheet, column, changeUsd, floorUsd, marginUsd, book.rest, memory.cover, candidates, extremes);
  if (candidates.count > known) {
    fillAddedLosses(known, candidates, book);
    admitCandidates(book, column, changeUsd, candidates, memory, sorter);
  }
  const var99 = harrellDavisOfDescending(values, at99);
  const shortfall99 = expectedShortfallOfDescending(values, scenarios, 0.99);
  return { var99Usd: scale * var99, expectedShortfall99Usd: scale * Math.max(shortfall99, var99) };
}

/** The last such tail; before the first its guess is the book's own. */
function memoryOf({ tails }: CandidateColumn, kind: number, ofBook: TailOrder, reach99: number): TailMemory {
  return (tails[kind] ??= createTailMemory(ofBook, reach99));
}
