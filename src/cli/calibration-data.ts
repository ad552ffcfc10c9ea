import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Bar, HOUR_MS } from "../domain/bar.ts";
import { type CandleSeries, candleSeriesOf } from "../risk/backtest/hourly-candles.ts";
import type { FundingHistory } from "../risk/calibration-fit/funding-fit.ts";
import type { ImpactWindow, RecordedMid, RecordedTrade } from "../risk/calibration-fit/impact-fit.ts";
import type { BookHour } from "./calibration-regimes.ts";
import { CommandFailure } from "./command-failure.ts";
import { type CsvRow, csvTable, csvTableIfHeaded } from "./csv-table.ts";
import { fileLines, filesIn } from "./data-file.ts";

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
    const rates = new Map<number, number>();
    for (const row of csvTableIfHeaded(path, FUNDING_HEADER) ?? []) {
      if (row.text("venue") === VENUE && row.number("interval_h") === 1) {
        rates.set(Math.round(row.timeMs("ts_ms") / HOUR_MS), row.number("rate"));
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
    const hours = csvTable(path, DEPTH_HEADER).map((row) => {
      return [
        Math.round(row.timeMs("ts_ms") / HOUR_MS),
        { spreadFraction: row.number("spread_bps") / BPS, depthUsd: row.number("depth_50bps_usd") },
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
    for (const row of csvTable(path, EPISODE_HEADER)) {
      const asset = assetOfSymbol(row.text("symbol"));
      if (!assets.has(asset)) continue;
      const assetBars = bars.get(asset) ?? [];
      bars.set(asset, assetBars);
      const close = row.number("close");
      assetBars.push({
        openTimeMs: row.timeMs("ts_ms"),
        open: row.number("open"),
        high: row.number("high"),
        low: row.number("low"),
        close,
        volumeBase: row.number("quote_volume_usdt") / close,
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
  return csvTable(path, TRADES_HEADER).map((row) => ({
    timeMs: row.timeMs("ts_ms"),
    notionalUsd: row.number("price") * row.number("size"),
    direction: directionOf(row),
  }));
}

function directionOf(row: CsvRow): 1 | -1 {
  const side = row.text("side");
  if (side !== "buy" && side !== "sell") throw row.failure(`side is neither buy nor sell: ${side}`);
  return side === "buy" ? 1 : -1;
}

function readMids(path: string): readonly RecordedMid[] {
  return fileLines(path).map((line, i) => {
    const mid = midOf(line);
    if (mid === null) throw new CommandFailure(`${path}: line ${i + 1} is no book with two sides`);
    return mid;
  });
}

function midOf(line: string): RecordedMid | null {
  try {
    const { time, levels } = JSON.parse(line) as {
      time: number;
      levels: [{ px: string }[], { px: string }[]];
    };
    const midPrice = (Number(levels[0][0]!.px) + Number(levels[1][0]!.px)) / 2;
    return Number.isFinite(time) && midPrice > 0 ? { timeMs: time, midPrice } : null;
  } catch {
    return null;
  }
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
