import { describe, expect, it } from "vitest";
import { type RegimeMeasurement, RegimeTrack } from "../../src/actors/regime-track.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { LearnedHour } from "../../src/domain/learned-hour.ts";
import { createRandom } from "../../src/math/random.ts";
import {
  initialLiquidityRegime,
  liquidityRegimeFacts,
  updateLiquidityRegime,
} from "../../src/risk/regime/liquidity-regime.ts";

// Mutants killed: hours not learned; funding without the least deviation; the running hour learned as if it were over;
// an hour under way not resumed, or resumed unweighted; unsaved hours given twice; funding scored against two days instead
// of its 30-day score; depth or open interest not learned; open interest sampled once for all; the first measurement taken
// for that of two days.

const START_MS = Date.UTC(2026, 0, 5);
const MINUTE_MS = 60_000;

describe("RegimeTrack", () => {
  it("gives each closed hour to be kept once, as the means of its moments", () => {
    const track = new RegimeTrack();
    for (let minute = 0; minute < 130; minute++) {
      track.update(measured({ spreadFraction: minute / 1e4 }), START_MS + minute * MINUTE_MS);
    }

    const [first, second, ...more] = track.takeUnsaved(false);
    expect(more).toEqual([]);
    expect([first!.hourStartMs, second!.hourStartMs]).toEqual([START_MS, START_MS + HOUR_MS]);
    expect(first!.spreadFraction).toBeCloseTo(29.5 / 1e4, 12);
    expect(second!.spreadFraction).toBeCloseTo(89.5 / 1e4, 12);
    expect(first).toMatchObject({ samples: 60, openInterestMaxUsd: 1e8, learnedCapUsd: 2e8 });
    expect(first!.thinness50Bps).toBeCloseTo(-Math.log(1e6), 12);
    // There is an hour of open interest only from its end on.
    expect(first!.openInterestFall).toBeNaN();
    expect(second!.openInterestFall).toBe(0);
    expect(track.takeUnsaved(false)).toEqual([]);
    expect(track.takeUnsaved(true)).toMatchObject([{ hourStartMs: START_MS + 2 * HOUR_MS, samples: 10 }]);
  });

  it("begins as if the first measurement stood for the hour before it", () => {
    const track = new RegimeTrack();
    const scores = { volatilityScore: 2, fundingScore: -3, marketVolatilityScore: 1 };
    track.update(measured(scores), START_MS);

    const known = { volatility: 2, funding: 3, marketVolatility: 1 };
    const features = { spread: null, depth: null, openInterest: null, ...known };
    const alarms = { returnInSigmas: 0, depthRatio: 1 };
    expect(track.facts).toEqual(
      liquidityRegimeFacts(updateLiquidityRegime(initialLiquidityRegime(), features, alarms, 1)),
    );
  });

  it("stands after a restart where it stood: same scores, same running hour", () => {
    const nowMs = START_MS + 70 * 24 * HOUR_MS + 30 * MINUTE_MS;
    const hours = learnedHours(70 * 24);
    const open = hours.at(-1)!;
    const begun = { ...open, hourStartMs: nowMs - 30 * MINUTE_MS, samples: 180, spreadFraction: 4e-4 };
    const track = new RegimeTrack();
    track.restore([...hours, begun], null, nowMs);

    track.update(measured({ spreadFraction: 10e-4 }), nowMs);
    const alone = new RegimeTrack();
    alone.update(measured({ spreadFraction: 10e-4 }), nowMs);

    // Twice the usual spread for the hour says something only to who knows what is usual.
    expect(track.facts!.probability.normal).toBeLessThan(alone.facts!.probability.normal);
    const [kept] = track.takeUnsaved(true);
    expect(kept!.samples).toBe(181);
    expect(kept!.spreadFraction).toBeCloseTo((180 * 4e-4 + 10e-4) / 181, 12);
  });

  it("goes on after a restart as if there had been none", () => {
    const first = new RegimeTrack();
    first.update(measured({ returnInSigmas: -7 }), START_MS);
    expect(first.facts!.state).toBe("stressed");
    const kept = first.kept!;
    const second = new RegimeTrack();
    second.restore([], kept, START_MS + 20 * MINUTE_MS);

    first.update(measured({}), START_MS + 20 * MINUTE_MS);
    second.update(measured({}), START_MS + 20 * MINUTE_MS);

    expect(second.facts!.state).toBe("stressed");
    expect(second.facts).toEqual(first.facts);
    expect(second.kept).toEqual(first.kept);
  });

  it("goes on after a restart by a clock that is behind, up to as far as two right ones differ", () => {
    const first = new RegimeTrack();
    first.update(measured({ returnInSigmas: -7 }), START_MS);
    const second = new RegimeTrack();
    second.restore([], first.kept, START_MS - 5 * MINUTE_MS);
    second.update(measured({}), START_MS - 5 * MINUTE_MS);

    expect(second.facts!.state).toBe("stressed");
    expect(second.facts!.probability).toEqual(first.facts!.probability);
  });

  it("begins as ever where the regime was left two days ago, at a time to come, or as none", () => {
    const begun = new RegimeTrack();
    begun.update(measured({}), START_MS);
    const left = { timeMs: START_MS, state: "crisis", posterior: [0, 0.1, 0.9] };
    for (const kept of [
      { ...left, timeMs: START_MS - 48 * HOUR_MS - 1 },
      { ...left, timeMs: START_MS + 5 * MINUTE_MS + 1 },
      { ...left, state: "calm" },
      { ...left, posterior: [0.1, 0.9] },
      { ...left, posterior: [-0.1, 0.2, 0.9] },
      { ...left, posterior: [0.2, 0.2, 0.2] },
      { ...left, posterior: [Number.NaN, 0.1, 0.9] },
    ]) {
      const track = new RegimeTrack();
      track.restore([], kept, START_MS);
      track.update(measured({}), START_MS);
      expect(track.facts).toEqual(begun.facts);
    }
    const track = new RegimeTrack();
    track.restore([], { ...left, timeMs: START_MS - 48 * HOUR_MS }, START_MS);
    track.update(measured({}), START_MS);
    expect(track.facts).not.toEqual(begun.facts);
  });

  it("is stressed at once by a return of more than six sigmas or nine tenths of the depth gone", () => {
    for (const alarm of [{ returnInSigmas: -6.1 }, { returnInSigmas: 6.1 }, { depthRatio: 0.09 }]) {
      const track = new RegimeTrack();
      track.update(measured({}), START_MS);
      expect(track.facts!.state).toBe("normal");
      track.update(measured(alarm), START_MS + 10_000);
      expect(track.facts!.state).not.toBe("normal");
      expect(track.facts!.probability.normal).toBe(0);
    }
    const track = new RegimeTrack();
    track.update(measured({ returnInSigmas: 5.9, depthRatio: 0.11 }), START_MS);
    expect(track.facts!.state).toBe("normal");
  });

  it("reads funding against its 30 days until the hour of the week is known", () => {
    const normalAfter = (days: number, fundingScore: number): number => {
      const track = new RegimeTrack();
      const timeMs = START_MS + days * 24 * HOUR_MS;
      track.restore(learnedHours(days * 24), null, timeMs);
      track.update(measured({ fundingRateHourly: 1e-5, fundingScore }), timeMs);
      return track.facts!.probability.normal;
    };

    expect(normalAfter(40, 6)).toBeLessThan(normalAfter(40, 0));
    expect(normalAfter(70, 6)).toBe(normalAfter(70, 0));
  });

  it("takes a move of funding that is nothing for nothing, where the same hours differ by as little as a rounding", () => {
    const normalAt = (fundingRateHourly: number): number => {
      const track = new RegimeTrack();
      const timeMs = START_MS + 70 * 24 * HOUR_MS;
      const hours = learnedHours(70 * 24).map((hour, i) => ({
        ...hour,
        fundingSize: 1.25e-5 * (1 + (Math.floor(i / 168) % 3) * Number.EPSILON),
      }));
      track.restore(hours, null, timeMs);
      track.update(measured({ fundingRateHourly }), timeMs);
      return track.facts!.probability.normal;
    };

    expect(normalAt(1.26e-5)).toBeCloseTo(normalAt(1.25e-5), 3);
    expect(normalAt(30e-5)).toBeLessThan(normalAt(1.25e-5) - 0.001);
  });

  it("learns what is usual from the hours that it sees close", () => {
    const normalAt = (spreadFraction: number): number => {
      const track = new RegimeTrack();
      const random = createRandom(4);
      const endMs = START_MS + 60 * HOUR_MS;
      for (let timeMs = START_MS; timeMs < endMs; timeMs += 30 * MINUTE_MS) {
        track.update(measured({ spreadFraction: 5e-4 * (1 + 0.05 * random.normal()) }), timeMs);
      }
      track.update(measured({ spreadFraction }), endMs);
      return track.facts!.probability.normal;
    };

    // Without hours to compare with neither would say anything.
    expect(normalAt(50e-4)).toBeLessThan(normalAt(5e-4));
  });

  it("comes back from an alarm with the time that passes, not with the number of looks", () => {
    const normalAfter = (stepMs: number): number => {
      const track = new RegimeTrack();
      track.update(measured({ returnInSigmas: -7 }), START_MS);
      for (let look = 1; look <= 10; look++) track.update(measured({}), START_MS + look * stepMs);
      return track.facts!.probability.normal;
    };
    expect(normalAfter(10_000)).toBeLessThan(normalAfter(HOUR_MS) - 0.1);
  });

  it("calls funding as unusual when shorts pay it as when longs do", () => {
    const normalAt = (fundingScore: number): number => {
      const track = new RegimeTrack();
      track.update(measured({ fundingScore }), START_MS);
      return track.facts!.probability.normal;
    };
    expect(normalAt(-8)).toBe(normalAt(8));
    expect(normalAt(-8)).toBeLessThan(normalAt(0));
  });

  it("takes the fall of open interest over an outage for no hour's, and knows the next an hour later", () => {
    const track = new RegimeTrack();
    const backMs = START_MS + 8 * HOUR_MS;
    const watch = (openInterestBase: number, fromMs: number, minutes: number): void => {
      for (let minute = 0; minute <= minutes; minute++) {
        track.update(measured({ openInterestBase }), fromMs + minute * MINUTE_MS);
      }
    };
    watch(1_000, START_MS, 119);
    watch(900, backMs, 59);
    watch(810, backMs + HOUR_MS, 0);

    const falls = track.takeUnsaved(true).map(({ openInterestFall }) => openInterestFall);
    expect(falls.slice(0, -1)).toEqual([Number.NaN, 0, Number.NaN]);
    expect(falls.at(-1)).toBeCloseTo(0.1, 12);
  });

  it("calls it a fall when open interest goes", () => {
    const track = new RegimeTrack();
    track.update(measured({ openInterestBase: 1_000 }), START_MS);
    track.update(measured({ openInterestBase: 900 }), START_MS + HOUR_MS);
    expect(track.takeUnsaved(true).at(-1)!.openInterestFall).toBeCloseTo(0.1, 12);
  });

  it("forgets a fall of open interest that is more than an hour ago, however seldom it looks", () => {
    for (const stepMs of [10_000, 2 * MINUTE_MS]) {
      const track = new RegimeTrack();
      for (let timeMs = START_MS; timeMs < START_MS + 4 * HOUR_MS; timeMs += stepMs) {
        const hasFallen = timeMs >= START_MS + 1.5 * HOUR_MS;
        track.update(measured({ openInterestBase: hasFallen ? 900 : 1_000 }), timeMs);
      }

      const falls = track.takeUnsaved(true).map(({ openInterestFall }) => openInterestFall);
      expect(falls[1]).toBeCloseTo(0.05, 2);
      expect(falls[2]).toBeCloseTo(0.05, 2);
      expect(falls[3]).toBe(0);
    }
  });

  it.each([
    ["a wide spread", { spreadFraction: 50e-4 }],
    ["a thin book", { depth50BpsUsd: 1e3 }],
    ["a fall of open interest", { openInterestBase: 700 }],
  ] as const)("finds %s unusual by the hours that it knows", (_what, moment) => {
    const normalAfter = (changes: Partial<RegimeMeasurement>): number => {
      const track = new RegimeTrack();
      const timeMs = START_MS + 70 * 24 * HOUR_MS;
      track.restore(learnedHours(70 * 24), null, timeMs);
      track.update(measured({}), timeMs);
      track.update(measured({ openInterestBase: 990, ...changes }), timeMs + HOUR_MS);
      return track.facts!.probability.normal;
    };

    expect(normalAfter(moment)).toBeLessThan(normalAfter({}));
  });
});

/** Hours like those that `measured` has, with a little noise. */
function learnedHours(count: number): LearnedHour[] {
  const random = createRandom(3);
  const about = (value: number): number => value * (1 + 0.05 * random.normal());
  return Array.from({ length: count }, (_, hour) => ({
    hourStartMs: START_MS + hour * HOUR_MS,
    samples: 360,
    spreadFraction: about(5e-4),
    depth100BpsUsd: about(2e6),
    thinness50Bps: about(-Math.log(1e6)),
    openInterestFall: about(0.01),
    fundingSize: about(1e-5),
    openInterestMaxUsd: 1e8,
    learnedCapUsd: Number.NaN,
  }));
}

function measured(overrides: Partial<RegimeMeasurement>): RegimeMeasurement {
  return {
    spreadFraction: 5e-4,
    depth50BpsUsd: 1e6,
    depth100BpsUsd: 2e6,
    openInterestBase: 1_000,
    openInterestUsd: 1e8,
    learnedCapUsd: 2e8,
    fundingRateHourly: 1e-5,
    fundingScore: 0,
    volatilityScore: 0,
    marketVolatilityScore: 0,
    returnInSigmas: 0,
    depthRatio: 1,
    ...overrides,
  };
}
