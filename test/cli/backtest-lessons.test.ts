import { describe, expect, it } from "vitest";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { VolatilityTrack } from "../../src/actors/volatility-track.ts";
import { BacktestLessons } from "../../src/cli/backtest-lessons.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { decodeForecast, splitForecasts } from "../../src/domain/forecast-row.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { replayJob } from "../../src/refit/replay-job.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { FIRST_HOUR, wanderingCandles } from "../support/candle-series.ts";

// Mutants that these kill: no replay at the start; a replay that stops early; an ungrown asset's own lesson; a market
// lesson that averages the young in.

const GROWN_HOURS = 55 * 24;
const YOUNG_HOURS = 20 * 24;

describe("BacktestLessons", () => {
  const end = FIRST_HOUR + GROWN_HOURS;
  const tracks = new Map([
    ["BTC", trackOf("BTC", 1, GROWN_HOURS)],
    ["ETH", trackOf("ETH", 2, GROWN_HOURS)],
    ["NEW", trackOf("NEW", 3, YOUNG_HOURS)],
  ]);
  const lessons = new BacktestLessons();
  lessons.startDay(tracks, end * HOUR_MS);

  it("starts from what the service's replay of the candles teaches", () => {
    for (const asset of ["BTC", "ETH"]) {
      expect(lessons.sigmaMultiplierOf(asset)).toBeCloseTo(replayedMultiplier(asset), 12);
      expect(lessons.sigmaMultiplierOf(asset)).not.toBe(1);
    }
  });

  it("lends a young asset the lesson of the market", () => {
    const market = Math.sqrt(lessons.sigmaMultiplierOf("BTC") * lessons.sigmaMultiplierOf("ETH"));
    expect(lessons.sigmaMultiplierOf("NEW")).toBeCloseTo(market, 12);
  });

  it("has learned nothing before the first morning", () => {
    expect(new BacktestLessons().sigmaMultiplierOf("BTC")).toBe(1);
  });

  /** exp of the mean of 0.02 (breach − p) over the two sides and levels, summed over the days that are over. */
  function replayedMultiplier(asset: string): number {
    const { rows } = replayJob({
      kind: "replay",
      ticker: tickerOf(asset),
      bars: tracks.get(asset)!.bars,
      cursor: { hour: 0, model: null, multipliers: UNCORRECTED, openDay: null },
      hoursMax: 10 * GROWN_HOURS,
      calibrationCode: 0,
    });
    let exponent = 0;
    for (const { horizonHours, outcome, long, short } of splitForecasts(rows).map(decodeForecast)) {
      if (horizonHours !== 24 || outcome === null) continue;
      const [fall, rise] = [-Math.expm1(outcome.logReturn), Math.expm1(outcome.logReturn)];
      exponent += 0.02 * ((fall > long.var95 ? 1 : 0) + (rise > short.var95 ? 1 : 0) - 0.1);
      exponent += 0.02 * ((fall > long.var99 ? 1 : 0) + (rise > short.var99 ? 1 : 0) - 0.02);
    }
    return Math.exp(exponent / 4);
  }
});

function trackOf(asset: string, seed: number, hours: number): VolatilityTrack {
  const { barAt, firstHour, endHour } = wanderingCandles(asset, seed, hours);
  const track = new VolatilityTrack();
  track.loadBars(barColumnsOf(Array.from({ length: endHour - firstHour }, (_, i) => barAt(firstHour + i)!)));
  return track;
}
