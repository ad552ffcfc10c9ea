import { invariant } from "../../../math/invariant.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import { addMetLosses, admitMet, createMetLosses, type MetLosses } from "./met-losses.ts";
import { createPositionRoom, makeRoom } from "./position-room.ts";
import type { TailArena } from "./tail-arena.ts";
import type { RestBound } from "./candidate-search.ts";
import { columnOf, type TailCandidates } from "./tail-candidates.ts";
import { createTailKernel, type KernelBook, type TailKernel } from "./tail-kernel.ts";
import type { TailOrder } from "./tail-order.ts";
import { WholeRows } from "./whole-rows.ts";

/** Losses that are made at once, of slots side by side. */
const BLOCK = 8;

/** The book that is asked about, on its candidates; working memory of one thread. */
export interface AskedBook extends KernelBook {
  readonly arena: TailArena;
  readonly kernel: TailKernel;
  readonly rows: WholeRows;
  /** By position. */
  readonly columns: CandidateColumn[];
  columnAddresses: Uint32Array;
  /** Where the kernel puts the lowest and highest return of a column that it gathered. */
  readonly returnRange: Float64Array;
  notionalsUsd: Float64Array;
  positionCount: number;
  /** The slots of its 95 % tail, and some more. */
  order: TailOrder;
  readonly rest: RestBound;
  readonly met: MetLosses;
}

export function createAskedBook(scenarios: number, arena: TailArena): AskedBook {
  const kernel = createTailKernel(arena.memory);
  return {
    arena,
    kernel,
    rows: new WholeRows(arena, kernel),
    returnRange: arena.doubles(2),
    columns: [],
    ...createPositionRoom(arena),
    positionCount: 0,
    lossesUsd: arena.doubles(scenarios + BLOCK),
    order: arena.order(0),
    rest: {
      lossUsd: Infinity,
      nearLossUsd: Infinity,
      slackUsd: 0,
      farChangeUsd: 0,
      far: null,
    },
    met: createMetLosses(scenarios),
  };
}

/**
 * Finds the positions' columns, nets what they hold in each, and admits the scenarios in which bounds are met.
 *
 * Shapes:  takeBounds has found these for the same positions
 */
export function takePositions(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  candidates: TailCandidates,
  book: AskedBook,
): void {
  invariant(candidates.arena === book.arena, "candidates in the memory of the book");
  const count = positions.length;
  book.columns.length = count;
  book.positionCount = count;
  makeRoom(count, book, book.arena);
  book.order = candidates.tail.order;
  for (let i = 0; i < candidates.columns.length; i++) candidates.columns[i]!.notionalUsd = 0;
  for (let i = 0; i < count; i++) {
    const { row, notionalUsdSigned } = positions[i]!;
    const column = columnOf(sheet, row, candidates, book);
    column.notionalUsd += notionalUsdSigned;
    book.columns[i] = column;
    book.notionalsUsd[i] = notionalUsdSigned;
  }
  if (book.met.total > 0) admitMet(count, book.met, candidates);
}

/**
 * Losses from a slot's block on are not known: of a book that begins, or of candidates that have just been added. Where
 * bounds are met all are made at once, since the kernel knows of none.
 */
export function forgetLosses(from: number, candidates: TailCandidates, book: AskedBook): void {
  const { columns, columnAddresses, lossesUsd, met } = book;
  // Columns move when they grow.
  for (let i = 0; i < columns.length; i++) columnAddresses[i] = columns[i]!.returns.byteOffset;
  lossesUsd.fill(NaN, from & -BLOCK, candidates.count);
  if (met.total === 0) return;
  fillMissingLosses(from, candidates, book);
  addMetLosses(from & -BLOCK, candidates, book);
}

/**
 * Losses of the candidates from a slot's block on that are not known yet: the sums that fillPortfolioLosses makes, to the
 * last bit.
 */
export function fillMissingLosses(from: number, { count }: TailCandidates, book: AskedBook): void {
  book.kernel.fillMissing(from & -BLOCK, count, book);
}
