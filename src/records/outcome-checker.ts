import { barsFrom } from "../domain/bar-columns.ts";
import { hourStartMsOf } from "../domain/bar.ts";
import { decodeForecast, splitForecasts } from "../domain/forecast-row.ts";
import { tickerOf } from "../domain/ids.ts";
import type { OutcomeCheck, RecordedOutcome } from "../domain/trade-outcome.ts";
import type { CandleStore } from "../ingest/candle-store.ts";
import type { ForecastStore } from "../ingest/forecast-store.ts";
import { keepChecks } from "../outcomes/outcome-checks.ts";
import { OUTCOMES_PER_COMMIT_MAX, uncheckedAfter } from "../outcomes/outcome-table.ts";
import type { RecordDatabase } from "../outcomes/record-database.ts";
import { candleSeriesOf } from "../risk/backtest/hourly-candles.ts";
import { checkOutcome, entryMsOf } from "../risk/backtest/outcome-check.ts";

export interface MarketRecords {
  /** What was entered before is not in them, and is not checked. */
  readonly sinceMs: number;
  readonly candles: Pick<CandleStore, "loadBars">;
  readonly forecasts: Pick<ForecastStore, "load">;
}

/** Outcomes read at a time. An asset's files, of half a year, are loaded once for all that a page holds of it. */
const OUTCOMES_PER_PAGE = 8_192;

/**
 * Checks every outcome of hours that are over whose candles are closed against the market and keeps what was found, asset
 * by asset of a page until the signal; the others wait. Returns how many were checked.
 */
export async function checkOutcomes(
  database: RecordDatabase,
  records: MarketRecords,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  // What was recorded before the market began was entered before it, too, and need not be read.
  const recorded = { fromMs: Math.max(0, records.sinceMs), beforeMs: hourStartMsOf(nowMs) };
  let total = 0;
  for (let sequence = 0; ;) {
    const page = await uncheckedAfter(database.queries, sequence, recorded, OUTCOMES_PER_PAGE);
    const checkable = page.filter((outcome) => entryMsOf(outcome) >= records.sinceMs);
    for (const asset of new Set(checkable.map((outcome) => outcome.asset))) {
      if (signal.aborted) return total;
      const outcomes = checkable.filter((outcome) => outcome.asset === asset);
      const checkOf = await marketCheck(asset, records, nowMs);
      for (let from = 0; from < outcomes.length; from += OUTCOMES_PER_COMMIT_MAX) {
        const checks = checksBy(checkOf, outcomes.slice(from, from + OUTCOMES_PER_COMMIT_MAX));
        await keepChecks(database, checks);
        total += checks.size;
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < OUTCOMES_PER_PAGE) return total;
    sequence = last.sequence;
  }
}

type Check = (outcome: RecordedOutcome) => OutcomeCheck | null;

/** Checks an asset's outcomes against what its files hold now. */
async function marketCheck(
  asset: string,
  { candles, forecasts }: MarketRecords,
  nowMs: number,
): Promise<Check> {
  const ticker = tickerOf(asset);
  const series = candleSeriesOf(asset, barsFrom(await candles.loadBars(ticker)));
  const rows = splitForecasts(await forecasts.load(ticker)).map(decodeForecast);
  return (outcome) => checkOutcome(outcome, series, rows, nowMs);
}

/** By sequence number, without those that no check can be made of yet. */
function checksBy(checkOf: Check, outcomes: readonly RecordedOutcome[]): ReadonlyMap<number, OutcomeCheck> {
  const checks = new Map<number, OutcomeCheck>();
  for (const outcome of outcomes) {
    const check = checkOf(outcome);
    if (check !== null) checks.set(outcome.sequence, check);
  }
  return checks;
}
