import { join } from "node:path";
import type { Bar } from "../domain/bar.ts";
import { type CandleSeries, candleSeriesOf } from "../risk/backtest/hourly-candles.ts";
import { CommandFailure } from "./command-failure.ts";
import { filesIn, fileText } from "./data-file.ts";

const HEADER = "ts_ms,open,high,low,close,volume";
const FILE = /^(.+)\.csv(\.gz)?$/;

/**
 * Reads every candle file of a directory, or those of the named assets. Errors: CommandFailure that names the asset or
 * the directory for what is missing, unreadable or of another format.
 */
export function readCandles(directory: string, assets: ReadonlySet<string> | null): readonly CandleSeries[] {
  const series = filesIn(directory).flatMap((file) => {
    const asset = FILE.exec(file)?.[1];
    if (asset === undefined || (assets !== null && !assets.has(asset))) return [];
    return [parseCandles(asset, fileText(join(directory, file)))];
  });
  const missing = [...(assets ?? [])].filter((asset) => !series.some((one) => one.asset === asset));
  if (missing.length > 0) throw new CommandFailure(`${directory} has no candles of ${missing.join(", ")}`);
  if (series.length === 0)
    throw new CommandFailure(`${directory} has no candle files (ASSET.csv or ASSET.csv.gz)`);
  return series;
}

/** Lines of ts_ms,open,high,low,close,volume under that header, in any order. */
export function parseCandles(asset: string, text: string): CandleSeries {
  const [header, ...lines] = text.trimEnd().split("\n");
  if (header?.trim() !== HEADER) throw new CommandFailure(`${asset}: expected the header ${HEADER}`);
  const bars = lines.map((line, i): Bar => {
    const [openTimeMs, open, high, low, close, volumeBase] = line.split(",").map(Number);
    if (volumeBase === undefined || !Number.isFinite(openTimeMs))
      throw new CommandFailure(`${asset}: line ${i + 2} is not ${HEADER}`);
    return { openTimeMs: openTimeMs!, open: open!, high: high!, low: low!, close: close!, volumeBase };
  });
  const series = candleSeriesOf(asset, bars);
  if (series === null) throw new CommandFailure(`${asset}: no usable candle`);
  return series;
}
