import { join } from "node:path";
import { type Bar, HOUR_MS } from "../domain/bar.ts";
import { type CandleSeries, candleSeriesOf } from "../risk/backtest/hourly-candles.ts";
import { CommandFailure } from "./command-failure.ts";
import { csvTable } from "./csv-table.ts";
import { filesIn } from "./data-file.ts";

const HEADER = "ts_ms,open,high,low,close,volume";
const FILE = /^(.+)\.csv(\.gz)?$/;

/**
 * Reads every candle file of a directory, or those of the named assets. Errors: CommandFailure that names the asset or
 * the directory for what is missing, there twice, unreadable or of another format.
 */
export function readCandles(directory: string, assets: ReadonlySet<string> | null): readonly CandleSeries[] {
  const read = new Map<string, string>();
  const series = filesIn(directory).flatMap((file) => {
    const asset = FILE.exec(file)?.[1];
    if (asset === undefined || (assets !== null && !assets.has(asset))) return [];
    // Plain and compressed, an asset would be judged as two that are breached together.
    const other = read.get(asset);
    if (other !== undefined)
      throw new CommandFailure(`${directory} has candles of ${asset} twice: ${other} and ${file}`);
    read.set(asset, file);
    return [candlesOfFile(asset, join(directory, file))];
  });
  const missing = [...(assets ?? [])].filter((asset) => !series.some((one) => one.asset === asset));
  if (missing.length > 0) throw new CommandFailure(`${directory} has no candles of ${missing.join(", ")}`);
  if (series.length === 0)
    throw new CommandFailure(`${directory} has no candle files (ASSET.csv or ASSET.csv.gz)`);
  return series;
}

/** The assets whose candles a directory has. Errors: CommandFailure when it cannot be read. */
export function assetsIn(directory: string): readonly string[] {
  return filesIn(directory).flatMap((file) => FILE.exec(file)?.[1] ?? []);
}

/**
 * The candles of a file under that header, in any order. Errors: CommandFailure with path and line for a cell that is no
 * number, or no time, and for a second candle of an hour, with the path when the exchange traded in none.
 */
export function candlesOfFile(asset: string, path: string): CandleSeries {
  const hours = new Set<number>();
  const bars = csvTable(path, HEADER).map((row): Bar => {
    const openTimeMs = row.timeMs("ts_ms");
    const hour = Math.floor(openTimeMs / HOUR_MS);
    if (hours.has(hour)) throw row.failure(`a second candle of ${dateText(openTimeMs)}`);
    hours.add(hour);
    return {
      openTimeMs,
      open: row.number("open"),
      high: row.number("high"),
      low: row.number("low"),
      close: row.number("close"),
      volumeBase: row.number("volume"),
    };
  });
  const series = candleSeriesOf(asset, bars);
  if (series === null) throw new CommandFailure(`${path}: no usable candle`);
  return series;
}

function dateText(timeMs: number): string {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? String(timeMs) : date.toISOString();
}
