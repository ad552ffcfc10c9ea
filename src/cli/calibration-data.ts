import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Bar, HOUR_MS } from "../domain/bar.ts";
import { type CandleSeries, candleSeriesOf } from "../risk/backtest/hourly-candles.ts";
import type { FundingHistory } from "../risk/calibration-fit/funding-fit.ts";
import type { ImpactWindow, RecordedMid, RecordedTrade } from "../risk/calibration-fit/impact-fit.ts";
import type { BookHour } from "./calibration-regimes.ts";
import { CommandFailure } from "./command-failure.ts";
import { filesIn, fileText } from "./data-file.ts";

const FUNDING_HEADER = "ts_ms,rate,interval_h,venue";
const TRADES_HEADER = "ts_ms,price,size,side,tid";
const DEPTH_HEADER = "ts_ms,mid_price,spread_bps,depth_50bps_usd";
const EPISODE_HEADER = "symbol,ts_ms,open,high,low,close,quote_volume_usdt";
const VENUE = "hyperliquid";
const DEPTH_FILE = /^hl_depth_summary_6h_(.+)\.csv(?:\.gz)?$/;
const EPISODE_FILE = /^binance_perp_1h_.+\.csv\.gz$/;
const BPS = 1e4;
const TRADES_FILE = /^hl_trades_(.+)_(\d{8})\.csv\.gz$/;

/** The exchange's hourly settlements in a directory of ASSET.csv.gz; files of another header are left out. */
export function readFundingHistories(directory: string): readonly FundingHistory[] {
  return filesOf(directory, /^(.+)\.csv\.gz$/).flatMap(({ path, name }) => {
    const [header, ...lines] = linesOf(path);
    if (header !== FUNDING_HEADER) return [];
    const rates = new Map<number, number>();
    for (const line of lines) {
      const [timeMs, rate, intervalHours, venue] = line.split(",");
      if (venue === VENUE && Number(intervalHours) === 1) {
        rates.set(Math.round(Number(timeMs) / HOUR_MS), Number(rate));
      }
    }
    if (rates.size === 0) return [];
    const first = Math.min(...rates.keys());
    const length = Math.max(...rates.keys()) - first + 1;
    const ratesHourly = Float64Array.from({ length }, (_, i) => rates.get(first + i) ?? Number.NaN);
    return [{ asset: name[1]!, firstHour: first, ratesHourly }];
  });
}

/** Spread and depth of the books on full hours, by asset and hour. */
export function readBookHours(directory: string): ReadonlyMap<string, ReadonlyMap<number, BookHour>> {
  const entries = filesOf(directory, DEPTH_FILE).map(({ path, name }) => {
    const hours = rowsOf(path, DEPTH_HEADER).map(([timeMs, , spreadBps, depth]) => {
      return [
        Math.round(Number(timeMs) / HOUR_MS),
        { spreadFraction: Number(spreadBps) / BPS, depthUsd: Number(depth) },
      ] as const;
    });
    return [name[1]!, new Map(hours)] as const;
  });
  return new Map(entries);
}

/** Crashes that were recorded by themselves, after the candles end; empty without such a directory. */
export function readEpisodes(directory: string, assets: ReadonlySet<string>): readonly CandleSeries[] {
  if (!existsSync(directory)) return [];
  const bars = new Map<string, Bar[]>();
  for (const { path } of filesOf(directory, EPISODE_FILE)) {
    for (const [symbol, openTimeMs, open, high, low, close, quoteVolume] of rowsOf(path, EPISODE_HEADER)) {
      const asset = assetOfSymbol(symbol!);
      if (!assets.has(asset)) continue;
      const row = bars.get(asset) ?? [];
      bars.set(asset, row);
      row.push({
        openTimeMs: Number(openTimeMs),
        open: Number(open),
        high: Number(high),
        low: Number(low),
        close: Number(close),
        volumeBase: Number(quoteVolume) / Number(close),
      });
    }
  }
  return [...bars].flatMap(([asset, rows]) => candleSeriesOf(asset, rows) ?? []);
}

/** BTCUSDT is BTC, and 1000PEPEUSDT the exchange's kPEPE. */
function assetOfSymbol(symbol: string): string {
  return symbol.replace(/USDT$/, "").replace(/^1000(?=[A-Z])/, "k");
}

/** Trades of a recording beside the books of the same asset and day. */
export function readImpactWindows(tradesDirectory: string, booksDirectory: string): readonly ImpactWindow[] {
  return filesOf(tradesDirectory, TRADES_FILE).map(({ path, name: [, asset, day] }) => ({
    asset: asset!,
    trades: readTrades(path),
    mids: readMids(join(booksDirectory, `hl_l2book_${asset!}_${day!}.jsonl.gz`)),
  }));
}

function readTrades(path: string): readonly RecordedTrade[] {
  return rowsOf(path, TRADES_HEADER).map(([timeMs, price, size, side]) => ({
    timeMs: Number(timeMs),
    notionalUsd: Number(price) * Number(size),
    direction: side === "buy" ? 1 : -1,
  }));
}

function readMids(path: string): readonly RecordedMid[] {
  return linesOf(path).map((line) => {
    const book = JSON.parse(line) as { time: number; levels: [{ px: string }[], { px: string }[]] };
    const [bids, asks] = book.levels;
    return { timeMs: book.time, midPrice: (Number(bids[0]!.px) + Number(asks[0]!.px)) / 2 };
  });
}

function filesOf(
  directory: string,
  pattern: RegExp,
): readonly { readonly path: string; readonly name: RegExpExecArray }[] {
  return filesIn(directory).flatMap((file) => {
    const name = pattern.exec(file);
    return name === null ? [] : [{ path: join(directory, file), name }];
  });
}

/** The values of every line below the expected header. */
function rowsOf(path: string, expectedHeader: string): readonly (readonly string[])[] {
  const [header, ...lines] = linesOf(path);
  if (header?.trim() !== expectedHeader)
    throw new CommandFailure(`${path}: expected the header ${expectedHeader}`);
  return lines.map((line) => line.trim().split(","));
}

function linesOf(path: string): readonly string[] {
  return fileText(path).trimEnd().split("\n");
}
