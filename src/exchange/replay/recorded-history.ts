import { existsSync } from "node:fs";
import { join } from "node:path";
import { HOUR_MS } from "../../domain/bar.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { gunzippedFile } from "./recorded-file.ts";

const OWN_VENUE = "hyperliquid";

/** The recorded candles and settlements of a folder, each coin's read once. Errors: an Error that names a damaged file. */
export class RecordedHistory {
  readonly #directory: string;
  readonly #candles = new Map<string, readonly WireRecord[]>();
  readonly #settlements = new Map<string, readonly WireRecord[]>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A coin's hourly candles as the exchange would list them, oldest first; none when the coin was not recorded. */
  candles(coin: string): readonly WireRecord[] {
    const known = this.#candles.get(coin);
    if (known !== undefined) return known;
    const rows = readCsv(join(this.#directory, "candles_1h_hyperliquid"), coin)
      .map((row) => {
        const openMs = Number(row["ts_ms"]);
        const [o, h, l, c] = [row["open"], row["high"], row["low"], row["close"]];
        return { t: openMs, T: openMs + HOUR_MS - 1, s: coin, i: "1h", o, h, l, c, v: row["volume"], n: 0 };
      })
      .sort((a, b) => a.t - b.t);
    this.#candles.set(coin, rows);
    return rows;
  }

  /** A coin's hourly settlements on the exchange; other venues and the former 8-hour settlements are left out. */
  settlements(coin: string): readonly WireRecord[] {
    const known = this.#settlements.get(coin);
    if (known !== undefined) return known;
    const rows = readCsv(join(this.#directory, "funding"), coin)
      .filter((row) => row["venue"] === OWN_VENUE && row["interval_h"] === "1")
      .map((row) => ({ coin, fundingRate: row["rate"], time: Number(row["ts_ms"]) }))
      .sort((a, b) => a.time - b.time);
    this.#settlements.set(coin, rows);
    return rows;
  }
}

function readCsv(folder: string, coin: string): readonly Readonly<Record<string, string>>[] {
  const path = join(folder, `${coin}.csv.gz`);
  // The coin comes from a request: only a plain name is a file of this folder.
  if (!/^\w+$/.test(coin) || !existsSync(path)) return [];
  const [header = "", ...rows] = gunzippedFile(path).trimEnd().split(/\r?\n/);
  const names = header.split(",");
  return rows.map((row) => {
    const cells = row.split(",");
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ""]));
  });
}
