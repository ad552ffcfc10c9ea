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
});
