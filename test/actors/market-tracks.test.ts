import { describe, expect, it } from "vitest";
import type { AssetState } from "../../src/actors/asset-state.ts";
import { BookTrack } from "../../src/actors/book-track.ts";
import { HourRecorder, type WatchedMoment } from "../../src/actors/hour-recorder.ts";
import { MarketActor } from "../../src/actors/market-actor.ts";
import { marketVolatilityScore } from "../../src/actors/market-volatility.ts";
import { OpenInterestTrack } from "../../src/actors/open-interest-track.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { type LearnedHour, LEARNED_HOURS_MAX } from "../../src/domain/learned-hour.ts";
import { assetContext, evenBook } from "../support/builders.ts";

// Mutants killed by hand: the last open interest of an hour, or that of the earlier run, for its largest; an hour of before mixed into this one; a cap
// of before over one seen now; a cap learned of nothing, or the first for good; hours without a book restored, or the running one wrongly averaged; an hour that is over not counted; the least traded for the market; a market that fails for good.

const HOUR_START_MS = Date.UTC(2026, 0, 5);

describe("HourRecorder", () => {
  it("keeps the largest open interest and the last cap of an hour", () => {
    const recorder = new HourRecorder();
    for (const [i, openInterestUsd] of [1e8, 3e8, 2e8].entries()) {
      recorder.observe(moment({ openInterestUsd, learnedCapUsd: i === 2 ? 5e8 : null }), HOUR_START_MS + i);
    }
    expect(recorder.openHour).toMatchObject({ samples: 3, openInterestMaxUsd: 3e8, learnedCapUsd: 5e8 });
  });

  it("keeps the means of what was seen, and NaN of what never was", () => {
    const recorder = new HourRecorder();
    const seen = { openInterestFall: null, thinness50Bps: -12, fundingSize: 3e-5 };
    recorder.observe(moment({ depth100BpsUsd: null, spreadFraction: 0.25, ...seen }), HOUR_START_MS);
    recorder.observe(moment({ depth100BpsUsd: 4e6, spreadFraction: 0.75, ...seen }), HOUR_START_MS + 1);
    expect(recorder.openHour).toEqual({
      hourStartMs: HOUR_START_MS,
      samples: 2,
      spreadFraction: 0.5,
      depth100BpsUsd: 4e6,
      thinness50Bps: -12,
      openInterestFall: Number.NaN,
      fundingSize: 3e-5,
      openInterestMaxUsd: 1e8,
      learnedCapUsd: Number.NaN,
    });
  });

  it("goes on with the hour that an earlier run began: the larger of both, and the cap seen in this run", () => {
    const recorder = new HourRecorder();
    recorder.observe(moment({ openInterestUsd: 1e8, learnedCapUsd: 4e8 }), HOUR_START_MS);
    recorder.resume(hour({ openInterestMaxUsd: 2e8, learnedCapUsd: 9e8 }));
    expect(recorder.openHour).toMatchObject({ samples: 11, openInterestMaxUsd: 2e8, learnedCapUsd: 4e8 });
    // One moment of this run and ten of the earlier one.
    expect(recorder.openHour!.spreadFraction).toBeCloseTo((1e-4 + 10 * 2e-4) / 11, 15);

    const capless = new HourRecorder();
    capless.observe(moment({}), HOUR_START_MS);
    capless.resume(hour({ learnedCapUsd: 9e8 }));
    expect(capless.openHour).toMatchObject({ learnedCapUsd: 9e8 });
  });

  it("knows of an hour that two runs saw what one would have, whichever saw more", () => {
    const seenBefore = [
      moment({ fundingSize: 2, openInterestUsd: 300 }),
      moment({ fundingSize: 4, openInterestUsd: 100 }),
    ];
    for (const openInterestUsd of [200, 400]) {
      const last = moment({ fundingSize: 9, openInterestUsd });
      const recorder = recorderOf([last]);
      recorder.resume(recorderOf(seenBefore).openHour!);
      expect(recorder.openHour).toEqual(recorderOf([...seenBefore, last]).openHour);
    }
  });

  it("closes an hour by a later one only: a clock that is set back opens none again", () => {
    const recorder = new HourRecorder();
    recorder.observe(moment({}), HOUR_START_MS);
    expect(recorder.observe(moment({}), HOUR_START_MS - 1)).toBeNull();
    expect(recorder.openHour).toMatchObject({ hourStartMs: HOUR_START_MS, samples: 2 });
    expect(recorder.observe(moment({}), HOUR_START_MS + HOUR_MS)).toMatchObject({ samples: 2 });
  });

  it("takes nothing from another hour", () => {
    const recorder = new HourRecorder();
    recorder.observe(moment({}), HOUR_START_MS);
    const before = recorder.openHour;
    recorder.resume(hour({ hourStartMs: HOUR_START_MS - HOUR_MS }));
    expect(recorder.openHour).toEqual(before);
  });
});

describe("OpenInterestTrack", () => {
  it("believes the cap that it has seen in this run over one of before", () => {
    const track = new OpenInterestTrack(assetContext({ openInterestBase: 1_000, markPrice: 100 }));
    track.reportCap(true);
    track.reportCap(false);
    track.restore([hour({ learnedCapUsd: 9e9 })], HOUR_START_MS);
    expect(track.learnedCapUsd).toBe(100_000);
  });

  it("believes the cap that it was at last, be it lower than one before", () => {
    const at = (openInterestBase: number) => assetContext({ openInterestBase, markPrice: 100 });
    const track = new OpenInterestTrack(at(1_000));
    track.reportCap(true);
    track.reportCap(false);
    track.update(at(600), HOUR_START_MS);
    expect(track.learnedCapUsd).toBe(100_000);
    track.reportCap(true);
    expect(track.learnedCapUsd).toBe(60_000);
    expect(track.facts.capUsd).toBe(60_000);
  });

  it("remembers that a cap was raised when the open interest has fallen again", () => {
    const at = (openInterestBase: number) => assetContext({ openInterestBase, markPrice: 100 });
    const track = new OpenInterestTrack(at(1_000));
    track.reportCap(true);
    track.reportCap(false);
    track.update(at(1_200), HOUR_START_MS);
    track.update(at(900), HOUR_START_MS);

    expect(track.facts.capUsd).toBeCloseTo(1.05 * 120_000, 6);
    expect(track.learnedCapUsd).toBe(track.facts.capUsd);
  });

  it("reckons a cap from the most that any run has seen", () => {
    const context = assetContext({ openInterestBase: 1_000, markPrice: 100, volume24hUsd: 0 });
    const track = new OpenInterestTrack(context);
    const alone = track.facts.capUsd;
    track.restore([hour({ openInterestMaxUsd: 500_000 })], HOUR_START_MS);
    expect(track.facts.capUsd).toBe(5 * alone);
    track.update({ ...context, openInterestBase: 10_000 }, HOUR_START_MS);
    track.update(context, HOUR_START_MS);
    expect(track.facts.capUsd).toBe(10 * alone);
  });

  it("reckons a cap from 90 days, as a start does, however long ago it saw more", () => {
    const at = (openInterestBase: number) =>
      assetContext({ openInterestBase, markPrice: 100, volume24hUsd: 0 });
    const hours = Array.from({ length: LEARNED_HOURS_MAX + 2 }, (_, i) =>
      hour({ hourStartMs: HOUR_START_MS + i * HOUR_MS, openInterestMaxUsd: i === 0 ? 500_000 : 100_000 }),
    );
    const track = new OpenInterestTrack(at(1_000));
    const watch = ({ hourStartMs, openInterestMaxUsd }: LearnedHour): void =>
      track.update(at(openInterestMaxUsd / 100), hourStartMs);

    hours.slice(0, -1).forEach(watch);
    expect(track.facts.capUsd).toBe(1e6);
    watch(hours.at(-1)!);

    const started = new OpenInterestTrack(at(1_000));
    started.restore(hours.slice(1), hours.at(-1)!.hourStartMs);
    expect(track.facts).toEqual(started.facts);
    expect(track.facts.capUsd).toBe(200_000);
  });

  it("learns no cap while it knows of no open interest", () => {
    const track = new OpenInterestTrack(null);
    const none = { openInterestUsd: 0, isAtCap: false, capUsd: 0, utilizationFraction: 0 };
    expect(track.facts).toEqual(none);
    track.reportCap(true);
    expect(track.learnedCapUsd).toBeNull();
    track.update(assetContext({ openInterestBase: 1_000, markPrice: 100 }), HOUR_START_MS);
    expect(track.learnedCapUsd).toBe(100_000);
  });
});

describe("BookTrack", () => {
  it("takes the mean of the first hour so far for usual, not its first book, which lacks the deeper views", () => {
    const track = new BookTrack();
    const keep = (levelUsd: number, look: number): void => {
      track.keep(evenBook(100, 20, 0.002, levelUsd), HOUR_START_MS + look, HOUR_START_MS + look, true);
    };
    keep(1_000, 0);
    for (let look = 1; look <= 99; look++) keep(10_000, look);

    // 99 books ten times as deep as the first: now is 10 / 9.91 of the mean.
    expect(track.depthRatio).toBeCloseTo(10 / 9.91, 12);
    expect(track.statistics?.observedHours).toBe(1);
  });

  it("counts every hour that is over, and nothing of the later ones before their end", () => {
    const track = new BookTrack();
    const keep = (levelUsd: number, timeMs: number): number => {
      track.keep(evenBook(100, 20, 0.002, levelUsd), timeMs, timeMs, true);
      return track.statistics!.observedHours;
    };
    keep(1_000, HOUR_START_MS);
    expect(keep(50_000, HOUR_START_MS + HOUR_MS)).toBe(1);
    expect(track.depthRatio).toBeCloseTo(50, 9);
    const usual = track.statistics;
    keep(50_000, HOUR_START_MS + HOUR_MS + 1);
    expect(track.statistics).toBe(usual);
    expect(keep(1_000, HOUR_START_MS + 2 * HOUR_MS)).toBe(2);
  });

  it("counts the hours that earlier runs saw a book in, and what it has seen of one once it is over", () => {
    const track = new BookTrack();
    for (let look = 0; look < 3; look++)
      track.keep(evenBook(100), HOUR_START_MS + look, HOUR_START_MS + look, true);
    const { spreadFraction, depth100BpsUsd } = track.depth!;
    const before = [
      { spreadFraction: 3e-4, depth100BpsUsd: depth100BpsUsd / 2 },
      { spreadFraction: Number.NaN, depth100BpsUsd: 1e6 },
      { spreadFraction: 3e-4, depth100BpsUsd: Number.NaN },
      { spreadFraction: 5e-4, depth100BpsUsd: 2 * depth100BpsUsd },
    ];

    track.restore(
      before.map((seen, i) => hour({ ...seen, hourStartMs: HOUR_START_MS - (before.length - i) * HOUR_MS })),
    );

    expect(track.statistics!.observedHours).toBe(2);
    const nextMs = HOUR_START_MS + HOUR_MS;
    track.keep(evenBook(100, 20, 0.002, 1), nextMs, nextMs, true);
    const statistics = track.statistics!;
    expect(statistics.observedHours).toBe(3);
    expect(statistics.meanSpreadFraction).toBeCloseTo((3e-4 + 5e-4 + spreadFraction) / 3, 12);
    expect(statistics.medianSpreadFraction).toBe(3e-4);
    expect(statistics.medianDepthUsd).toBeCloseTo(depth100BpsUsd, 6);
  });
});

describe("marketVolatilityScore", () => {
  it("is the mean over the twenty most traded assets that are listed", () => {
    const twenty = Array.from({ length: 20 }, (_, i) => asset(1e9 + i, i % 2));
    const states = [asset(1, 100), asset(9e9, 100, true), ...twenty];
    expect(marketVolatilityScore(states)).toBe(0.5);
    expect(marketVolatilityScore([asset(1, null)])).toBeNull();
  });
});

describe("MarketActor", () => {
  it("begins anew after an error, and says what went wrong", () => {
    const errors: unknown[] = [];
    const market = new MarketActor((error) => errors.push(error));
    expect(market.tally({ liveVolumeShare: 1, silenceMs: 0 })).toBe("ready");

    market.tally(null as never);
    expect(errors).toHaveLength(1);
    expect(market.tally({ liveVolumeShare: 0, silenceMs: 0 })).toBe("starting");
    expect(market.tally({ liveVolumeShare: 1, silenceMs: 0 })).toBe("ready");
    market.stop();
  });
});

function recorderOf(moments: readonly WatchedMoment[]): HourRecorder {
  const recorder = new HourRecorder();
  for (const each of moments) recorder.observe(each, HOUR_START_MS);
  return recorder;
}

function moment(changes: Partial<WatchedMoment>): WatchedMoment {
  return {
    spreadFraction: 1e-4,
    depth100BpsUsd: 1e6,
    thinness50Bps: -13,
    openInterestFall: 0,
    fundingSize: 1e-5,
    openInterestUsd: 1e8,
    learnedCapUsd: null,
    ...changes,
  };
}

function hour(changes: Partial<LearnedHour>): LearnedHour {
  return {
    hourStartMs: HOUR_START_MS,
    samples: 10,
    spreadFraction: 2e-4,
    depth100BpsUsd: 2e6,
    thinness50Bps: -14,
    openInterestFall: 0.1,
    fundingSize: 2e-5,
    openInterestMaxUsd: 5e7,
    learnedCapUsd: Number.NaN,
    ...changes,
  };
}

function asset(volume24hUsd: number, volatilityScore: number | null, isDelisted = false): AssetState {
  const known: unknown = {
    listing: { isDelisted },
    context: { volume24hUsd },
    volatility: { volatilityScore },
  };
  return known as AssetState;
}
