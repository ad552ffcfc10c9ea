import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { falseDiscoveryFlags } from "../../../src/risk/backtest/false-discovery.ts";
import {
  coverageByDate,
  type DateCoverage,
  pooledCoverage,
} from "../../../src/risk/backtest/pooled-coverage.ts";
import { createRandom } from "../../../src/math/random.ts";
import "../../support/property.ts";

// Mutants that these kill: dates drawn one by one; forecasts drawn instead of dates; blocks that stop at the end, or of six days; rank
// instead of rank + 1; the first rank that passes instead of the last.

const DAY_MS = 86_400_000;

function record(breachesOn: (day: number) => number, days = 364, observations = 20): DateCoverage[] {
  return Array.from({ length: days }, (_, day) => ({
    timeMs: day * DAY_MS,
    observations,
    breaches: breachesOn(day),
  }));
}

describe("pooledCoverage", () => {
  it("says nothing of a few dates", () => {
    expect(pooledCoverage(record(() => 0, 59))).toBeNull();
    expect(pooledCoverage(record(() => 0, 60))).toMatchObject({ rate: 0, interval: { low: 0, high: 0 } });
  });

  it("covers independent dates as the normal approximation does", () => {
    const random = createRandom(7);
    const days = record(() => (random.uniform() < 0.2 ? 1 : 0));
    const pooled = pooledCoverage(days)!;
    const hits = days.reduce((sum, { breaches }) => sum + breaches, 0);
    const share = hits / days.length;
    const deviation = Math.sqrt((share * (1 - share)) / days.length) / 20;

    expect(pooled.rate).toBe(hits / (20 * days.length));
    const width = pooled.interval.high - pooled.interval.low;
    expect(width / (2 * 1.96 * deviation)).toBeGreaterThan(0.8);
    expect(width / (2 * 1.96 * deviation)).toBeLessThan(1.2);
  });

  it("is wider the more breaches fall on one day or one week", () => {
    const widthOf = (breachesOn: (day: number) => number): number => {
      const { interval, rate } = pooledCoverage(record(breachesOn))!;
      expect(rate).toBeCloseTo(0.01, 12);
      return interval.high - interval.low;
    };
    // 72.8 breaches in 364 days of 20 forecasts, placed so that all three have the same rate.
    const scattered = widthOf((day) => (day % 5 === 0 ? 72.8 / 73 : 0));
    const byDay = widthOf((day) => (day % 52 === 0 ? 10.4 : 0));
    const byWeek = widthOf((day) => (Math.floor(day / 7) % 26 === 0 ? 5.2 : 0));

    expect(byDay).toBeGreaterThan(1.5 * scattered);
    expect(byWeek).toBeGreaterThan(1.3 * byDay);
  });

  it("draws whole weeks: what comes once in each of them is certain", () => {
    const { rate, interval } = pooledCoverage(record((day) => (day % 7 === 3 ? 2 : 0)))!;

    expect(rate).toBeCloseTo(2 / 140, 12);
    expect(interval.low).toBeCloseTo(rate, 12);
    expect(interval.high).toBeCloseTo(rate, 12);
  });

  it("gives the last date and the first no other weight than those between", () => {
    const highOf = (breachDay: number): number =>
      pooledCoverage(record((day) => (day === breachDay ? 10 : 0), 70))!.interval.high;

    expect(highOf(69) / highOf(35)).toBeLessThan(1.5);
    expect(highOf(0) / highOf(35)).toBeGreaterThan(0.66);
  });

  it("learns nothing from a second asset that moves with the first", () => {
    const one = record((day) => (day % 20 === 3 ? 2 : 0), 200, 2);

    const both = pooledCoverage(coverageByDate([one, one, one]))!;

    expect(both.observations).toBe(1200);
    expect(both.rate).toBe(pooledCoverage(one)!.rate);
    expect(both.interval.low).toBeCloseTo(pooledCoverage(one)!.interval.low, 12);
    expect(both.interval.high).toBeCloseTo(pooledCoverage(one)!.interval.high, 12);
  });

  it("puts the dates of several records together in their order", () => {
    const early = record(() => 1, 2, 2);
    const late = record(() => 2, 3, 4).slice(1);

    expect(coverageByDate([late, early])).toEqual([
      { timeMs: 0, observations: 2, breaches: 1 },
      { timeMs: DAY_MS, observations: 6, breaches: 3 },
      { timeMs: 2 * DAY_MS, observations: 4, breaches: 2 },
    ]);
  });
});

describe("falseDiscoveryFlags", () => {
  it("agrees with the example of Benjamini and Hochberg (1995, section 3)", () => {
    const p = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
      0.759, 1,
    ];

    expect(falseDiscoveryFlags(p, 0.05).filter(Boolean)).toHaveLength(4);
    expect(falseDiscoveryFlags(p.toReversed(), 0.05).lastIndexOf(false)).toBe(10);
    // The ninth passes although the fifth to the eighth would not each: 0.0459 <= 0.1 × 9 / 15.
    expect(falseDiscoveryFlags(p, 0.1).filter(Boolean)).toHaveLength(9);
  });

  it("is one test when there is one, and nothing of nothing", () => {
    expect(falseDiscoveryFlags([0.1], 0.1)).toEqual([true]);
    expect(falseDiscoveryFlags([0.11], 0.1)).toEqual([false]);
    expect(falseDiscoveryFlags([], 0.1)).toEqual([]);
  });

  it("drops no flag when a p-value falls", () => {
    const probability = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(probability, { minLength: 1, maxLength: 20, size: "max" }),
        fc.nat(),
        probability,
        (p, at, factor) => {
          const place = at % p.length;
          const lower = p.with(place, p[place]! * factor);
          const before = falseDiscoveryFlags(p, 0.1);
          const after = falseDiscoveryFlags(lower, 0.1);

          expect(before.every((flag, i) => !flag || after[i]!)).toBe(true);
        },
      ),
    );
  });
});
