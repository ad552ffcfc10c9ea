import {
  FORECAST_COLUMNS,
  forecastKey,
  hasOutcome,
  isPossibleForecast,
  joinForecasts,
  splitForecasts,
} from "../domain/forecast-row.ts";
import type { Ticker } from "../domain/ids.ts";
import type { ReportUnreadable } from "./record-file.ts";
import { RecordFolder, type RecordKind } from "./record-folder.ts";

/** Forecasts and their outcomes, kept between runs; rows in their plain form. */
export interface ForecastStore {
  /**
   * Everything kept, ascending in time, one row per time and horizon, the one with an outcome where there are two.
   * Shapes: rows of FORECAST_COLUMNS one after another.
   */
  load(ticker: Ticker): Promise<Float64Array>;
  /**
   * Adds rows at the end; a forecast comes again, with its outcome, when its period is over. Rejects where they cannot be
   * written: they are then written with the next.
   */
  append(ticker: Ticker, rows: readonly Float64Array[]): Promise<void>;
}

const FORECASTS: RecordKind = {
  folder: "forecasts",
  columns: FORECAST_COLUMNS,
  version: 0,
  // Of half a year, as long as the candles reach: 31 a day.
  countMax: 5_700,
  isPossible: isPossibleForecast,
  factsOf: (rows) => joinForecasts(currentRows(splitForecasts(rows))),
  // Outcomes come behind later forecasts.
  isOrderly: () => true,
};

/** One file per asset under the data directory. */
export function openForecastStore(
  dataDir: string,
  report: ReportUnreadable = () => undefined,
): ForecastStore {
  const folder = new RecordFolder(dataDir, FORECASTS, report);
  return {
    load: (ticker) => folder.load(ticker),
    append: (ticker, rows) => folder.keep(ticker, joinForecasts(rows)),
  };
}

/** One row per forecast, ascending in time and horizon. */
function currentRows(rows: readonly Float64Array[]): readonly Float64Array[] {
  const byKey = new Map<string, Float64Array>();
  for (const row of rows) {
    const key = forecastKey(row);
    const known = byKey.get(key);
    // A forecast stands as it was first made; only its outcome may be added.
    if (known === undefined || (!hasOutcome(known) && hasOutcome(row))) byKey.set(key, row);
  }
  return [...byKey.values()].sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
}
