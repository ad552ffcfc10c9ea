import { describe, expect, it } from "vitest";
import { walkForCalibration, type WalkFindings } from "../../src/cli/calibration-walk.ts";
import type { RecordedLiquidity } from "../../src/cli/calibration-regimes.ts";
import type { Bar } from "../../src/domain/bar.ts";
import { type CandleSeries, candleSeriesOf } from "../../src/risk/backtest/hourly-candles.ts";
import { SCORE } from "../../src/risk/calibration/calibration.ts";
import { FIRST_HOUR, wanderingCandles } from "../support/candle-series.ts";

const HOURS = 52 * 24;
/** The second refit of the walk, on a whole month of candles: every 28 days of the calendar. */
const READY_FROM = Math.ceil((FIRST_HOUR + 32 * 24) / 672) * 672;
const CRASH_HOUR = READY_FROM + 100;
const END_HOUR = FIRST_HOUR + HOURS;
const LEVERAGES = [2, 3, 5, 10, 20, 40];
const NOTHING: RecordedLiquidity = { funding: new Map(), books: new Map() };

/** BTC with one candle that falls by half and comes back; ETH without. */
const SERIES = [altered(wanderingCandles("BTC", 1, HOURS)), wanderingCandles("ETH", 2, HOURS)];
const LATER = later(SERIES[1]!, END_HOUR + 5, 3);

function barsOf({ firstHour, endHour, barAt }: CandleSeries): Bar[] {
  return Array.from({ length: endHour - firstHour }, (_, i) => barAt(firstHour + i)!);
}

function altered(series: CandleSeries): CandleSeries {
  const bars = barsOf(series);
  const at = CRASH_HOUR - series.firstHour;
  bars[at] = { ...bars[at]!, low: bars[at]!.low / 2 };
  return candleSeriesOf(series.asset, bars)!;
}

function later(series: CandleSeries, firstHour: number, hours: number): CandleSeries {
  const shift = (firstHour - series.firstHour) * 3_600_000;
  const bars = barsOf(series).slice(0, hours);
  return candleSeriesOf(
    series.asset,
    bars.map((bar) => ({ ...bar, openTimeMs: bar.openTimeMs + shift })),
  )!;
}

/** How far the price went within the 24 hours after an hour's close, as fractions of that close. */
function dayAfter({ closeAt, barAt }: CandleSeries, hour: number): { fall: number; rise: number } {
  const bars = Array.from({ length: 24 }, (_, i) => barAt(hour + 1 + i)!);
  const low = Math.min(...bars.map((bar) => bar.low));
  const high = Math.max(...bars.map((bar) => bar.high));
  return { fall: 1 - low / closeAt(hour), rise: high / closeAt(hour) - 1 };
}

/** Last hours of the days, or of what else comes round after so many hours, that have a whole day after them. */
function hoursWithDay(every: number, from: number): number[] {
  const hours = Array.from({ length: END_HOUR - 24 - from }, (_, i) => from + i);
  return hours.filter((hour) => (hour + 1) % every === 0);
}

describe("the walk of a calibration", () => {
  const shares: number[] = [];
  const found: WalkFindings = walkForCalibration(
    SERIES,
    [LATER, later(SERIES[1]!, FIRST_HOUR, 3)],
    NOTHING,
    (share) => shares.push(share),
  );

  it("has the depth of every whole day of every asset", () => {
    const expected = hoursWithDay(24, FIRST_HOUR).flatMap((hour) =>
      SERIES.map((series) => ({
        asset: series.asset,
        day: (hour + 1) / 24,
        depth: dayAfter(series, hour).fall,
      })),
    );

    expect(found.days.length).toBe(2 * 51);
    found.days.forEach(({ asset, day, depth }, i) => {
      expect({ asset, day }).toEqual({ asset: expected[i]!.asset, day: expected[i]!.day });
      expect(depth).toBeCloseTo(expected[i]!.depth, 12);
    });
  });

  it("has no recursion of an asset's own where there is no half year to fit it on", () => {
    expect(found.garch).toEqual([]);
  });

  it("counts the hours that a model of a whole month was asked about, and keeps the extraordinary", () => {
    expect(found.assetHours).toBe(2 * (END_HOUR - READY_FROM));
    const crash = found.moves.find(({ asset, hour }) => asset === "BTC" && hour === CRASH_HOUR)!;
    expect(crash.excursion).toBeGreaterThan(20);
    expect(crash.residual).toBeLessThan(10);
    expect(found.moves.length).toBeLessThan(10);
    for (const { residual, excursion } of found.moves) {
      expect(Math.max(residual, excursion)).toBeGreaterThan(5);
      expect(residual).toBeGreaterThanOrEqual(0);
    }
  });

  it("measures both sides of a judged day in the day's sigma", () => {
    const daily = found.excursions.filter(({ inShortfalls }) => inShortfalls === null);
    const expected = hoursWithDay(24, READY_FROM).flatMap((hour) =>
      SERIES.map((series) => ({ day: (hour + 1) / 24, ...dayAfter(series, hour) })),
    );

    expect(daily.length).toBe(2 * expected.length);
    expected.forEach(({ day, fall, rise }, i) => {
      const [down, up] = [daily[2 * i]!, daily[2 * i + 1]!];
      expect([down.day, up.day]).toEqual([day, day]);
      const sigmaDay = -Math.log(1 - fall) / down.inSigmas;
      expect(up.inSigmas * sigmaDay).toBeCloseTo(Math.log(1 + rise), 9);
      expect(sigmaDay).toBeGreaterThan(0.01);
      expect(sigmaDay).toBeLessThan(0.3);
    });
  });

  it("asks of drawn mornings what the score would say of every leverage, and what came of it", () => {
    const drawn = found.excursions.filter(({ inShortfalls }) => inShortfalls !== null);
    // Drawn forecasts are fitted when they are drawn, so that these have their month already.
    const expected = hoursWithDay(167, FIRST_HOUR + 30 * 24).flatMap((hour) =>
      SERIES.flatMap((series) => {
        const { fall, rise } = dayAfter(series, hour);
        return [
          { direction: 1, day: Math.floor((hour + 1) / 24), adverse: fall },
          { direction: -1, day: Math.floor((hour + 1) / 24), adverse: rise },
        ];
      }),
    );
    expect(expected.length).toBeGreaterThan(4);
    expect(drawn.map(({ day }) => day)).toEqual(expected.map(({ day }) => day));
    expect(found.cases.length).toBe(expected.length * LEVERAGES.length);
    expected.forEach(({ direction, day, adverse }, i) => {
      const { inSigmas, inShortfalls } = drawn[i]!;
      const sigmaDay = Math.abs(Math.log(1 - direction * adverse)) / inSigmas;
      const shortfall = adverse / inShortfalls!;
      expect(shortfall / sigmaDay).toBeGreaterThan(1.5);
      expect(shortfall / sigmaDay).toBeLessThan(6);
      const cases = found.cases.slice(i * LEVERAGES.length, (i + 1) * LEVERAGES.length);
      cases.forEach((one, place) => {
        const leverage = LEVERAGES[place]!;
        // Equity of 1 / leverage less the move equals a hundredth of the notional there.
        const distance = (1 / leverage - 0.01) / (1 - direction * 0.01);
        const nearest = Math.min(distance, SCORE.adverseMarginFraction.value / leverage);
        expect(one.day).toBe(day);
        expect(one.isAdverse).toBe(adverse >= nearest);
        expect(one.accountLossFraction).toBeCloseTo(shortfall * leverage, 9);
        expect(one.liquidationSigmas).toBeCloseTo(Math.abs(Math.log(1 - direction * distance)) / sigmaDay, 9);
        expect(one.adverseProbability).toBeGreaterThanOrEqual(one.liquidationProbability);
        const below = cases[place - 1];
        if (below !== undefined)
          expect(one.liquidationProbability).toBeGreaterThan(below.liquidationProbability);
      });
    });
    expect(new Set(found.cases.map(({ isAdverse }) => isAdverse)).size).toBe(2);
  });

  it("goes on through what was recorded after its end, of which only the regime is asked", () => {
    expect(found.regimes.map(({ asset, hours }) => [asset, hours.length])).toEqual([
      ["BTC", END_HOUR - READY_FROM],
      ["ETH", END_HOUR - READY_FROM + 3],
    ]);
    const [, eth] = found.regimes;
    expect(eth!.hours.filter(({ isEpisode }) => isEpisode).map(({ timeMs }) => timeMs / 3_600_000)).toEqual([
      END_HOUR + 6,
      END_HOUR + 7,
      END_HOUR + 8,
    ]);
    const [first] = eth!.hours;
    const bar = SERIES[1]!.barAt(READY_FROM)!;
    expect(first!.timeMs).toBe((READY_FROM + 1) * 3_600_000);
    expect(first!.logReturn).toBeCloseTo(Math.log(bar.close / bar.open), 12);
  });

  it("tells how far it is", () => {
    expect(shares.length).toBeGreaterThan(0);
    for (const share of shares) expect(share).toBeLessThan(1);
  });
});
