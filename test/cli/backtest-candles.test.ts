import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { candlesOfFile, readCandles } from "../../src/cli/backtest-candles.ts";
import { CommandFailure } from "../../src/cli/command-failure.ts";
import { outcomeAfter, pastReturns } from "../../src/risk/backtest/hourly-candles.ts";

const HOUR_MS = 3_600_000;
const HEADER = "ts_ms,open,high,low,close,volume";
const lines = [
  HEADER,
  `${String(10 * HOUR_MS)},100,101,99,100,5`,
  `${String(11 * HOUR_MS)},100,112,95,110,5`,
  `${String(13 * HOUR_MS)},110,111,80,121,5`,
  `${String(14 * HOUR_MS)},121,121,121,121,0`,
].join("\n");

const directory = mkdtempSync(join(tmpdir(), "candles-"));
const fileOf = (name: string, text: string | Buffer): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const BTC = fileOf("BTC.csv", lines);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe("candlesOfFile", () => {
  const series = candlesOfFile("BTC", BTC);

  it("puts bars on the clock, leaves gaps open and bars without trades out", () => {
    expect([series.firstHour, series.endHour]).toEqual([10, 14]);
    expect([10, 11, 12, 13, 14].map(series.closeAt)).toEqual([100, 110, Number.NaN, 121, Number.NaN]);
  });

  it.each([
    ["another header", "time,price\n1,2", `expected the header ${HEADER}`],
    ["a short line", `${HEADER}\n1,2,3`, "line 2: low is missing"],
    ["an empty cell", `${lines}\n${String(15 * HOUR_MS)},1,1,1,,5`, "line 6: close is missing"],
    ["a time that is none", `${lines}\nx,1,1,1,1,5`, "line 6: ts_ms is no number: x"],
    [
      "microseconds",
      `${lines}\n1764000000000000,1,1,1,1,5`,
      "line 6: ts_ms is no time in milliseconds: 1764000000000000",
    ],
    [
      "a price that is none",
      `${lines}\n${String(15 * HOUR_MS)},1,NaN,1,1,5`,
      "line 6: high is no number: NaN",
    ],
    [
      "two candles of an hour",
      `${lines}\n${String(13 * HOUR_MS + 5)},1,1,1,1,5`,
      "line 6: a second candle of 1970-01-01T13:00:00.005Z",
    ],
    ["no trades at all", `${HEADER}\n${String(15 * HOUR_MS)},1,1,1,1,0`, "no usable candle"],
  ])("refuses %s, and says where", (_, text, message) => {
    const path = fileOf("bad.txt", text);
    expect(() => candlesOfFile("BTC", path)).toThrow(`${path}: ${message}`);
  });

  it("takes the lines in any order", () => {
    const [header, ...rest] = lines.split("\n");
    const shuffled = candlesOfFile("BTC", fileOf("order.txt", [header, ...rest.toReversed()].join("\n")));
    expect([10, 11, 12, 13].map(shuffled.closeAt)).toEqual([10, 11, 12, 13].map(series.closeAt));
  });

  it("gives what came after an hour, with the extremes of the bars that are there", () => {
    expect(outcomeAfter(series, 10, 3)).toEqual({
      logReturn: Math.log(1.21),
      logLow: Math.log(0.8),
      logHigh: Math.log(1.21),
    });
    expect(outcomeAfter(series, 10, 2)).toBeNull();
    expect(outcomeAfter(series, 13, 1)).toBeNull();
  });

  it("gives past returns that end at or before the hour", () => {
    expect([...pastReturns(series, 13, 2, 1, 3)]).toEqual([Math.log(121 / 110)]);
    expect([...pastReturns(series, 11, 1, 1, 5)]).toEqual([Math.log(1.1)]);
  });
});

describe("readCandles", () => {
  fileOf("kPEPE.csv.gz", gzipSync(lines));
  fileOf("notes.md", "not candles");

  it("reads plain and compressed files, all or the named", () => {
    expect(readCandles(directory, null).map(({ asset }) => asset)).toEqual(["BTC", "kPEPE"]);
    expect(readCandles(directory, new Set(["kPEPE"])).map(({ asset }) => asset)).toEqual(["kPEPE"]);
  });

  it("says what is missing", () => {
    expect(() => readCandles(directory, new Set(["ETH"]))).toThrow("no candles of ETH");
    expect(() => readCandles(join(directory, "none"), null)).toThrow("does not exist");
  });

  it("refuses an asset that is there plain and compressed, unless others are named", () => {
    const twice = mkdtempSync(join(directory, "twice-"));
    writeFileSync(join(twice, "BTC.csv"), lines);
    writeFileSync(join(twice, "BTC.csv.gz"), gzipSync(lines));
    writeFileSync(join(twice, "ETH.csv"), lines);

    expect(() => readCandles(twice, null)).toThrow(
      `${twice} has candles of BTC twice: BTC.csv and BTC.csv.gz`,
    );
    expect(readCandles(twice, new Set(["ETH"]))).toHaveLength(1);
  });

  it("names a file that cannot be unpacked", () => {
    const broken = mkdtempSync(join(directory, "broken-"));
    const path = join(broken, "ETH.csv.gz");
    writeFileSync(path, lines);

    expect(() => readCandles(broken, null)).toThrow(CommandFailure);
    expect(() => readCandles(broken, null)).toThrow(`${path}: `);
  });
});
