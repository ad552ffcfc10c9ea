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

const LEARNED: Series = {
  folder: "learned",
  columns: COLUMNS.length,
  version: 1,
  countMax: LEARNED_HOURS_MAX,
  timeMs: (values, at) => values[at]!,
};

/** One file per asset under the data directory, 76 bytes an hour. */
export function openLearnedStore(dataDir: string, report: ReportUnreadable = () => undefined): LearnedStore {
  const folder = new SeriesFolder(dataDir, LEARNED, report);
  return {
    load: async (ticker) => hoursOf(await folder.load(ticker)),
    keep: (ticker, hours) => folder.keep(ticker, rowsOf(hours)),
  };
}

function rowsOf(hours: readonly LearnedHour[]): Float64Array {
  return Float64Array.from(hours.flatMap((hour) => COLUMNS.map((name) => hour[name])));
}

function hoursOf(rows: Float64Array): readonly LearnedHour[] {
  return Array.from(
    { length: rows.length / COLUMNS.length },
    (_, i) =>
      Object.fromEntries(COLUMNS.map((name, column) => [name, rows[i * COLUMNS.length + column]!])) as Record<
        (typeof COLUMNS)[number],
        number
      >,
  );
}
