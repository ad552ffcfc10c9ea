import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { parseCandles, readCandles } from "../../src/cli/backtest-candles.ts";
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

describe("parseCandles", () => {
  const series = parseCandles("BTC", lines);

  it("puts bars on the clock, leaves gaps open and bars without trades out", () => {
    expect([series.firstHour, series.endHour]).toEqual([10, 14]);
    expect([10, 11, 12, 13, 14].map(series.closeAt)).toEqual([100, 110, Number.NaN, 121, Number.NaN]);
  });

  it("refuses another header, and a line that is not of it", () => {
    expect(() => parseCandles("BTC", "time,price\n1,2")).toThrow(`BTC: expected the header ${HEADER}`);
    expect(() => parseCandles("BTC", `${HEADER}\n1,2,3`)).toThrow(`BTC: line 2 is not ${HEADER}`);
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
  const directory = mkdtempSync(join(tmpdir(), "candles-"));
  writeFileSync(join(directory, "BTC.csv"), lines);
  writeFileSync(join(directory, "kPEPE.csv.gz"), gzipSync(lines));
  writeFileSync(join(directory, "notes.md"), "not candles");
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it("reads plain and compressed files, all or the named", () => {
    expect(readCandles(directory, null).map(({ asset }) => asset)).toEqual(["BTC", "kPEPE"]);
    expect(readCandles(directory, new Set(["kPEPE"])).map(({ asset }) => asset)).toEqual(["kPEPE"]);
  });

  it("says what is missing", () => {
    expect(() => readCandles(directory, new Set(["ETH"]))).toThrow("no candles of ETH");
    expect(() => readCandles(join(directory, "none"), null)).toThrow("does not exist");
  });

  it("names a file that cannot be unpacked", () => {
    const broken = mkdtempSync(join(directory, "broken-"));
    const path = join(broken, "ETH.csv.gz");
    writeFileSync(path, lines);

    expect(() => readCandles(broken, null)).toThrow(CommandFailure);
    expect(() => readCandles(broken, null)).toThrow(`${path}: `);
  });
});
