import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { falseDiscoveryFlags } from "../../../src/risk/backtest/false-discovery.ts";
import {
  coverageByDate,
  type DateCoverage,
  pooledCoverage,
} from "../../../src/risk/backtest/pooled-coverage.ts";
import type { Interval } from "../../../src/risk/backtest/wilson-interval.ts";
import { studentTQuantile } from "../../../src/math/student-t.ts";
import { createRandom } from "../../../src/math/random.ts";
import "../../support/property.ts";

// Mutants that these kill: dates one by one instead of weeks; forecasts instead of dates; blocks that stop at the end, or of six
// days; the smaller design effect; none of the 95 % breaches; no t; no factor for few dates; a lower bound with a breach more;
// rank instead of rank + 1; the first rank that passes instead of the last.

const DAY_MS = 86_400_000;

function record(
  breaches99On: (day: number) => number,
  { days = 364, observations = 20, breaches95On = breaches99On } = {},
): DateCoverage[] {
  return Array.from({ length: days }, (_, day) => ({
    timeMs: day * DAY_MS,
    observations,
    breaches95: breaches95On(day),
    breaches99: breaches99On(day),
  }));
}

describe("pooledCoverage", () => {
  it("says nothing of a few dates", () => {
    expect(pooledCoverage(record(() => 0, { days: 59 }))).toBeNull();
  });

  it("takes a date for one forecast where nothing was breached", () => {
    // 60 dates of one kind each, (z / t)² of them for 60/7 − 1 degrees of freedom: 1 − high to that power is 2.5 %.
    const { rate, interval } = pooledCoverage(record(() => 0, { days: 60 }))!;
    const worth = 60 * (1.959964 / studentTQuantile(0.975, 60 / 7 - 1)) ** 2;

    expect([rate, interval.low]).toEqual([0, 0]);
    expect((1 - interval.high) ** worth).toBeCloseTo(0.025, 6);
    expect(pooledCoverage(record(() => 20))!.interval.high).toBe(1);
  });

  it("is the exact interval of as many forecasts as there are, less Student's part, where breaches are spread evenly", () => {
    // Four breaches every week: weeks do not vary, and the design effect is the least there is.
    const { interval, rate, observations } = pooledCoverage(
      record((day) => (day % 7 === 3 ? 4 : 0), { days: 70 }),
    )!;
    const worth = observations * (1.959964 / studentTQuantile(0.975, 9)) ** 2;

    expect(rate).toBeCloseTo(4 / 140, 12);
    // The tails of Beta(x, n − x + 1) and Beta(x + 1, n − x), added up the slow way.
    expect(betaShareBelow(interval.low, rate * worth, worth - rate * worth + 1)).toBeCloseTo(0.025, 4);
    expect(betaShareBelow(interval.high, rate * worth + 1, worth - rate * worth)).toBeCloseTo(0.975, 4);
  });

  it("covers many independent dates as the normal approximation does", () => {
    const random = createRandom(7);
    const days = record(() => (random.uniform() < 0.2 ? 20 : 0), { days: 7000 });
    const { rate, interval } = pooledCoverage(days)!;
    const deviation = Math.sqrt((rate * (1 - rate)) / days.length);

    expect((interval.high - interval.low) / (2 * 1.96 * deviation)).toBeCloseTo(1, 1);
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

  it("learns from the breaches at 95 % how breaches come together, and from those at 99 % where they do so more", () => {
    const even = (day: number): number => (day % 7 === 3 ? 2 : 0);
    const together = (day: number): number => (day % 91 === 3 ? 20 : 0);
    const widthOf = (breaches99On: typeof even, breaches95On: typeof even): number => {
      const { interval } = pooledCoverage(record(breaches99On, { breaches95On }))!;
      return interval.high - interval.low;
    };

    expect(widthOf(even, together)).toBeGreaterThan(2 * widthOf(even, even));
    expect(widthOf(together, even)).toBe(widthOf(together, together));
  });

  it("gives the last date and the first no other weight than those between", () => {
    const intervalOf = (breachDay: number): Interval =>
      pooledCoverage(record((day) => (day === breachDay ? 10 : 0), { days: 70 }))!.interval;

    expect(intervalOf(69).high).toBeCloseTo(intervalOf(35).high, 12);
    expect(intervalOf(0).low).toBeCloseTo(intervalOf(35).low, 12);
  });

  it("learns nothing from a second asset that moves with the first", () => {
    const one = record((day) => (day % 20 === 3 ? 2 : 0), { days: 200, observations: 2 });

    const both = pooledCoverage(coverageByDate([one, one, one]))!;

    expect(both.observations).toBe(1200);
    expect(both.rate).toBe(pooledCoverage(one)!.rate);
    expect(both.interval.low).toBeCloseTo(pooledCoverage(one)!.interval.low, 12);
    expect(both.interval.high).toBeCloseTo(pooledCoverage(one)!.interval.high, 12);
  });

  it("holds the rate, within 0 to 1, whatever was breached", () => {
    const date = fc.record({
      observations: fc.integer({ min: 1, max: 9 }),
      at95: fc.nat(9),
      at99: fc.nat(9),
    });
    fc.assert(
      fc.property(fc.array(date, { minLength: 60, maxLength: 90, size: "max" }), (dates) => {
        const days = dates.map(({ observations, at95, at99 }, i) => ({
          timeMs: i * DAY_MS,
          observations,
          breaches95: Math.min(observations, at95),
          breaches99: Math.min(observations, at95, at99),
        }));
        const { rate, interval } = pooledCoverage(days)!;

        expect(interval.low).toBeGreaterThanOrEqual(0);
        expect(interval.low).toBeLessThanOrEqual(rate);
        expect(interval.high).toBeGreaterThanOrEqual(rate);
        expect(interval.high).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("puts the dates of several records together in their order", () => {
    const early = record(() => 1, { days: 2, observations: 2 });
    const late = record(() => 2, { days: 3, observations: 4, breaches95On: () => 3 }).slice(1);

    expect(coverageByDate([late, early])).toEqual([
      { timeMs: 0, observations: 2, breaches95: 1, breaches99: 1 },
      { timeMs: DAY_MS, observations: 6, breaches95: 4, breaches99: 3 },
      { timeMs: 2 * DAY_MS, observations: 4, breaches95: 3, breaches99: 2 },
    ]);
  });
});

/** The share of Beta(a, b) below x, by the midpoint rule. */
function betaShareBelow(x: number, a: number, b: number): number {
  const steps = 400_000;
  let below = 0;
  let all = 0;
  for (let step = 0; step < steps; step++) {
    const at = (step + 0.5) / steps;
    const weight = Math.exp((a - 1) * Math.log(at) + (b - 1) * Math.log1p(-at));
    all += weight;
    if (at < x) below += weight;
  }
  return below / all;
}

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
