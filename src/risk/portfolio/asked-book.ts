import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { fillWeightedLosses, type SheetPosition } from "./portfolio-losses.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import { columnOf, type RestBound, type TailCandidates } from "./tail-candidates.ts";
import type { TailOrder } from "./tail-order.ts";

/** The book that is asked about, on its candidates; working memory of one thread. */
export interface AskedBook {
  /** By position. */
  readonly columns: CandidateColumn[];
  readonly returns: Float64Array[];
  readonly notionalsUsd: number[];
  /** By slot. */
  readonly lossesUsd: Float64Array;
  /** The slots of its 95 % tail, and some more. */
  order: TailOrder;
  readonly rest: RestBound;
}

export function createAskedBook(scenarios: number): AskedBook {
  return {
    columns: [],
    returns: [],
    notionalsUsd: [],
    lossesUsd: new Float64Array(scenarios),
    order: new Uint16Array(0),
    rest: {
      lossUsd: Infinity,
      nearLossUsd: Infinity,
      slackUsd: 0,
      farChangeUsd: 0,
      far: null,
    },
  };
}

/** Finds the positions' columns and nets what they hold in each. */
export function takePositions(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  candidates: TailCandidates,
  book: AskedBook,
): void {
  const count = positions.length;
  book.columns.length = count;
  book.returns.length = count;
  book.notionalsUsd.length = count;
  book.order = candidates.tail.order;
  for (let i = 0; i < candidates.columns.length; i++) candidates.columns[i]!.notionalUsd = 0;
  for (let i = 0; i < count; i++) {
    const { row, notionalUsdSigned } = positions[i]!;
    const column = columnOf(sheet, row, candidates);
    column.notionalUsd += notionalUsdSigned;
    book.columns[i] = column;
    book.notionalsUsd[i] = notionalUsdSigned;
  }
}

/** Losses of the candidates from a slot on: the sums that fillPortfolioLosses makes, to the last bit. */
export function fillCandidateLosses(from: number, { count }: TailCandidates, book: AskedBook): void {
  // Columns move when they grow.
  for (let i = 0; i < book.columns.length; i++) book.returns[i] = book.columns[i]!.returns;
  fillWeightedLosses(book.returns, book.notionalsUsd, from, count, book.lossesUsd);
}
