import { describe, expect, it } from "vitest";
import { type Bar, HOUR_MS } from "../../../src/domain/bar.ts";
import {
  candleSeriesOf,
  type CandleSeries,
  outcomeAfter,
  pastReturns,
} from "../../../src/risk/backtest/hourly-candles.ts";

// Mutants that these kill: a series of one bar refused; closes never found; an outcome without an end; the entry's own hour
// counted to the path, or its last one not; a gap that ends the path; highs left out; one return more than was asked for.

const FIRST_HOUR = 490_000;

describe("candleSeriesOf", () => {
  it("knows the bars by their hours and leaves out what cannot be", () => {
    const series = seriesOf([
      bar(4, [100, 100, 100, 100]),
      bar(5, [100, 101, 0, 100]),
      bar(0, [99, 99, 99, 99]),
      bar(2, [100, 101, 99, 100.5]),
    ]);

    expect([series.asset, series.firstHour, series.endHour]).toEqual(["A", FIRST_HOUR, FIRST_HOUR + 5]);
    expect([0, 1, 2, 5].map((hour) => series.closeAt(FIRST_HOUR + hour))).toEqual([99, NaN, 100.5, NaN]);
    expect(series.barAt(FIRST_HOUR + 2)).toMatchObject({ high: 101 });
    expect(series.barAt(FIRST_HOUR + 5)).toBeUndefined();
  });

  it("is one of a single bar, and none of none", () => {
    expect(candleSeriesOf("A", [bar(0, [1, 1, 1, 1])])).toMatchObject({
      firstHour: FIRST_HOUR,
      endHour: FIRST_HOUR + 1,
    });
    expect(candleSeriesOf("A", [bar(0, [1, 1, 0, 1])])).toBeNull();
  });
});

describe("outcomeAfter", () => {
  const series = seriesOf([
    bar(0, [100, 150, 50, 100]),
    bar(1, [100, 104, 97, 98]),
    bar(3, [98, 120, 96, 110]),
    bar(4, [110, 112, 80, 105]),
    bar(5, [105, 200, 10, 105]),
  ]);

  it("is the way from one close to another and the prices between, whatever hours brought no bar", () => {
    const outcome = outcomeAfter(series, FIRST_HOUR, 4)!;

    expect(outcome.logReturn).toBeCloseTo(Math.log(1.05), 12);
    expect(outcome.logLow).toBeCloseTo(Math.log(0.8), 12);
    expect(outcome.logHigh).toBeCloseTo(Math.log(1.2), 12);
  });

  it("begins at the entry: a price that only rose has its low there", () => {
    const rising = seriesOf([bar(0, [100, 100, 100, 100]), bar(1, [103, 108, 102, 107])]);

    expect(outcomeAfter(rising, FIRST_HOUR, 1)).toMatchObject({ logLow: 0 });
    expect(outcomeAfter(rising, FIRST_HOUR, 1)!.logHigh).toBeCloseTo(Math.log(1.08), 12);
  });

  it("is unknown without the close on either side", () => {
    expect(outcomeAfter(series, FIRST_HOUR, 2)).toBeNull();
    expect(outcomeAfter(series, FIRST_HOUR + 2, 1)).toBeNull();
    expect(outcomeAfter(series, FIRST_HOUR + 5, 1)).toBeNull();
  });
});

describe("pastReturns", () => {
  it("gives as many as are asked for and known, oldest first, each over its horizon", () => {
    const growth = [0.01, 0.02, -0.03, 0.04, 0.05, -0.06, 0.07];
    let close = 100;
    const bars = [bar(0, [close, close, close, close])];
    growth.forEach((log, i) => {
      const open = close;
      close *= Math.exp(log);
      bars.push(bar(i + 1, [open, Math.max(open, close), Math.min(open, close), close]));
    });
    const whole = seriesOf(bars);
    const gappy = seriesOf(bars.filter((_, i) => i !== 3));
    const rounded = (returns: Float64Array): number[] =>
      [...returns].map((value) => Number(value.toFixed(9)));

    expect(rounded(pastReturns(whole, FIRST_HOUR + 7, 1, 1, 3))).toEqual([0.05, -0.06, 0.07]);
    expect(rounded(pastReturns(whole, FIRST_HOUR + 7, 2, 2, 3))).toEqual([-0.01, 0.09, 0.01]);
    expect(rounded(pastReturns(whole, FIRST_HOUR + 2, 1, 1, 50))).toEqual([0.01, 0.02]);
    expect(rounded(pastReturns(gappy, FIRST_HOUR + 5, 1, 1, 4))).toEqual([0.02, 0.05]);
  });
});

function seriesOf(bars: readonly Bar[]): CandleSeries {
  return candleSeriesOf("A", bars)!;
}

function bar(hour: number, [open, high, low, close]: readonly [number, number, number, number]): Bar {
  return { openTimeMs: (FIRST_HOUR + hour) * HOUR_MS, open, high, low, close, volumeBase: 1 };
}
