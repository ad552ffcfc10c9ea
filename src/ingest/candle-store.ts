import type { FundingSettlement } from "../domain/asset.ts";
import { type Bar, hourStartMsOf } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import type { ReportUnreadable } from "./record-file.ts";
import { type Series, SeriesFolder } from "./series-folder.ts";

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
  version: 0,
  countMax: MAX_KEPT,
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
  version: 0,
  countMax: MAX_KEPT,
  timeMs: (settlement) => hourStartMsOf(settlement.timeMs),
  encode: (settlement) =>
    Float64Array.of(settlement.timeMs, settlement.rateHourly, settlement.premiumFraction ?? Number.NaN),
  decode: (row) => ({
    timeMs: row[0]!,
    rateHourly: row[1]!,
    premiumFraction: Number.isNaN(row[2]!) ? null : row[2]!,
  }),
};

/** One file per asset and series under the data directory. */
export function openCandleStore(dataDir: string, report: ReportUnreadable = () => undefined): CandleStore {
  const bars = new SeriesFolder(dataDir, BARS, report);
  const settlements = new SeriesFolder(dataDir, SETTLEMENTS, report);
  return {
    loadBars: (ticker) => bars.load(ticker),
    keepBars: (ticker, added) => bars.keep(ticker, added),
    loadSettlements: (ticker) => settlements.load(ticker),
    keepSettlements: (ticker, added) => settlements.keep(ticker, added),
  };
}
