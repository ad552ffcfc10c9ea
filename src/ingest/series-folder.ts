import { join } from "node:path";
import type { Ticker } from "../domain/ids.ts";
import { mergeByTime } from "../domain/time-series.ts";
import { FileTurns } from "./file-turns.ts";
import {
  appendRecords,
  readRecords,
  replaceRecords,
  type ReportUnreadable,
  setAside,
} from "./record-file.ts";

/** How values of one kind are kept: one value per time, as a row of doubles. */
export interface Series<T> {
  readonly folder: string;
  readonly columns: number;
  /** Of the columns' meaning: a file of another version is as good as none. */
  readonly version: number;
  /** The newest so many values are kept. */
  readonly countMax: number;
  /** The key: two values of one time are one fact. */
  readonly timeMs: (value: T) => number;
  readonly encode: (value: T) => Float64Array;
  readonly decode: (row: Float64Array) => T;
}

/** What must be known of a file to append to it without reading it again. */
interface FileHead {
  readonly count: number;
  readonly lastTimeMs: number;
  readonly isAppendable: boolean;
  readonly unreadableBytes: number;
}

/**
 * One file per asset under a folder of the data directory, oldest value first. What could not be written is written with
 * what comes next: a hole in a file is not asked for before the next start.
 */
export class SeriesFolder<T> {
  readonly #dataDir: string;
  readonly #series: Series<T>;
  readonly #report: ReportUnreadable;
  readonly #heads = new Map<Ticker, FileHead>();
  readonly #unwritten = new Map<Ticker, readonly T[]>();
  readonly #turns = new FileTurns();

  constructor(dataDir: string, series: Series<T>, report: ReportUnreadable) {
    this.#dataDir = dataDir;
    this.#series = series;
    this.#report = report;
  }

  /** What the file holds, and what could not be written yet. */
  load(ticker: Ticker): Promise<readonly T[]> {
    return this.#turns.run(ticker, async () => {
      const { timeMs, countMax } = this.#series;
      const kept = await this.#read(ticker);
      const unwritten = this.#unwritten.get(ticker);
      return (unwritten === undefined ? kept : mergeByTime(kept, unwritten, timeMs)).slice(-countMax);
    });
  }

  keep(ticker: Ticker, added: readonly T[]): Promise<void> {
    return this.#turns.run(ticker, async () => {
      if (added.length === 0) return;
      const { timeMs, countMax } = this.#series;
      const before = this.#unwritten.get(ticker);
      const due = before === undefined ? added : mergeByTime(before, added, timeMs).slice(-countMax);
      this.#unwritten.set(ticker, due);
      const head = this.#heads.get(ticker);
      const isAppended =
        head !== undefined && this.#isTail(head, due) && (await this.#append(ticker, head, due));
      if (!isAppended) await this.#rewrite(ticker, due);
      this.#unwritten.delete(ticker);
    });
  }

  #isTail(head: FileHead, added: readonly T[]): boolean {
    const { timeMs } = this.#series;
    const ascends = added.every((v, i) => timeMs(v) > (i === 0 ? head.lastTimeMs : timeMs(added[i - 1]!)));
    return head.isAppendable && ascends && head.count + added.length <= 2 * this.#series.countMax;
  }

  /** False where the file was removed. */
  async #append(ticker: Ticker, head: FileHead, added: readonly T[]): Promise<boolean> {
    const { encode, timeMs } = this.#series;
    // A failed append may leave half a record, so the head is unknown until it has succeeded.
    this.#heads.delete(ticker);
    if (!(await appendRecords(this.#path(ticker), added.map(encode)))) return false;
    this.#heads.set(ticker, {
      count: head.count + added.length,
      lastTimeMs: timeMs(added.at(-1)!),
      isAppendable: true,
      unreadableBytes: 0,
    });
    return true;
  }

  async #rewrite(ticker: Ticker, added: readonly T[]): Promise<void> {
    const { columns, version, countMax, encode, timeMs } = this.#series;
    const merged = mergeByTime(await this.#read(ticker), added, timeMs).slice(-countMax);
    await setAside(this.#path(ticker), this.#heads.get(ticker)!.unreadableBytes, this.#report);
    this.#heads.delete(ticker);
    await replaceRecords(this.#path(ticker), columns, merged.map(encode), version);
    this.#heads.set(ticker, {
      count: merged.length,
      lastTimeMs: timeMs(merged.at(-1)!),
      isAppendable: true,
      unreadableBytes: 0,
    });
  }

  async #read(ticker: Ticker): Promise<readonly T[]> {
    const { columns, version, decode, timeMs } = this.#series;
    const { records, ...rest } = await readRecords(this.#path(ticker), columns, version);
    const rows = records.map(decode);
    // Two processes that append to one file leave a time twice; it is written anew with what comes next.
    const isAscending = rows.every((row, i) => i === 0 || timeMs(row) > timeMs(rows[i - 1]!));
    const values = isAscending ? rows : mergeByTime(rows, [], timeMs);
    const lastTimeMs = values.length === 0 ? -Infinity : timeMs(values.at(-1)!);
    const isAppendable = rest.isAppendable && isAscending;
    this.#heads.set(ticker, { ...rest, count: rows.length, lastTimeMs, isAppendable });
    return values;
  }

  #path(ticker: Ticker): string {
    return join(this.#dataDir, this.#series.folder, `${encodeURIComponent(ticker)}.bin`);
  }
}
