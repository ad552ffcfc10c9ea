import { join } from "node:path";
import type { Ticker } from "../domain/ids.ts";
import { isAscending, mergeRows, type RowCheck, type RowShape } from "../domain/row-table.ts";
import { FileTurns } from "./file-turns.ts";
import {
  appendRecords,
  readRecords,
  type RecordFile,
  replaceRecords,
  type ReportUnreadable,
  setAside,
} from "./record-file.ts";

/** How facts of one kind are kept: one row of doubles per time. */
export interface Series extends RowShape {
  readonly folder: string;
  /** Of the columns' meaning: a file of another version is as good as none. */
  readonly version: number;
  /** The newest so many rows are kept. */
  readonly countMax: number;
  /** Another row is passed over, and set aside with the file. */
  readonly isPossible: RowCheck;
}

/** What must be known of a file to append to it without reading it again. */
interface FileHead {
  readonly count: number;
  readonly lastTimeMs: number;
  readonly isAppendable: boolean;
}

/**
 * One file per asset under a folder of the data directory, oldest row first. What could not be written is written with
 * what comes next: a hole in a file is not asked for before the next start.
 */
export class SeriesFolder {
  readonly #dataDir: string;
  readonly #series: Series;
  readonly #report: ReportUnreadable;
  readonly #heads = new Map<Ticker, FileHead>();
  readonly #unwritten = new Map<Ticker, Float64Array>();
  readonly #turns = new FileTurns();

  constructor(dataDir: string, series: Series, report: ReportUnreadable) {
    this.#dataDir = dataDir;
    this.#series = series;
    this.#report = report;
  }

  /** What the file holds, and what could not be written yet. */
  load(ticker: Ticker): Promise<Float64Array> {
    return this.#turns.run(ticker, async () =>
      this.#newestOf((await this.#read(ticker)).rows, this.#unwritten.get(ticker)),
    );
  }

  keep(ticker: Ticker, added: Float64Array): Promise<void> {
    return this.#turns.run(ticker, async () => {
      if (added.length === 0) return;
      const before = this.#unwritten.get(ticker);
      const due = before === undefined ? added : this.#newestOf(before, added);
      this.#unwritten.set(ticker, due);
      const head = this.#heads.get(ticker);
      const isAppended =
        head !== undefined && this.#isTail(head, due) && (await this.#append(ticker, head, due));
      if (!isAppended) await this.#rewrite(ticker, due);
      this.#unwritten.delete(ticker);
    });
  }

  #newestOf(kept: Float64Array, added: Float64Array | undefined): Float64Array {
    const { columns, countMax } = this.#series;
    const all = added === undefined ? kept : mergeRows(kept, added, this.#series);
    return all.subarray(Math.max(0, all.length - countMax * columns));
  }

  #isTail(head: FileHead, added: Float64Array): boolean {
    const { columns, countMax, timeMs } = this.#series;
    const ascends = timeMs(added, 0) > head.lastTimeMs && isAscending(added, this.#series);
    return head.isAppendable && ascends && head.count + added.length / columns <= 2 * countMax;
  }

  /** False where the file was removed. */
  async #append(ticker: Ticker, head: FileHead, added: Float64Array): Promise<boolean> {
    // A failed append may leave half a record, so the head is unknown until it has succeeded.
    this.#heads.delete(ticker);
    if (!(await appendRecords(this.#path(ticker), this.#series.columns, added))) return false;
    this.#heads.set(ticker, this.#headOf(added, head.count));
    return true;
  }

  async #rewrite(ticker: Ticker, added: Float64Array): Promise<void> {
    const { columns, version } = this.#series;
    const { rows, file } = await this.#read(ticker);
    const merged = this.#newestOf(rows, added);
    await setAside(this.#path(ticker), file, this.#report);
    this.#heads.delete(ticker);
    await replaceRecords(this.#path(ticker), columns, merged, version);
    this.#heads.set(ticker, this.#headOf(merged, 0));
  }

  /** Of a file that ends with these rows, behind so many others. */
  #headOf(rows: Float64Array, countBefore: number): FileHead {
    const { columns, timeMs } = this.#series;
    return {
      count: countBefore + rows.length / columns,
      lastTimeMs: rows.length === 0 ? -Infinity : timeMs(rows, rows.length - columns),
      isAppendable: true,
    };
  }

  async #read(ticker: Ticker): Promise<{ readonly rows: Float64Array; readonly file: RecordFile }> {
    const { columns, version, isPossible } = this.#series;
    const file = await readRecords(this.#path(ticker), columns, version, isPossible);
    const { values, isAppendable } = file;
    // Two processes that append to one file leave a time twice; it is written anew with what comes next.
    const isInOrder = isAscending(values, this.#series);
    const rows = isInOrder ? values : mergeRows(values, NO_ROWS, this.#series);
    this.#heads.set(ticker, { ...this.#headOf(rows, 0), isAppendable: isAppendable && isInOrder });
    return { rows, file };
  }

  #path(ticker: Ticker): string {
    return join(this.#dataDir, this.#series.folder, `${encodeURIComponent(ticker)}.bin`);
  }
}

const NO_ROWS = new Float64Array(0);
