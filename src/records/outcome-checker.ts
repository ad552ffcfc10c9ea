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
import { checkOutcome } from "../risk/backtest/outcome-check.ts";

export interface MarketRecords {
  readonly candles: Pick<CandleStore, "loadBars">;
  readonly forecasts: Pick<ForecastStore, "load">;
}

/**
 * Checks every outcome of hours that are over whose candles are closed against the market and keeps what was found, page
 * by page until the signal; the others wait. Returns how many were checked.
 */
export async function checkOutcomes(
  database: RecordDatabase,
  records: MarketRecords,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const beforeMs = hourStartMsOf(nowMs);
  let total = 0;
  for (let sequence = 0; ;) {
    const page = await uncheckedAfter(database.queries, sequence, beforeMs, OUTCOMES_PER_COMMIT_MAX);
    const checks = new Map<number, OutcomeCheck>();
    for (const asset of new Set(page.map((outcome) => outcome.asset))) {
      const outcomes = page.filter((outcome) => outcome.asset === asset);
      for (const [outcome, check] of await checksOfAsset(asset, outcomes, records, nowMs))
        checks.set(outcome.sequence, check);
    }
    await keepChecks(database, checks);
    total += checks.size;
    const last = page.at(-1);
    if (signal.aborted || last === undefined || page.length < OUTCOMES_PER_COMMIT_MAX) return total;
    sequence = last.sequence;
  }
}

async function checksOfAsset(
  asset: string,
  outcomes: readonly RecordedOutcome[],
  { candles, forecasts }: MarketRecords,
  nowMs: number,
): Promise<readonly (readonly [RecordedOutcome, OutcomeCheck])[]> {
  const ticker = tickerOf(asset);
  const series = candleSeriesOf(asset, await candles.loadBars(ticker));
  const rows = splitForecasts(await forecasts.load(ticker)).map(decodeForecast);
  return outcomes.flatMap((outcome) => {
    const check = checkOutcome(outcome, series, rows, nowMs);
    return check === null ? [] : [[outcome, check] as const];
  });
}
