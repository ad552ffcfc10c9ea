import { join } from "node:path";
import type { Ticker } from "../domain/ids.ts";
import { isAscending, joinRows, lastOfEachTime, type RowCheck, type RowShape } from "../domain/row-table.ts";
import { FileTurns } from "./file-turns.ts";
import {
  appendRecords,
  readRecords,
  type RecordFile,
  replaceRecords,
  type ReportUnreadable,
  setAside,
} from "./record-file.ts";

/** How facts of one kind are kept: one row of doubles each. */
export interface RecordKind {
  readonly folder: string;
  readonly columns: number;
  /** Of the columns' meaning: a file of another version is as good as none. */
  readonly version: number;
  /** The newest so many facts are kept. */
  readonly countMax: number;
  /** Another row is passed over, and set aside with the file. */
  readonly isPossible: RowCheck;
  /** Each fact once, ascending in time, of rows in the order in which they were told. */
  readonly factsOf: (rows: Float64Array) => Float64Array;
  /** Whether a file may hold rows in this order; it is written anew where it would not. */
  readonly isOrderly: (rows: Float64Array) => boolean;
}

/** Facts of one time each; of two of one time the later told one stands. Their files ascend, so that reading sorts nothing. */
export function timeSeries(series: Omit<RecordKind, "factsOf" | "isOrderly"> & RowShape): RecordKind {
  return {
    ...series,
    factsOf: (rows) => lastOfEachTime(rows, series),
    isOrderly: (rows) => isAscending(rows, series),
  };
}

/** What must be known of a file to append to it without reading it again. */
interface FileHead {
  readonly count: number;
  readonly lastRow: Float64Array;
}

/**
 * One file per asset under a folder of the data directory. Rows are appended, and now and then the facts that they tell
 * are written anew. What could not be written is written with what comes next, be it nothing: a hole in a file is not
 * asked for before the next start.
 *
 * Holds:  a crash at any moment costs no row that was kept before, and of those being kept a tail at most
 */
export class RecordFolder {
  readonly #dataDir: string;
  readonly #kind: RecordKind;
  readonly #report: ReportUnreadable;
  /** Of files that may be appended to: unknown before the first reading and after a failed writing. */
  readonly #heads = new Map<Ticker, FileHead>();
  readonly #unwritten = new Map<Ticker, Float64Array>();
  readonly #turns = new FileTurns();

  constructor(dataDir: string, kind: RecordKind, report: ReportUnreadable) {
    this.#dataDir = dataDir;
    this.#kind = kind;
    this.#report = report;
  }

  /** What the file holds, and what could not be written yet. */
  load(ticker: Ticker): Promise<Float64Array> {
    return this.#turns.run(ticker, async () => {
      const { values } = await this.#read(ticker);
      return this.#newestOf(values, this.#unwritten.get(ticker) ?? NO_ROWS);
    });
  }

  keep(ticker: Ticker, added: Float64Array): Promise<void> {
    return this.#turns.run(ticker, async () => {
      const due = this.#newestOf(this.#unwritten.get(ticker) ?? NO_ROWS, added);
      if (due.length === 0) return;
      this.#unwritten.set(ticker, due);
      if (!(await this.#append(ticker, due))) await this.#rewrite(ticker, due);
      this.#unwritten.delete(ticker);
    });
  }

  #newestOf(told: Float64Array, toldLater: Float64Array): Float64Array {
    const { columns, countMax, factsOf } = this.#kind;
    const facts = factsOf(joinRows(told, toldLater));
    return facts.subarray(Math.max(0, facts.length - countMax * columns));
  }

  /** False where the file has to be written anew. */
  async #append(ticker: Ticker, rows: Float64Array): Promise<boolean> {
    const head = this.#heads.get(ticker);
    // A failed append may leave half a record, so the head is unknown until it has succeeded.
    this.#heads.delete(ticker);
    if (head === undefined || !this.#isTail(head, rows)) return false;
    if (!(await appendRecords(this.#path(ticker), this.#kind.columns, rows))) return false;
    this.#heads.set(ticker, this.#headOf(rows, head.count));
    return true;
  }

  #isTail({ count, lastRow }: FileHead, rows: Float64Array): boolean {
    const { columns, countMax, isOrderly } = this.#kind;
    return count + rows.length / columns <= 2 * countMax && isOrderly(joinRows(lastRow, rows));
  }

  async #rewrite(ticker: Ticker, added: Float64Array): Promise<void> {
    const { columns, version } = this.#kind;
    const file = await this.#read(ticker);
    const rows = this.#newestOf(file.values, added);
    await setAside(this.#path(ticker), file, this.#report);
    await replaceRecords(this.#path(ticker), columns, rows, version);
    this.#heads.set(ticker, this.#headOf(rows, 0));
  }

  /** Of a file that ends with these rows, behind so many others. */
  #headOf(rows: Float64Array, countBefore: number): FileHead {
    const { columns } = this.#kind;
    return { count: countBefore + rows.length / columns, lastRow: rows.slice(-columns) };
  }

  async #read(ticker: Ticker): Promise<RecordFile> {
    const { columns, version, isPossible, isOrderly } = this.#kind;
    const file = await readRecords(this.#path(ticker), columns, version, isPossible);
    // Two processes that append to one file leave a time twice; it is written anew with what comes next.
    if (file.isAppendable && isOrderly(file.values)) this.#heads.set(ticker, this.#headOf(file.values, 0));
    else this.#heads.delete(ticker);
    return file;
  }

  #path(ticker: Ticker): string {
    return join(this.#dataDir, this.#kind.folder, `${encodeURIComponent(ticker)}.bin`);
  }
}

const NO_ROWS = new Float64Array(0);
