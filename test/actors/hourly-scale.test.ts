import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HourlyScale } from "../../src/actors/hourly-scale.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { quantileOfSorted } from "../../src/math/quantile.ts";
import { createRandom } from "../../src/math/random.ts";

// Mutants killed: hours of another weekday counted; the score not against the median; seven weeks taken for enough; the
// window counted in values instead of time; the cache kept over the hour, or over an added value; hours
// forgotten without their values; the newest hour taken twice.

const WEEK_MS = 168 * HOUR_MS;
/** A Monday, 00:00. */
const START_MS = Date.UTC(2026, 0, 5);

/** Ten weeks of a quantity that is ten times larger on Mondays at 09:00. */
function weekly(weeks: number): { scale: HourlyScale; values: Map<number, number> } {
  const scale = new HourlyScale();
  const values = new Map<number, number>();
  const random = createRandom(5);
  for (let hour = 0; hour < weeks * 168; hour++) {
    const usual = hour % 168 === 9 ? 10 : 1;
    const value = usual * (1 + 0.1 * random.normal());
    scale.add(START_MS + hour * HOUR_MS, value);
    values.set(START_MS + hour * HOUR_MS, value);
  }
  return { scale, values };
}

describe("HourlyScale", () => {
  it("scores against the median and the median deviation of the same hour of the week", () => {
    const { scale, values } = weekly(10);
    fc.assert(
      fc.property(fc.nat({ max: 167 }), fc.double({ min: 0, max: 12, noNaN: true }), (hour, value) => {
        const nowMs = START_MS + 10 * WEEK_MS + hour * HOUR_MS + 1_234;
        const same = Array.from({ length: 10 }, (_, w) =>
          values.get(START_MS + w * WEEK_MS + hour * HOUR_MS)!,
        );
        const median = quantileOfSorted(Float64Array.from(same).sort(), 0.5);
        const deviations = Float64Array.from(same, (v) => Math.abs(v - median)).sort();
        const raw = (value - median) / (1.4826 * quantileOfSorted(deviations, 0.5));
        expect(scale.sameHourScoreOf(value, nowMs)).toBeCloseTo(Math.max(-6, Math.min(6, raw)), 9);
        expect(scale.scoreOf(value, nowMs)).toBe(scale.sameHourScoreOf(value, nowMs));
      }),
    );
  });

  it("finds a Monday morning's 10 usual on a Monday morning and extreme an hour later", () => {
    const { scale } = weekly(10);
    const mondayMs = START_MS + 10 * WEEK_MS + 9 * HOUR_MS;

    expect(Math.abs(scale.scoreOf(10, mondayMs)!)).toBeLessThan(2);
    expect(scale.scoreOf(10, mondayMs + HOUR_MS)).toBe(6);
  });

  it("compares with all hours until the hour of the week was seen for 60 days", () => {
    const { scale } = weekly(8);
    const young = weekly(7).scale;
    const mondayMs = START_MS + 8 * WEEK_MS + 9 * HOUR_MS;

    expect(Math.abs(scale.scoreOf(10, mondayMs)!)).toBeLessThan(2);
    expect(young.sameHourScoreOf(10, mondayMs)).toBeNull();
    expect(young.scoreOf(10, mondayMs)).toBe(6);
  });

  it("knows nothing in its first two days, nor of what never varies", () => {
    const scale = new HourlyScale();
    for (let hour = 0; hour < 47; hour++) scale.add(START_MS + hour * HOUR_MS, hour);
    expect(scale.scoreOf(1, START_MS + 47 * HOUR_MS)).toBeNull();
    scale.add(START_MS + 47 * HOUR_MS, 47);
    expect(scale.scoreOf(100, START_MS + 48 * HOUR_MS)).toBeGreaterThan(2);

    const constant = new HourlyScale();
    for (let hour = 0; hour < 3_000; hour++) constant.add(START_MS + hour * HOUR_MS, 1);
    expect(constant.scoreOf(2, START_MS + 3_000 * HOUR_MS)).toBeNull();
  });

  it("forgets what is older than 90 days, whether or not anything came since", () => {
    const { scale } = weekly(10);

    expect(scale.scoreOf(1, START_MS + (90 + 69) * 24 * HOUR_MS)).toBeNull();
    expect(scale.scoreOf(1, START_MS + (90 + 60) * 24 * HOUR_MS)).not.toBeNull();
  });

  it("scores after 130 days as if the first forty had never been", () => {
    const { scale, values } = weekly(19);
    const endMs = START_MS + 19 * WEEK_MS;
    const recent = new HourlyScale();
    for (const [hourMs, value] of values) if (hourMs >= endMs - 91 * 24 * HOUR_MS) recent.add(hourMs, value);

    for (let hour = 0; hour < 168; hour++) {
      const score = scale.scoreOf(1.05, endMs + hour * HOUR_MS);
      expect(score).not.toBeNull();
      expect(score).toBe(recent.scoreOf(1.05, endMs + hour * HOUR_MS));
    }
  });

  it("takes a new value into the hour's score at once", () => {
    const { scale } = weekly(10);
    const nowMs = START_MS + 10 * WEEK_MS + 9 * HOUR_MS;
    const before = scale.scoreOf(9, nowMs);
    scale.add(nowMs, 9);
    expect(scale.scoreOf(9, nowMs)).not.toBe(before);
  });

  it("takes no hour twice, none out of order and nothing that is not a number", () => {
    const { scale } = weekly(10);
    const nowMs = START_MS + 10 * WEEK_MS + 9 * HOUR_MS;
    const before = scale.scoreOf(9, nowMs);

    scale.add(START_MS + 9 * HOUR_MS, 1e9);
    scale.add(START_MS + 10 * WEEK_MS, Number.NaN);

    expect(scale.scoreOf(9, nowMs)).toBe(before);

    // The newest hour again.
    const sundayMs = START_MS + 11 * WEEK_MS - HOUR_MS;
    const beforeSunday = scale.scoreOf(1.1, sundayMs);
    scale.add(START_MS + 10 * WEEK_MS - HOUR_MS, 1e9);
    expect(scale.scoreOf(1.1, sundayMs)).toBe(beforeSunday);
  });
});
