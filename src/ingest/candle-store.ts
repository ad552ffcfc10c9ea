import { join } from "node:path";
import type { FundingSettlement } from "../domain/asset.ts";
import { type Bar, HOUR_MS } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import { mergeByTime } from "../domain/time-series.ts";
import { appendRecords, readRecords, replaceRecords } from "./record-file.ts";

/** Closed bars and settlements kept between runs, so that a restart is warm in seconds and fetches only the gap. */
export interface CandleStore {
  /** Everything kept, oldest first. */
  loadBars(ticker: Ticker): Promise<readonly Bar[]>;
  /** Keeps closed bars; of two with one open time the newer call wins. */
  keepBars(ticker: Ticker, bars: readonly Bar[]): Promise<void>;
  loadSettlements(ticker: Ticker): Promise<readonly FundingSettlement[]>;
  keepSettlements(ticker: Ticker, settlements: readonly FundingSettlement[]): Promise<void>;
}

/** The exchange serves 5000 candles; more than that is never needed here. */
const MAX_KEPT = 5000;

const BARS: Series<Bar> = {
  folder: "candles",
  columns: 6,
  timeMs: (bar) => bar.openTimeMs,
  encode: (bar) => Float64Array.of(bar.openTimeMs, bar.open, bar.high, bar.low, bar.close, bar.volumeBase),
  decode: (row) => ({
    openTimeMs: row[0]!,
    open: row[1]!,
    high: row[2]!,
    low: row[3]!,
    close: row[4]!,
    volumeBase: row[5]!,
  }),
};

// One settlement an hour: the estimate written at the hour and the figure fetched later carry times a few
// milliseconds apart, and are the same settlement.
const SETTLEMENTS: Series<FundingSettlement> = {
  folder: "fundings",
  columns: 3,
  timeMs: (settlement) => Math.floor(settlement.timeMs / HOUR_MS) * HOUR_MS,
  encode: (settlement) =>
    Float64Array.of(settlement.timeMs, settlement.rateHourly, settlement.premiumFraction ?? Number.NaN),
  decode: (row) => ({
    timeMs: row[0]!,
    rateHourly: row[1]!,
    premiumFraction: Number.isNaN(row[2]!) ? null : row[2]!,
  }),
};

/** One file per asset and series under the data directory. */
export function openCandleStore(dataDir: string): CandleStore {
  const bars = new SeriesFolder(dataDir, BARS);
  const settlements = new SeriesFolder(dataDir, SETTLEMENTS);
  return {
    loadBars: (ticker) => bars.load(ticker),
    keepBars: (ticker, added) => bars.keep(ticker, added),
    loadSettlements: (ticker) => settlements.load(ticker),
    keepSettlements: (ticker, added) => settlements.keep(ticker, added),
  };
}

interface Series<T> {
  readonly folder: string;
  readonly columns: number;
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
}

class SeriesFolder<T> {
  readonly #dataDir: string;
  readonly #series: Series<T>;
  readonly #heads = new Map<Ticker, FileHead>();
  /** Reads and writes of one asset follow one another; different assets do not wait. */
  readonly #turns = new Map<Ticker, Promise<unknown>>();

  constructor(dataDir: string, series: Series<T>) {
    this.#dataDir = dataDir;
    this.#series = series;
  }

  load(ticker: Ticker): Promise<readonly T[]> {
    return this.#inTurn(ticker, async () => (await this.#read(ticker)).slice(-MAX_KEPT));
  }

  keep(ticker: Ticker, added: readonly T[]): Promise<void> {
    return this.#inTurn(ticker, async () => {
      if (added.length === 0) return;
      const head = this.#heads.get(ticker);
      if (head !== undefined && this.#isTail(head, added)) await this.#append(ticker, head, added);
      else await this.#rewrite(ticker, added);
    });
  }

  #isTail(head: FileHead, added: readonly T[]): boolean {
    const { timeMs } = this.#series;
    const ascends = added.every((v, i) => timeMs(v) > (i === 0 ? head.lastTimeMs : timeMs(added[i - 1]!)));
    return head.isAppendable && ascends && head.count + added.length <= 2 * MAX_KEPT;
  }

  async #append(ticker: Ticker, head: FileHead, added: readonly T[]): Promise<void> {
    const { encode, timeMs } = this.#series;
    // A failed append may leave half a record, so the head is unknown until it has succeeded.
    this.#heads.delete(ticker);
    await appendRecords(this.#path(ticker), added.map(encode));
    this.#heads.set(ticker, {
      count: head.count + added.length,
      lastTimeMs: timeMs(added.at(-1)!),
      isAppendable: true,
    });
  }

  async #rewrite(ticker: Ticker, added: readonly T[]): Promise<void> {
    const { columns, encode, timeMs } = this.#series;
    const merged = mergeByTime(await this.#read(ticker), added, timeMs).slice(-MAX_KEPT);
    this.#heads.delete(ticker);
    await replaceRecords(this.#path(ticker), columns, merged.map(encode));
    this.#heads.set(ticker, {
      count: merged.length,
      lastTimeMs: timeMs(merged.at(-1)!),
      isAppendable: true,
    });
  }

  async #read(ticker: Ticker): Promise<readonly T[]> {
    const { columns, decode, timeMs } = this.#series;
    const { records, isAppendable } = await readRecords(this.#path(ticker), columns);
    const values = records.map(decode);
    const lastTimeMs = values.length === 0 ? -Infinity : timeMs(values.at(-1)!);
    this.#heads.set(ticker, { count: values.length, lastTimeMs, isAppendable });
    return values;
  }

  #path(ticker: Ticker): string {
    return join(this.#dataDir, this.#series.folder, `${encodeURIComponent(ticker)}.bin`);
  }

  #inTurn<R>(ticker: Ticker, task: () => Promise<R>): Promise<R> {
    const previous = this.#turns.get(ticker) ?? Promise.resolve();
    const turn = previous.then(task, task);
    this.#turns.set(
      ticker,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
