import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/domain/bar.ts";
import {
  comingFactors,
  estimateSeasonality,
  flatSeasonality,
  hourOfWeek,
  poolSeasonality,
  seasonalFactor,
  seasonalFactorFrom,
} from "../../../src/risk/volatility/seasonality.ts";

const START_MS = Date.UTC(2026, 0, 5);

/** `hours` bars whose range is a given function of the UTC hour and of the weekend. */
function rangesOf(
  hours: number,
  sigma: (hour: number, isWeekend: boolean) => number,
): [Float64Array, Float64Array] {
  const times = Float64Array.from({ length: hours }, (_, i) => START_MS + i * HOUR_MS);
  const ranges = times.map((time) => {
    const date = new Date(time);
    return sigma(date.getUTCHours(), date.getUTCDay() % 6 === 0) ** 2;
  });
  return [times, ranges];
}

describe("seasonality", () => {
  it("recovers an hourly and weekend pattern, drawn a fifth of the way to flat", () => {
    const [times, ranges] = rangesOf(
      24 * 7 * 10,
      (hour, isWeekend) => (hour === 14 ? 1.5 : 1) * (isWeekend ? 0.8 : 1),
    );
    const seasonality = estimateSeasonality(times, ranges, null);
    const at = (day: number, hour: number): number =>
      seasonalFactor(seasonality, Date.UTC(2026, 0, day, hour, 59));
    // Monday 5th and Saturday 10th: 1.5 relative to 1 becomes 0.8 · 1.5/rms + 0.2 over 0.8 · 1/rms + 0.2.
    const rms = Math.sqrt((23 + 2.25) / 24);
    expect(at(5, 14) / at(5, 3)).toBeCloseTo((1.2 / rms + 0.2) / (0.8 / rms + 0.2), 10);
    const weekRms = Math.sqrt((5 + 2 * 0.64) / 7);
    expect(at(10, 3) / at(5, 3)).toBeCloseTo((0.64 / weekRms + 0.2) / (0.8 / weekRms + 0.2), 10);
    expect(at(10, 3)).toBe(at(11, 3));
    expect(at(9, 23)).toBe(at(5, 23));
    const { factors } = seasonality;
    expect(factors.reduce((sum, factor) => sum + factor * factor, 0) / 168).toBeCloseTo(1, 12);
  });

  it("has mean square one over the week and stays in its guard", () => {
    const level = fc.double({ min: 0.2, max: 3, noNaN: true });
    fc.assert(
      fc.property(fc.array(level, { minLength: 24, maxLength: 24 }), level, (hours, weekend) => {
        const [times, ranges] = rangesOf(
          24 * 7 * 3,
          (hour, isWeekend) => hours[hour]! * (isWeekend ? weekend : 1),
        );
        const { factors } = estimateSeasonality(times, ranges, null);
        const isInside = factors.every((factor) => factor > 0.5 && factor < 2);
        for (const factor of factors) expect(factor >= 0.5 && factor <= 2).toBe(true);
        const meanSquare = factors.reduce((sum, factor) => sum + factor * factor, 0) / 168;
        if (isInside) expect(meanSquare).toBeCloseTo(1, 10);
      }),
    );
  });

  it("does not see the level of volatility", () => {
    const [times, ranges] = rangesOf(24 * 21, (hour) => 1 + hour / 24);
    const doubled = ranges.map((value) => 4 * value);
    const factors = estimateSeasonality(times, ranges, null).factors;
    estimateSeasonality(times, doubled, null).factors.forEach((factor, i) =>
      expect(factor).toBeCloseTo(factors[i]!, 12),
    );
  });

  it("takes an hour of the day without a single bar for an average one", () => {
    const [times, ranges] = rangesOf(24 * 7 * 10, (hour) => (hour === 14 ? 1.5 : 1));
    const isKept = (time: number): boolean => new Date(time).getUTCHours() !== 9;
    const kept = ranges.filter((_, i) => isKept(times[i]!));
    const { factors } = estimateSeasonality(times.filter(isKept), kept, null);

    // Before all are brought to mean square one: 1, beside 0.8 of the others over their rms and 0.2.
    const rms = Math.sqrt((22 + 2.25) / 23);
    expect(factors[9]! / factors[3]!).toBeCloseTo(1 / (0.8 / rms + 0.2), 10);
    expect(factors[14]! / factors[9]!).toBeCloseTo(1.2 / rms + 0.2, 10);
  });

  it("borrows below 1000 hours, is flat below two weeks, and flat without any movement", () => {
    const [times, ranges] = rangesOf(999, (hour) => 1 + hour / 24);
    const pooled = { factors: flatSeasonality().factors.map((_, i) => 1 + (i % 24) / 100) };
    expect(estimateSeasonality(times, ranges, pooled)).toBe(pooled);
    expect(estimateSeasonality(times.subarray(0, 300), ranges.subarray(0, 300), null)).toEqual(
      flatSeasonality(),
    );
    const dead = ranges.map(() => 0);
    for (const factor of estimateSeasonality(times, dead, null).factors) expect(factor).toBeCloseTo(1, 12);
  });

  it("has its own pattern from 1000 hours on, or from two weeks where there is none to borrow", () => {
    const pooled = { factors: flatSeasonality().factors.map((_, i) => 1 + (i % 24) / 100) };
    const at = (hours: number, borrowed: typeof pooled | null): Float64Array => {
      const [times, ranges] = rangesOf(hours, (hour) => (hour === 14 ? 1.5 : 1));
      return estimateSeasonality(times, ranges, borrowed).factors;
    };

    expect(at(999, pooled)).toBe(pooled.factors);
    expect(at(1000, pooled)).toEqual(at(1000, null));
    expect(at(335, null)).toEqual(flatSeasonality().factors);
    expect(at(336, null)[14]).toBeGreaterThan(1.2);
  });

  it("pools by the geometric mean", () => {
    const [times, ranges] = rangesOf(24 * 50, (hour) => 1 + hour / 24);
    const one = estimateSeasonality(times, ranges, null);
    const pooled = poolSeasonality([one, flatSeasonality()])!;
    expect(pooled.factors[5]! / pooled.factors[20]!).toBeCloseTo(
      Math.sqrt(one.factors[5]! / one.factors[20]!),
      10,
    );
    expect(poolSeasonality([])).toBeNull();
  });

  it("counts the hours of the week from Thursday 00:00 UTC and lays out the coming ones in order", () => {
    expect(hourOfWeek(0)).toBe(0);
    expect(hourOfWeek(Date.UTC(2026, 0, 8, 1, 30))).toBe(1);
    expect(hourOfWeek(Date.UTC(2026, 0, 7, 23))).toBe(167);
    const factors = Float64Array.from({ length: 168 }, (_, i) => i);
    const coming = comingFactors({ factors }, Date.UTC(2026, 0, 7, 22));
    expect([...coming.slice(0, 4)]).toEqual([166, 167, 0, 1]);
    expect(coming[167]).toBe(165);
  });

  it("gives an hour that begins within one of the clock its share of both", () => {
    const factors = Float64Array.from({ length: 168 }, (_, i) => 0.6 + (i % 7) / 10);
    const sunday = Date.UTC(2026, 0, 11, 23);
    const [sundays, mondays] = comingFactors({ factors }, sunday);
    const quarter = comingFactors({ factors }, sunday + HOUR_MS / 4);
    expect(quarter[0]! ** 2).toBeCloseTo(0.75 * sundays! ** 2 + 0.25 * mondays! ** 2, 12);
    expect(seasonalFactorFrom({ factors }, sunday + HOUR_MS / 4)).toBe(quarter[0]);
    // A week of hours holds what the week holds, wherever it begins, the last of its hours ending in the first.
    const squares = (values: Float64Array): number =>
      values.reduce((sum, factor) => sum + factor * factor, 0);
    expect(squares(quarter)).toBeCloseTo(squares(factors), 9);
    const almost = comingFactors({ factors }, sunday + HOUR_MS - 1);
    comingFactors({ factors }, sunday + HOUR_MS).forEach((factor, k) => {
      expect(almost[k]! / factor).toBeCloseTo(1, 5);
    });
  });
});
