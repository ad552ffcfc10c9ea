import { join } from "node:path";
import {
  FORECAST_COLUMNS,
  forecastKey,
  hasOutcome,
  isPossibleForecast,
  joinForecasts,
  splitForecasts,
} from "../domain/forecast-row.ts";
import type { Ticker } from "../domain/ids.ts";
import { FileTurns } from "./file-turns.ts";
import {
  appendRecords,
  readRecords,
  type RecordFile,
  replaceRecords,
  type ReportUnreadable,
  setAside,
} from "./record-file.ts";

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

/** Forecasts of half a year, as long as the candles reach: 31 a day. */
const ROWS_KEPT = 5_700;
/** Appended rows, superseded ones included, after which the file is written anew. */
const ROWS_APPENDED_MAX = 2 * ROWS_KEPT;

/** One file per asset under the data directory. */
export function openForecastStore(
  dataDir: string,
  report: ReportUnreadable = () => undefined,
): ForecastStore {
  const turns = new FileTurns();
  /** Rows in each file that may be appended to; unknown before its first reading and after a failed writing. */
  const appendable = new Map<Ticker, number>();
  /** Rows that could not be written. */
  const unwritten = new Map<Ticker, readonly Float64Array[]>();
  const pathOf = (ticker: Ticker): string => join(dataDir, "forecasts", `${encodeURIComponent(ticker)}.bin`);

  const read = async (
    ticker: Ticker,
  ): Promise<{ readonly rows: readonly Float64Array[]; readonly file: RecordFile }> => {
    const file = await readRecords(pathOf(ticker), FORECAST_COLUMNS, 0, isPossibleForecast);
    const records = splitForecasts(file.values);
    if (file.isAppendable) appendable.set(ticker, records.length);
    return { rows: currentRows([...records, ...(unwritten.get(ticker) ?? [])]), file };
  };
  const write = async (ticker: Ticker, rows: readonly Float64Array[]): Promise<void> => {
    const count = appendable.get(ticker);
    // A failed append may leave half a record, so the file counts as unknown until it has succeeded.
    appendable.delete(ticker);
    const isTail = count !== undefined && count + rows.length <= ROWS_APPENDED_MAX;
    if (isTail && (await appendRecords(pathOf(ticker), FORECAST_COLUMNS, joinForecasts(rows)))) {
      appendable.set(ticker, count + rows.length);
      return;
    }
    const before = await read(ticker);
    const kept = currentRows([...before.rows, ...rows]);
    appendable.delete(ticker);
    await setAside(pathOf(ticker), before.file, report);
    await replaceRecords(pathOf(ticker), FORECAST_COLUMNS, joinForecasts(kept));
    appendable.set(ticker, kept.length);
  };
  return {
    load: (ticker) => turns.run(ticker, async () => joinForecasts((await read(ticker)).rows)),
    append: (ticker, rows) =>
      turns.run(ticker, async () => {
        if (rows.length === 0) return;
        const due = [...(unwritten.get(ticker) ?? []), ...rows].slice(-ROWS_KEPT);
        unwritten.set(ticker, due);
        await write(ticker, due);
        unwritten.delete(ticker);
      }),
  };
}

/** The newest rows, one per forecast, ascending in time and horizon. */
function currentRows(rows: readonly Float64Array[]): readonly Float64Array[] {
  const byKey = new Map<string, Float64Array>();
  for (const row of rows) {
    const key = forecastKey(row);
    const known = byKey.get(key);
    // A forecast stands as it was first made; only its outcome may be added.
    if (known === undefined || (!hasOutcome(known) && hasOutcome(row))) byKey.set(key, row);
  }
  return [...byKey.values()].sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!).slice(-ROWS_KEPT);
}
