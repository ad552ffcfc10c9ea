import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordedHistory } from "../../../src/exchange/replay/recorded-history.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "recorded-history-"));
  for (const folder of ["candles_1h_hyperliquid", "funding"]) mkdirSync(join(directory, folder));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("RecordedHistory", () => {
  it("lists a coin's candles as the exchange would", () => {
    write("candles_1h_hyperliquid/BTC", "ts_ms,open,high,low,close,volume", "3600000,1,4,0.5,2,7");

    expect(new RecordedHistory(directory).candles("BTC")).toEqual([
      { t: 3_600_000, T: 7_199_999, s: "BTC", i: "1h", o: "1", h: "4", l: "0.5", c: "2", v: "7", n: 0 },
    ]);
  });

  it("lists candles oldest first, whatever order they are kept in", () => {
    const lines = ["7200000,3,3,3,3,1", "3600000,2,2,2,2,1", "10800000,4,4,4,4,1"];
    write("candles_1h_hyperliquid/BTC", "ts_ms,open,high,low,close,volume", ...lines);

    const candles = new RecordedHistory(directory).candles("BTC");

    expect(candles.map(({ o }) => o)).toEqual(["2", "3", "4"]);
  });

  it("reads lines that end as on Windows", () => {
    write("candles_1h_hyperliquid/BTC", "ts_ms,open,high,low,close,volume\r", "3600000,1,4,0.5,2,7\r");
    write("funding/BTC", "ts_ms,rate,interval_h,venue\r", "3600000,0.1,1,hyperliquid\r");
    const history = new RecordedHistory(directory);

    expect(history.candles("BTC")).toMatchObject([{ c: "2", v: "7" }]);
    expect(history.settlements("BTC")).toHaveLength(1);
  });

  it("lists the exchange's own hourly settlements in order of time, no others", () => {
    write(
      "funding/BTC",
      "venue,interval_h,ts_ms,rate",
      "hyperliquid,1,7200000,0.2",
      "hyperliquid,8,3600000,0.9",
      "binance,1,3600000,0.8",
      "hyperliquid,1,3600000,0.1",
    );

    expect(new RecordedHistory(directory).settlements("BTC")).toEqual([
      { coin: "BTC", fundingRate: "0.1", time: 3_600_000 },
      { coin: "BTC", fundingRate: "0.2", time: 7_200_000 },
    ]);
  });

  it("knows nothing of a coin that was not recorded, and looks for it in no other folder", () => {
    write("secret", "ts_ms,open,high,low,close,volume", "3600000,1,4,0.5,2,7");
    const history = new RecordedHistory(directory);

    expect(history.candles("ETH")).toEqual([]);
    expect(history.candles("../secret")).toEqual([]);
    expect(history.settlements("../secret")).toEqual([]);
  });
});

function write(name: string, ...lines: readonly string[]): void {
  writeFileSync(join(directory, `${name}.csv.gz`), gzipSync(`${lines.join("\n")}\n`));
}
