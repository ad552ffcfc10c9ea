import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { HOUR_MS } from "../domain/bar.ts";
import type { FundingHistory } from "../risk/calibration-fit/funding-fit.ts";
import type { ImpactWindow, RecordedMid, RecordedTrade } from "../risk/calibration-fit/impact-fit.ts";

const FUNDING_HEADER = "ts_ms,rate,interval_h,venue";
const TRADES_HEADER = "ts_ms,price,size,side,tid";
const VENUE = "hyperliquid";
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
    return [{ asset: name[1]!, ratesHourly }];
  });
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
  const [header, ...lines] = linesOf(path);
  if (header !== TRADES_HEADER) throw new Error(`${path}: expected the header ${TRADES_HEADER}`);
  return lines.map((line) => {
    const [timeMs, price, size, side] = line.split(",");
    return {
      timeMs: Number(timeMs),
      notionalUsd: Number(price) * Number(size),
      direction: side === "buy" ? 1 : -1,
    };
  });
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
  return readdirSync(directory)
    .toSorted()
    .flatMap((file) => {
      const name = pattern.exec(file);
      return name === null ? [] : [{ path: join(directory, file), name }];
    });
}

function linesOf(path: string): readonly string[] {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").trimEnd().split("\n");
}
