import { HOUR_MS, isHourStart } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import { type LearnedHour, LEARNED_HOURS_MAX } from "../domain/learned-hour.ts";
import {
  FUNDING_HOURLY_MAX,
  MARKET_LOG_RATIO_MAX,
  MARKET_RATIO_MAX,
  MARKET_USD_MAX,
} from "../domain/market-bounds.ts";
import type { ReportUnreadable } from "./record-file.ts";
import { RecordFolder, timeSeries } from "./record-folder.ts";

/** What was learned by watching, kept between runs: it cannot be fetched, and takes weeks to learn again. */
export interface LearnedStore {
  /** Everything kept, oldest first. */
  load(ticker: Ticker): Promise<readonly LearnedHour[]>;
  /**
   * Keeps hours; of two of one time the newer call wins. Rejects where they cannot be written: they are given out all the
   * same, and written with the next, be it none.
   */
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

/** Seen in every hour that is kept; the others are NaN where they were not. */
const ALWAYS_SEEN: ReadonlySet<keyof LearnedHour> = new Set(["hourStartMs", "samples", "openInterestMaxUsd"]);

/** Least and most of what a market can show. */
const BOUNDS: Readonly<Record<(typeof COLUMNS)[number], readonly [number, number]>> = {
  hourStartMs: [0, Infinity],
  samples: [1, HOUR_MS],
  // Of the mid, and no bid is below nothing.
  spreadFraction: [0, 2],
  depth100BpsUsd: [0, MARKET_USD_MAX],
  thinness50Bps: [-MARKET_LOG_RATIO_MAX, MARKET_LOG_RATIO_MAX],
  openInterestFall: [-MARKET_RATIO_MAX, 1],
  fundingSize: [0, FUNDING_HOURLY_MAX],
  openInterestMaxUsd: [0, MARKET_USD_MAX],
  learnedCapUsd: [0, MARKET_USD_MAX],
};

const LEARNED = timeSeries({
  folder: "learned",
  columns: COLUMNS.length,
  version: 1,
  countMax: LEARNED_HOURS_MAX,
  timeMs: (values, at) => values[at]!,
  isPossible: (values, at) =>
    isHourStart(values[at]!) &&
    COLUMNS.every((name, column) => {
      const value = values[at + column]!;
      const [min, max] = BOUNDS[name];
      return Number.isNaN(value) ? !ALWAYS_SEEN.has(name) : value >= min && value <= max;
    }),
});

/** One file per asset under the data directory, 76 bytes an hour. */
export function openLearnedStore(dataDir: string, report: ReportUnreadable = () => undefined): LearnedStore {
  const folder = new RecordFolder(dataDir, LEARNED, report);
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
