import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/domain/bar.ts";
import { CandleSeries } from "../../src/simulator/candle-series.ts";

// Mutants killed by hand: only whole candles counted; the part before the time; the candle before it too.

describe("a series' volume since a time", () => {
  it("falls as the hour behind it passes, and not by an hour at once", () => {
    const series = new CandleSeries(HOUR_MS, 100);
    for (let hour = 0; hour <= 30; hour++) {
      series.rollTo(hour * HOUR_MS, 50);
      series.extend(50, 50, 50, hour === 30 ? 0 : 8, 1);
    }
    const baseAfter = (fraction: number): number =>
      series.volumeSince(30 * HOUR_MS + fraction * HOUR_MS - DAY_MS).base;

    expect([0, 0.25, 0.75, 1].map(baseAfter)).toEqual([192, 190, 186, 184]);
    expect(series.volumeSince(30 * HOUR_MS - DAY_MS).usd).toBe(192 * 50);
  });

  it("is of all that is kept where that does not reach back so far", () => {
    const series = new CandleSeries(HOUR_MS, 3);
    for (let hour = 0; hour < 10; hour++) {
      series.rollTo(hour * HOUR_MS, 50);
      series.extend(50, 50, 50, 1, 1);
    }

    expect(series.volumeSince(0).base).toBe(3);
    expect(series.volumeSince(9.5 * HOUR_MS).base).toBe(0.5);
  });

  it("is in USD at the middle of each candle's range", () => {
    const series = new CandleSeries(HOUR_MS, 3);
    series.rollTo(0, 50);
    series.extend(70, 40, 60, 2, 1);

    expect(series.volumeSince(0)).toEqual({ base: 2, usd: 110 });
  });
});

it("a series' close at a time is that of the candle it is in, and the oldest kept before that", () => {
  const series = new CandleSeries(HOUR_MS, 5);
  const closesAt = (...hours: number[]): number[] => hours.map((hour) => series.closeAt(hour * HOUR_MS));
  for (const [hour, close] of [11, 12, 13].entries()) {
    series.rollTo(hour * HOUR_MS, close);
    series.extend(close, close, close, 1, 1);
  }
  const last = 1 - 1 / HOUR_MS;

  expect(closesAt(0, last, 1, 1 + last, 2, 2 + last)).toEqual([11, 11, 12, 12, 13, 13]);
  expect(closesAt(-1, 3)).toEqual([11, 13]);
});
