import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HourlyMaximum } from "../../src/actors/hourly-maximum.ts";
import { HOUR_MS, hourStartMsOf } from "../../src/domain/bar.ts";
import { LEARNED_HOURS_MAX } from "../../src/domain/learned-hour.ts";
import "../support/property.ts";

// Mutants killed by hand: nothing forgotten; an hour forgotten too early; a smaller value of the same hour for its
// largest; a later larger one that does not take the place of what was before; what was seen before restored hours.

interface Watched {
  readonly timeMs: number;
  readonly value: number;
}

const START_MS = Date.UTC(2026, 0, 5);

/** Values in time, hours to months apart. */
const watched: fc.Arbitrary<readonly Watched[]> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: LEARNED_HOURS_MAX * 60 }), fc.nat(20)), { minLength: 1 })
  .map((steps) => {
    let timeMs = START_MS;
    return steps.map(([minutes, value]) => ({ timeMs: (timeMs += (minutes * HOUR_MS) / 120), value }));
  });

describe("HourlyMaximum", () => {
  it("is the largest of the hours that began in the last 90 days", () => {
    fc.assert(
      fc.property(watched, (all) => {
        const maximum = new HourlyMaximum();
        all.forEach(({ timeMs, value }, i) => {
          maximum.add(timeMs, value);
          expect(maximum.value).toBe(largest(all.slice(0, i + 1)));
        });
      }),
    );
  });

  it("goes on from the hours of an earlier run as if it had seen them", () => {
    fc.assert(
      fc.property(watched, fc.nat(100), (all, split) => {
        const before = all.slice(0, split % all.length);
        const maximum = new HourlyMaximum();
        for (const { timeMs, value } of all.slice(before.length)) maximum.add(timeMs, value);
        maximum.restore(before.map(({ timeMs, value }) => ({ hourStartMs: hourStartMsOf(timeMs), value })));
        maximum.add(all.at(-1)!.timeMs, 0);

        expect(maximum.value).toBe(largest(all));
      }),
    );
  });

  it("takes what comes by a clock that was set back for the newest hour's", () => {
    const maximum = new HourlyMaximum();
    maximum.add(START_MS, 1);
    maximum.add(START_MS - HOUR_MS, 2);
    maximum.add(START_MS + LEARNED_HOURS_MAX * HOUR_MS, 0);
    expect(maximum.value).toBe(2);
  });
});

/** By the newest time. */
function largest(all: readonly Watched[]): number {
  const oldestMs = all.at(-1)!.timeMs - LEARNED_HOURS_MAX * HOUR_MS;
  return Math.max(...all.filter(({ timeMs }) => hourStartMsOf(timeMs) >= oldestMs).map(({ value }) => value));
}
