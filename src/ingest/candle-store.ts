import type { FundingSettlement } from "../domain/asset.ts";
import { BAR_ROW, type BarColumns, barColumnsOf } from "../domain/bar-columns.ts";
import { type Bar, hourStartMsOf, isHourStart } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import { FUNDING_HOURLY_MAX, isBeyondMarket } from "../domain/market-bounds.ts";
import type { ReportUnreadable } from "./record-file.ts";
import { RecordFolder, timeSeries } from "./record-folder.ts";

/** Closed bars and settlements kept between runs, so that a restart is warm in seconds and fetches only the gap. */
export interface CandleStore {
  /** Everything kept, oldest first. */
  loadBars(ticker: Ticker): Promise<BarColumns>;
  /** Keeps closed bars; of two with one open time the newer call wins. */
  keepBars(ticker: Ticker, bars: readonly Bar[]): Promise<void>;
  loadSettlements(ticker: Ticker): Promise<readonly FundingSettlement[]>;
  keepSettlements(ticker: Ticker, settlements: readonly FundingSettlement[]): Promise<void>;
}

/** The exchange serves 5000 candles; more than that is never needed here. */
const MAX_KEPT = 5000;

const BARS = timeSeries({
  ...BAR_ROW,
  folder: "candles",
  version: 0,
  countMax: MAX_KEPT,
  isPossible: isPossibleBar,
});

// One settlement an hour: the estimate written at the hour and the figure fetched later carry times a few
// milliseconds apart, and are the same settlement.
const SETTLEMENTS = timeSeries({
  folder: "fundings",
  columns: 3,
  version: 0,
  countMax: MAX_KEPT,
  timeMs: (values, at) => hourStartMsOf(values[at]!),
  isPossible: isPossibleSettlement,
});

/** One file per asset and series under the data directory. */
export function openCandleStore(dataDir: string, report: ReportUnreadable = () => undefined): CandleStore {
  const bars = new RecordFolder(dataDir, BARS, report);
  const settlements = new RecordFolder(dataDir, SETTLEMENTS, report);
  return {
    loadBars: async (ticker) => {
      const values = await bars.load(ticker);
      return { values, length: values.length / BARS.columns };
    },
    keepBars: (ticker, added) => bars.keep(ticker, barColumnsOf(added).values),
    loadSettlements: async (ticker) => settlementsOf(await settlements.load(ticker)),
    keepSettlements: (ticker, added) => settlements.keep(ticker, rowsOf(added)),
  };
}

function rowsOf(settlements: readonly FundingSettlement[]): Float64Array {
  return Float64Array.from(
    settlements.flatMap(({ timeMs, rateHourly, premiumFraction }) => [
      timeMs,
      rateHourly,
      premiumFraction ?? Number.NaN,
    ]),
  );
}

function settlementsOf(rows: Float64Array): readonly FundingSettlement[] {
  return Array.from({ length: rows.length / SETTLEMENTS.columns }, (_, i) => {
    const at = i * SETTLEMENTS.columns;
    const premiumFraction = rows[at + 2]!;
    return {
      timeMs: rows[at]!,
      rateHourly: rows[at + 1]!,
      premiumFraction: Number.isNaN(premiumFraction) ? null : premiumFraction,
    };
  });
}

/** What the exchange's candles are held to as well; a high or low that does not enclose the others is the model's to widen. */
function isPossibleBar(values: Float64Array, at: number): boolean {
  const open = values[at + 1]!;
  const high = values[at + 2]!;
  const low = values[at + 3]!;
  const close = values[at + 4]!;
  const lowest = Math.min(open, high, low, close);
  const volumeBase = values[at + 5]!;
  const largestUsd = Math.max(open, high, low, close, lowest * volumeBase);
  return isHourStart(values[at]!) && lowest > 0 && volumeBase >= 0 && !isBeyondMarket(lowest, largestUsd);
}

/** Estimates carry the moment of the hour's end, in fractions of a millisecond. */
function isPossibleSettlement(values: Float64Array, at: number): boolean {
  const timeMs = values[at]!;
  return isHourStart(hourStartMsOf(timeMs)) && Math.abs(values[at + 1]!) <= FUNDING_HOURLY_MAX;
}
