import type { FundingSettlement, PredictedFunding } from "../../domain/asset.ts";
import { type Bar, isHourStart } from "../../domain/bar.ts";
import { type Ticker, tickerOf } from "../../domain/ids.ts";
import { FUNDING_HOURLY_MAX, isBeyondMarket } from "../../domain/market-bounds.ts";
import { ok } from "../../domain/result.ts";
import { mergeByTime } from "../../domain/time-series.ts";
import type { Parsed } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";
import { readRows, type ReadRows } from "./row-list.ts";

/** The exchange's own entry among the venues of a predicted funding. */
const OWN_VENUE = "HlPerp";
/** Centralized venues charge every 8 hours where the answer does not say; the exchange charges hourly. */
const CENTRALIZED_INTERVAL_HOURS = 8;

/** One hourly candle. Holds: prices of a market's order, low <= open, close <= high, opening on the hour. */
export function parseBar(value: unknown): Parsed<Bar> {
  const reader = new FieldReader();
  return reader.finish(readBar(reader, value, "candle"));
}

/** Hourly candles of one asset where that is given, oldest first; of two of one hour the later row. */
export function parseBars(value: unknown, ticker?: Ticker): Parsed<ReadRows<Bar>> {
  const read = readRows(value, "candles", (reader, row, path) => readBar(reader, row, path, ticker));
  return ascending(read, ({ openTimeMs }) => openTimeMs);
}

/**
 * Settled funding of one asset where that is given, oldest first; a premium that is missing or "NaN" (dead coins) is null.
 */
export function parseFundingHistory(value: unknown, ticker?: Ticker): Parsed<ReadRows<FundingSettlement>> {
  const read = readRows(value, "fundingHistory", (reader, row, path) => {
    const settlement = reader.record(row, path);
    refuseOther(reader, settlement["coin"], `${path}.coin`, ticker);
    const rateHourly = reader.decimal(settlement["fundingRate"], `${path}.fundingRate`);
    if (Math.abs(rateHourly) > FUNDING_HOURLY_MAX) reader.fail("mismatch", `${path}.fundingRate`, rateHourly);
    return {
      timeMs: reader.count(settlement["time"], `${path}.time`),
      rateHourly,
      premiumFraction: reader.decimalOrNull(settlement["premium"], `${path}.premium`),
    };
  });
  return ascending(read, ({ timeMs }) => timeMs);
}

/** Predicted rates of the centralized venues, each divided by its own interval; venues without a rate are left out. */
export function parsePredictedFundings(value: unknown): Parsed<ReadRows<PredictedFunding>> {
  return readRows(value, "predictedFundings", (reader, row, path) => {
    const [coin, venues] = reader.list(row, path);
    const cexRatesHourly: number[] = [];
    for (const entry of reader.list(venues, `${path}[1]`)) {
      const [name, prediction] = reader.list(entry, `${path}[1]`);
      const venue = reader.text(name, `${path}.venue`);
      if (prediction === null || venue === OWN_VENUE) continue;
      const fields = reader.record(prediction, `${path}.${venue}`);
      const interval = fields["fundingIntervalHours"];
      const intervalHours =
        interval === undefined || interval === null
          ? CENTRALIZED_INTERVAL_HOURS
          : reader.positiveCount(interval, `${path}.fundingIntervalHours`);
      const rate = reader.decimal(fields["fundingRate"], `${path}.fundingRate`);
      cexRatesHourly.push(rate / intervalHours);
    }
    return { ticker: tickerOf(reader.text(coin, `${path}[0]`)), cexRatesHourly };
  });
}

function ascending<T>(read: Parsed<ReadRows<T>>, timeMsOf: (row: T) => number): Parsed<ReadRows<T>> {
  if (!read.ok) return read;
  return ok({ ...read.value, rows: mergeByTime([], read.value.rows, timeMsOf) });
}

/** A row that names another asset is that one's, whatever was asked for. One that names none is not doubted. */
function refuseOther(reader: FieldReader, name: unknown, path: string, ticker: Ticker | undefined): void {
  if (ticker !== undefined && name !== undefined && name !== ticker) reader.fail("mismatch", path, name);
}

function readBar(reader: FieldReader, value: unknown, path: string, ticker?: Ticker): Bar {
  const candle = reader.record(value, path);
  refuseOther(reader, candle["s"], `${path}.s`, ticker);
  const bar = {
    openTimeMs: reader.count(candle["t"], `${path}.t`),
    open: reader.positive(candle["o"], `${path}.o`),
    high: reader.positive(candle["h"], `${path}.h`),
    low: reader.positive(candle["l"], `${path}.l`),
    close: reader.positive(candle["c"], `${path}.c`),
    volumeBase: reader.nonNegative(candle["v"], `${path}.v`),
  };
  if ((candle["i"] ?? "1h") !== "1h") reader.fail("mismatch", `${path}.i`, candle["i"]);
  if (!isHourStart(bar.openTimeMs)) reader.fail("mismatch", `${path}.t`, bar.openTimeMs);
  if (bar.low > Math.min(bar.open, bar.close) || bar.high < Math.max(bar.open, bar.close)) {
    reader.fail("mismatch", path, `low ${String(bar.low)}, high ${String(bar.high)}`);
  }
  const largestUsd = Math.max(bar.high, bar.low * bar.volumeBase);
  if (isBeyondMarket(bar.low, largestUsd)) {
    reader.fail("mismatch", path, `low ${String(bar.low)}, high or traded ${String(largestUsd)}`);
  }
  return bar;
}
