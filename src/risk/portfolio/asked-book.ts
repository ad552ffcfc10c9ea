import type { ScenarioSheet } from "../scenarios/sheet.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import { columnOf, type RestBound, type TailCandidates } from "./tail-candidates.ts";
import type { TailOrder } from "./tail-order.ts";

/** Losses that are made at once, of slots side by side. */
const BLOCK = 8;

/** The book that is asked about, on its candidates; working memory of one thread. */
export interface AskedBook {
  /** By position. */
  readonly columns: CandidateColumn[];
  readonly returns: Float64Array[];
  readonly notionalsUsd: number[];
  /** By slot, with room for a last block; NaN where it was not needed yet. */
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
    lossesUsd: new Float64Array(scenarios + BLOCK),
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

/** Losses from a slot's block on are not known: of a book that begins, or of candidates that have just been added. */
export function forgetLosses(
  from: number,
  { count }: TailCandidates,
  { columns, returns, lossesUsd }: AskedBook,
): void {
  // Columns move when they grow.
  for (let i = 0; i < columns.length; i++) returns[i] = columns[i]!.returns;
  lossesUsd.fill(NaN, from & -BLOCK, count);
}

/** Losses of the candidates from a slot's block on that are not known yet. */
export function fillMissingLosses(from: number, { count }: TailCandidates, book: AskedBook): void {
  const { lossesUsd } = book;
  for (let slot = from & -BLOCK; slot < count; slot += BLOCK) {
    if (Number.isNaN(lossesUsd[slot])) fillBlock(slot, book);
  }
}

/**
 * Losses of the block in which a slot is, the sums that fillPortfolioLosses makes, to the last bit. Eight at a time,
 * because their sums stay in registers and none waits for another.
 */
export function fillBlock(slot: number, { returns, notionalsUsd, lossesUsd }: AskedBook): void {
  const first = slot & -BLOCK;
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
    a -= usd * column[first]!;
    b -= usd * column[first + 1]!;
    c -= usd * column[first + 2]!;
    d -= usd * column[first + 3]!;
    e -= usd * column[first + 4]!;
    f -= usd * column[first + 5]!;
    g -= usd * column[first + 6]!;
    h -= usd * column[first + 7]!;
  }
  lossesUsd[first] = a;
  lossesUsd[first + 1] = b;
  lossesUsd[first + 2] = c;
  lossesUsd[first + 3] = d;
  lossesUsd[first + 4] = e;
  lossesUsd[first + 5] = f;
  lossesUsd[first + 6] = g;
  lossesUsd[first + 7] = h;
}
