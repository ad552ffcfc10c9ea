import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Bar, HOUR_MS } from "../domain/bar.ts";
import { isUsableBar } from "../risk/volatility/conditioned-bars.ts";

/** Hourly candles on the clock: what is read by hour number, the hour's start over 3 600 000 ms. */
export interface CandleSeries {
  readonly asset: string;
  readonly firstHour: number;
  /** One past the last. */
  readonly endHour: number;
  /** Undefined where the exchange has no usable bar. */
  readonly barAt: (hour: number) => Bar | undefined;
  /** NaN where there is none. */
  readonly closeAt: (hour: number) => number;
}

const HEADER = "ts_ms,open,high,low,close,volume";
const FILE = /^(.+)\.csv(\.gz)?$/;

/** Reads every candle file of a directory, or those of the named assets. Throws on a file of another format. */
export function readCandles(directory: string, assets: ReadonlySet<string> | null): readonly CandleSeries[] {
  if (!existsSync(directory)) throw new Error(`${directory} does not exist`);
  const series = readdirSync(directory)
    .toSorted()
    .flatMap((file) => {
      const asset = FILE.exec(file)?.[1];
      if (asset === undefined || (assets !== null && !assets.has(asset))) return [];
      const bytes = readFileSync(join(directory, file));
      return [parseCandles(asset, (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"))];
    });
  const missing = [...(assets ?? [])].filter((asset) => !series.some((one) => one.asset === asset));
  if (missing.length > 0) throw new Error(`${directory} has no candles of ${missing.join(", ")}`);
  if (series.length === 0) throw new Error(`${directory} has no candle files (ASSET.csv or ASSET.csv.gz)`);
  return series;
}

/** Lines of ts_ms,open,high,low,close,volume under that header, in any order. */
export function parseCandles(asset: string, text: string): CandleSeries {
  const [header, ...lines] = text.trimEnd().split("\n");
  if (header?.trim() !== HEADER) throw new Error(`${asset}: expected the header ${HEADER}`);
  const bars = new Map<number, Bar>();
  let firstHour = Infinity;
  let endHour = -Infinity;
  lines.forEach((line, i) => {
    const [openTimeMs, open, high, low, close, volumeBase] = line.split(",").map(Number);
    if (volumeBase === undefined || !Number.isFinite(openTimeMs)) throw new Error(`${asset}: line ${i + 2}`);
    const bar = { openTimeMs: openTimeMs!, open: open!, high: high!, low: low!, close: close!, volumeBase };
    if (!isUsableBar(bar)) return;
    const hour = Math.floor(bar.openTimeMs / HOUR_MS);
    bars.set(hour, bar);
    firstHour = Math.min(firstHour, hour);
    endHour = Math.max(endHour, hour + 1);
  });
  if (bars.size === 0) throw new Error(`${asset}: no usable candle`);
  return {
    asset,
    firstHour,
    endHour,
    barAt: (hour) => bars.get(hour),
    closeAt: (hour) => bars.get(hour)?.close ?? Number.NaN,
  };
}

/** What happened after the close of an hour; null when the closing bar on either side is missing. */
export interface Outcome {
  readonly logReturn: number;
  /** Lowest and highest log price on the way, against the close. */
  readonly logLow: number;
  readonly logHigh: number;
}

export function outcomeAfter(series: CandleSeries, hour: number, horizonHours: number): Outcome | null {
  const entry = series.closeAt(hour);
  const logReturn = Math.log(series.closeAt(hour + horizonHours) / entry);
  if (Number.isNaN(logReturn)) return null;
  let low = entry;
  let high = entry;
  for (let k = 1; k <= horizonHours; k++) {
    const bar = series.barAt(hour + k);
    if (bar === undefined) continue;
    low = Math.min(low, bar.low, bar.close);
    high = Math.max(high, bar.high, bar.close);
  }
  return { logReturn, logLow: Math.log(low / entry), logHigh: Math.log(high / entry) };
}

/** The last `count` log returns over `horizonHours`, `strideHours` apart, that end at or before an hour; oldest first. */
export function pastReturns(
  series: CandleSeries,
  hour: number,
  horizonHours: number,
  strideHours: number,
  count: number,
): Float64Array {
  const found: number[] = [];
  for (let k = count - 1; k >= 0; k--) {
    const end = hour - k * strideHours;
    const value = Math.log(series.closeAt(end) / series.closeAt(end - horizonHours));
    if (!Number.isNaN(value)) found.push(value);
  }
  return Float64Array.from(found);
}
