import type { ScenarioSheet } from "../scenarios/sheet.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
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

/**
 * Losses of the candidates from a slot on: the sums that fillPortfolioLosses makes, to the last bit. Eight slots at a
 * time, because a column stays in the nearest cache and the sums in registers.
 */
export function fillCandidateLosses(from: number, { count }: TailCandidates, book: AskedBook): void {
  const { columns, returns, notionalsUsd, lossesUsd } = book;
  // Columns move when they grow.
  for (let i = 0; i < columns.length; i++) returns[i] = columns[i]!.returns;
  let slot = from;
  for (; slot + 7 < count; slot += 8) fillEight(slot, returns, notionalsUsd, lossesUsd);
  for (; slot < count; slot++) {
    let lossUsd = 0;
    for (let i = 0; i < returns.length; i++) lossUsd -= notionalsUsd[i]! * returns[i]![slot]!;
    lossesUsd[slot] = lossUsd;
  }
}

function fillEight(
  slot: number,
  returns: readonly Float64Array[],
  notionalsUsd: readonly number[],
  lossesUsd: Float64Array,
): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let e = 0;
  let f = 0;
  let g = 0;
  let h = 0;
  for (let i = 0; i < returns.length; i++) {
    const column = returns[i]!;
    const usd = notionalsUsd[i]!;
    a -= usd * column[slot]!;
    b -= usd * column[slot + 1]!;
    c -= usd * column[slot + 2]!;
    d -= usd * column[slot + 3]!;
    e -= usd * column[slot + 4]!;
    f -= usd * column[slot + 5]!;
    g -= usd * column[slot + 6]!;
    h -= usd * column[slot + 7]!;
  }
  lossesUsd[slot] = a;
  lossesUsd[slot + 1] = b;
  lossesUsd[slot + 2] = c;
  lossesUsd[slot + 3] = d;
  lossesUsd[slot + 4] = e;
  lossesUsd[slot + 5] = f;
  lossesUsd[slot + 6] = g;
  lossesUsd[slot + 7] = h;
}
