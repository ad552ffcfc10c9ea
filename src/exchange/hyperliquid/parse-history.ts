import type { FundingSettlement, PredictedFunding, VenueFunding } from "../../domain/asset.ts";
import type { Bar } from "../../domain/bar.ts";
import { HOUR_MS } from "../../domain/bar.ts";
import { tickerOf } from "../../domain/ids.ts";
import type { Parsed } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";

/** The exchange's own entry among the venues of a predicted funding. */
const OWN_VENUE = "HlPerp";
/** Centralized venues charge every 8 hours where the answer does not say; the exchange charges hourly. */
const CENTRALIZED_INTERVAL_HOURS = 8;

/** One hourly candle. Holds: prices positive, low <= open, close <= high, opening on the hour. */
export function parseBar(value: unknown): Parsed<Bar> {
  const reader = new FieldReader();
  return reader.finish(readBar(reader, value, "candle"));
}

/** Hourly candles, oldest first, strictly ascending. */
export function parseBars(value: unknown): Parsed<readonly Bar[]> {
  const reader = new FieldReader();
  const bars = reader.list(value, "candles").map((row, i) => readBar(reader, row, `[${String(i)}]`));
  failUnlessAscending(
    reader,
    bars.map((bar) => bar.openTimeMs),
  );
  return reader.finish(bars);
}

/** Settled funding, oldest first; a premium that is missing or "NaN" (dead coins) is null. */
export function parseFundingHistory(value: unknown): Parsed<readonly FundingSettlement[]> {
  const reader = new FieldReader();
  const settlements = reader.list(value, "fundingHistory").map((row, i) => {
    const path = `[${String(i)}]`;
    const settlement = reader.record(row, path);
    return {
      timeMs: reader.count(settlement["time"], `${path}.time`),
      rateHourly: reader.decimal(settlement["fundingRate"], `${path}.fundingRate`),
      premiumFraction: reader.decimalOrNull(settlement["premium"], `${path}.premium`),
    };
  });
  failUnlessAscending(
    reader,
    settlements.map((settlement) => settlement.timeMs),
  );
  return reader.finish(settlements);
}

/** Predicted rates of the centralized venues, each divided by its own interval; venues without a rate are left out. */
export function parsePredictedFundings(value: unknown): Parsed<readonly PredictedFunding[]> {
  const reader = new FieldReader();
  const predicted = reader.list(value, "predictedFundings").map((row, i) => {
    const path = `[${String(i)}]`;
    const [coin, venues] = reader.list(row, path);
    const fundings: VenueFunding[] = [];
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
      fundings.push({ venue, rateHourly: rate / intervalHours, intervalHours });
    }
    return { ticker: tickerOf(reader.text(coin, `${path}[0]`)), venues: fundings };
  });
  return reader.finish(predicted);
}

function readBar(reader: FieldReader, value: unknown, path: string): Bar {
  const candle = reader.record(value, path);
  const bar = {
    openTimeMs: reader.count(candle["t"], `${path}.t`),
    open: reader.positive(candle["o"], `${path}.o`),
    high: reader.positive(candle["h"], `${path}.h`),
    low: reader.positive(candle["l"], `${path}.l`),
    close: reader.positive(candle["c"], `${path}.c`),
    volumeBase: reader.nonNegative(candle["v"], `${path}.v`),
  };
  if (bar.openTimeMs % HOUR_MS !== 0) reader.fail("mismatch", `${path}.t`, bar.openTimeMs);
  if (bar.low > Math.min(bar.open, bar.close) || bar.high < Math.max(bar.open, bar.close)) {
    reader.fail("mismatch", path, `low ${String(bar.low)}, high ${String(bar.high)}`);
  }
  return bar;
}

function failUnlessAscending(reader: FieldReader, timesMs: readonly number[]): void {
  const at = timesMs.findIndex((timeMs, i) => i > 0 && timeMs <= (timesMs[i - 1] ?? 0));
  if (at !== -1) reader.fail("out_of_order", `[${String(at)}].time`, timesMs[at]);
}
