import type { Ticker } from "../domain/ids.ts";
import { type LearnedHour, LEARNED_HOURS_MAX } from "../domain/learned-hour.ts";
import type { ReportUnreadable } from "./record-file.ts";
import { type Series, SeriesFolder } from "./series-folder.ts";

/** What was learned by watching, kept between runs: it cannot be fetched, and takes weeks to learn again. */
export interface LearnedStore {
  /** Everything kept, oldest first. */
  load(ticker: Ticker): Promise<readonly LearnedHour[]>;
  /** Keeps hours; of two of one time the newer call wins. */
  keep(ticker: Ticker, hours: readonly LearnedHour[]): Promise<void>;
}

const COLUMNS = [
  "hourStartMs",
  "samples",
  "spreadFraction",
  "depth100BpsUsd",
  "thinness50Bps",
  "openInterestFall",
  "fundingSize",
  "openInterestMaxUsd",
  "learnedCapUsd",
] as const satisfies (keyof LearnedHour)[];

const LEARNED: Series<LearnedHour> = {
  folder: "learned",
  columns: COLUMNS.length,
  version: 1,
  countMax: LEARNED_HOURS_MAX,
  timeMs: ({ hourStartMs }) => hourStartMs,
  encode: (hour) => Float64Array.from(COLUMNS, (name) => hour[name]),
  decode: (row) =>
    Object.fromEntries(COLUMNS.map((name, i) => [name, row[i]!])) as Record<(typeof COLUMNS)[number], number>,
};

/** One file per asset under the data directory, 76 bytes an hour. */
export function openLearnedStore(dataDir: string, report: ReportUnreadable = () => undefined): LearnedStore {
  const folder = new SeriesFolder(dataDir, LEARNED, report);
  return {
    load: (ticker) => folder.load(ticker),
    keep: (ticker, hours) => folder.keep(ticker, hours),
  };
}
