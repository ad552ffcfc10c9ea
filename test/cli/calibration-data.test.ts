import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import {
  readBookHours,
  readEpisodes,
  readFundingHistories,
  readImpactWindows,
} from "../../src/cli/calibration-data.ts";
import { CommandFailure } from "../../src/cli/command-failure.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";

// Mutants seen to fail: other venues or intervals taken, basis points for fractions, quote volume for coins, sides
// swapped, thousands of a coin not renamed.

const directory = mkdtempSync(join(tmpdir(), "breakwater-calibration-"));
const write = (file: string, lines: readonly string[]): void => {
  const text = `${lines.join("\n")}\n`;
  writeFileSync(join(directory, file), file.endsWith(".gz") ? gzipSync(text) : text);
};
const HOUR = 480_000;

afterAll(() => rmSync(directory, { recursive: true }));

describe("readFundingHistories", () => {
  it("takes the exchange's hourly settlements, on the clock, with gaps as NaN", () => {
    mkdirSync(join(directory, "funding"));
    write("funding/BTC.csv.gz", [
      // As a spreadsheet ends its lines.
      "ts_ms,rate,interval_h,venue\r",
      `${String(HOUR * HOUR_MS + 48)},0.00001,1,hyperliquid\r`,
      `${String((HOUR + 2) * HOUR_MS - 12)},-0.00003,1,hyperliquid`,
      `${String((HOUR + 1) * HOUR_MS)},0.5,8,hyperliquid`,
      `${String((HOUR + 1) * HOUR_MS)},0.5,1,binance`,
    ]);
    write("funding/other.csv.gz", ["ts_ms,premium", "1,2"]);

    const [history, ...others] = readFundingHistories(join(directory, "funding"));

    expect(others).toEqual([]);
    expect(history).toMatchObject({ asset: "BTC", firstHour: HOUR });
    expect([...history!.ratesHourly]).toEqual([0.00001, Number.NaN, -0.00003]);
  });
});

describe("readBookHours", () => {
  it("reads spread and depth at the nearest full hour", () => {
    mkdirSync(join(directory, "books"));
    write("books/hl_depth_summary_6h_BTC.csv", [
      "ts_ms,mid_price,spread_bps,depth_50bps_usd",
      `${String(HOUR * HOUR_MS - 11_000)},42327.5,0.25,3759035.17`,
      `${String((HOUR + 6) * HOUR_MS + 4_000)},42285,1.5,100`,
    ]);

    const books = readBookHours(join(directory, "books"));

    expect([...books.keys()]).toEqual(["BTC"]);
    expect([...books.get("BTC")!]).toEqual([
      [HOUR, { spreadFraction: 0.25e-4, depthUsd: 3_759_035.17 }],
      [HOUR + 6, { spreadFraction: 1.5e-4, depthUsd: 100 }],
    ]);
  });

  it("refuses a file of another format", () => {
    mkdirSync(join(directory, "strange"));
    write("strange/hl_depth_summary_6h_BTC.csv", ["time,spread", "1,2"]);

    expect(() => readBookHours(join(directory, "strange"))).toThrow("expected the header");
  });
});

describe("readEpisodes", () => {
  it("names the venue's symbols as the exchange does, and takes the wanted assets", () => {
    mkdirSync(join(directory, "stress"));
    const at = String(HOUR * HOUR_MS);
    write("stress/binance_perp_1h_all_x.csv.gz", [
      "symbol,ts_ms,open,high,low,close,quote_volume_usdt",
      `BTCUSDT,${at},100,110,90,95,950`,
      `1000PEPEUSDT,${at},0.01,0.011,0.009,0.01,10`,
      `DOGEUSDT,${at},1,1,1,1,1`,
    ]);

    const episodes = readEpisodes(join(directory, "stress"), new Set(["BTC", "kPEPE"]));

    expect(episodes.map(({ asset }) => asset)).toEqual(["BTC", "kPEPE"]);
    expect(episodes[0]!.barAt(HOUR)).toMatchObject({
      open: 100,
      high: 110,
      low: 90,
      close: 95,
      volumeBase: 10,
    });
    expect(readEpisodes(join(directory, "nowhere"), new Set(["BTC"]))).toEqual([]);
  });
});

describe("readImpactWindows", () => {
  it("pairs the trades of an asset and day with its books", () => {
    mkdirSync(join(directory, "trades"));
    write("trades/hl_trades_BTC_20250904.csv.gz", [
      "ts_ms,price,size,side,tid",
      "5,100,2,sell,1",
      "6,100,3,buy,2",
    ]);
    write("books/hl_l2book_BTC_20250904.jsonl.gz", [
      JSON.stringify({ time: 4, levels: [[{ px: "99" }, { px: "1" }], [{ px: "102" }]] }),
    ]);

    expect(readImpactWindows(join(directory, "trades"), join(directory, "books"))).toEqual([
      {
        asset: "BTC",
        trades: [
          { timeMs: 5, notionalUsd: 200, direction: -1 },
          { timeMs: 6, notionalUsd: 300, direction: 1 },
        ],
        mids: [{ timeMs: 4, midPrice: 100.5 }],
      },
    ]);
  });

  it.each([
    ["a price that is none", ["6,abc,3,buy,2"], "line 2: price is no number: abc"],
    ["a line cut off", ["5,100,2,sell,1", "6,100"], "line 3: size is missing"],
    ["another side", ["6,100,3,bid,2"], "line 2: side is neither buy nor sell: bid"],
  ])("says of trades with %s which line it is", (_name, lines, said) => {
    write("trades/hl_trades_BTC_20250904.csv.gz", ["ts_ms,price,size,side,tid", ...lines]);

    expect(() => readImpactWindows(join(directory, "trades"), join(directory, "books"))).toThrow(
      new CommandFailure(`${join(directory, "trades", "hl_trades_BTC_20250904.csv.gz")}: ${said}`),
    );
  });

  it.each([
    ["broken off", '{"time":4,"levels":[[{"px":"9'],
    ["without asks", JSON.stringify({ time: 4, levels: [[{ px: "99" }], []] })],
    ["without a time", JSON.stringify({ levels: [[{ px: "99" }], [{ px: "100" }]] })],
    ["without prices", JSON.stringify({ time: 4, levels: [[{ px: "x" }], [{ px: "100" }]] })],
    ["that is null", "null"],
  ])("says of a book %s which line it is", (_name, line) => {
    write("trades/hl_trades_BTC_20250904.csv.gz", ["ts_ms,price,size,side,tid", "5,100,2,sell,1"]);
    const book = { time: 4, levels: [[{ px: "99" }], [{ px: "100" }]] };
    write("books/hl_l2book_BTC_20250904.jsonl.gz", [JSON.stringify(book), line]);

    expect(() => readImpactWindows(join(directory, "trades"), join(directory, "books"))).toThrow(
      new CommandFailure(
        `${join(directory, "books", "hl_l2book_BTC_20250904.jsonl.gz")}: line 2 is no book with two sides`,
      ),
    );
  });
});
