import { describe, expect, it } from "vitest";
import { AssetState } from "../../src/actors/asset-state.ts";
import { HourlyScale } from "../../src/actors/hourly-scale.ts";
import { SheetRowTrack } from "../../src/actors/sheet-row-track.ts";
import type { AssetListing } from "../../src/domain/asset.ts";
import { barColumnsOf, barsFrom } from "../../src/domain/bar-columns.ts";
import { type Bar, BARS_KEPT, DAY_MS, HOUR_MS } from "../../src/domain/bar.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import type { LearnedHour } from "../../src/domain/learned-hour.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import { horizonIndex } from "../../src/risk/scenarios/horizon.ts";
import { buildStressShocks } from "../../src/risk/stress/stress-shocks.ts";
import { logSigmaRatioOf } from "../../src/risk/volatility/volatility-model.ts";
import { barWalk } from "../support/bar-walk.ts";
import { assetContext, assetListing, BTC, evenBook, NOW_MS } from "../support/builders.ts";
import { BARS, DRAWN, fit, FITTED, historyOf, SCRATCH } from "../support/registry-bench.ts";

// Mutants killed by hand: the margin tiers, the stress or the listing of before kept; a drawdown folded over bars it
// knows; a book that is gone still measured; the whole spread as its half; bars without an end; later bars not caught up
// with; a drawdown that never forgets; one of another price; usual sigmas of two models mixed, or of the fit alone; no alarm over what happened before the start;
// what earlier runs learned, or the settlements of a history, left out; a tail's beta not stressed; another hour's seasonal factor; a day's drift not kept.

describe("AssetState", () => {
  it("follows its listing: margin, stress and whether it is delisted", () => {
    const small = tickerOf("SMALL");
    const before = assetListing({ ticker: small, maxLeverage: 40 });
    const state = new AssetState(before, assetContext());
    const changed: AssetListing = {
      ...before,
      maxLeverage: 3,
      marginTiers: [{ notionalLowerUsd: 0, maxLeverage: 3 }],
    };
    const asNew = new AssetState(changed, assetContext()).view();
    expect(state.view().stressShocks).not.toEqual(asNew.stressShocks);

    state.apply({ type: "listing.changed", ticker: small, listing: changed }, NOW_MS);
    expect(state.view()).toEqual(asNew);

    const delisted = { ...changed, isDelisted: true };
    state.apply({ type: "asset.delisted", ticker: small, listing: delisted }, NOW_MS);
    expect(state.view().listing).toBe(delisted);
    // Young, and yet no new listing: nobody is to be warned of what cannot be opened.
    const young = historyOf(BARS.slice(-10));
    state.apply(young, NOW_MS);
    const listedAgain = new AssetState(changed, assetContext());
    listedAgain.apply(young, NOW_MS);
    expect([listedAgain.view().isNewListing, state.view().isNewListing]).toEqual([true, false]);
  });

  it("is no new listing before its history shows it", () => {
    const state = new AssetState(assetListing(), assetContext());
    expect(state.view().isNewListing).toBe(false);
    state.apply({ ...historyOf(BARS.slice(0, 10)), reachesNow: false }, NOW_MS);
    expect(state.view().isNewListing).toBe(false);
    expect(state.apply(historyOf([]), NOW_MS)).toBe(true);
    expect(state.view().isNewListing).toBe(true);
  });

  it("is no new listing from two weeks of history on", () => {
    const state = new AssetState(assetListing(), assetContext());
    const isNewWith = (hours: number): boolean => {
      state.apply(historyOf(BARS.slice(-hours)), NOW_MS);
      return state.view().isNewListing;
    };
    expect([isNewWith(335), isNewWith(336)]).toEqual([true, false]);
  });

  it("takes a history that comes in parts, over one another, for one history", () => {
    const inParts = new AssetState(assetListing(), assetContext());
    for (const part of [BARS.slice(600), BARS.slice(300, 700), BARS]) inParts.apply(historyOf(part), NOW_MS);
    const atOnce = new AssetState(assetListing(), assetContext());
    atOnce.apply(historyOf(BARS), NOW_MS);

    expect(inParts.view()).toEqual(atOnce.view());
    expect(inParts.view().historyHours).toBe(900);
  });

  it("takes no bar twice, and none that is older than its newest", () => {
    const state = new AssetState(assetListing(), assetContext());
    state.apply(historyOf(BARS), NOW_MS);
    const before = state.view();

    for (const bar of BARS.slice(-2)) {
      expect(state.apply({ type: "bar.closed", ticker: BTC, bar }, NOW_MS)).toBe(false);
    }
    expect(state.view()).toEqual(before);
  });

  it("is priced by its book, whatever a history says that comes later", () => {
    const state = new AssetState(assetListing(), null);
    expect(state.context.isPriced).toBe(false);
    state.apply(bookOf(100_000), NOW_MS);
    state.apply(historyOf(BARS.slice(0, 100)), NOW_MS);
    expect(state.view().context.markPrice).toBe(100_000);
  });

  it("is priced by the last close of its history where nothing else named a price", () => {
    const state = new AssetState(assetListing(), null);
    state.apply(historyOf([]), NOW_MS);
    expect(state.context.isPriced).toBe(false);
    state.apply(historyOf(BARS.slice(0, 100)), NOW_MS);
    expect(state.context.isPriced).toBe(true);
    expect(state.view().context.markPrice).toBe(BARS[99]!.close);
  });

  it("goes on with what an earlier run learned: the most that was open, and the hour under way", () => {
    const before = new AssetState(assetListing(), assetContext({ openInterestBase: 60_000 }));
    before.restore([], null, NOW_MS);
    before.apply(bookOf(100_000), NOW_MS);
    before.updateRegime(null, NOW_MS);
    before.apply(
      { type: "context.updated", ticker: BTC, context: assetContext({ openInterestBase: 25_000 }) },
      NOW_MS,
    );
    const learned = before.takeLearned(true);
    const after = new AssetState(assetListing(), assetContext({ openInterestBase: 25_000 }));

    after.restore(learned, null, NOW_MS + 1);

    expect(after.view().openInterest).toEqual(before.view().openInterest);
    expect(after.view().openInterest.capUsd).not.toBe(
      new AssetState(assetListing(), assetContext({ openInterestBase: 25_000 })).view().openInterest.capUsd,
    );
    expect(learned).toHaveLength(1);
    expect(after.takeLearned(true)).toEqual(learned);
  });

  it("learns nothing of hours to come, which a market whose time began anew has kept of its last run", () => {
    const ahead = new AssetState(assetListing(), assetContext({ openInterestBase: 60_000 }));
    ahead.restore([], null, NOW_MS + DAY_MS);
    ahead.apply(bookOf(100_000), NOW_MS + DAY_MS);
    ahead.updateRegime(null, NOW_MS + DAY_MS);
    const restored = (hours: readonly LearnedHour[]): AssetState => {
      const state = new AssetState(assetListing(), assetContext({ openInterestBase: 25_000 }));
      state.restore(hours, null, NOW_MS);
      state.apply(bookOf(100_000), NOW_MS);
      state.updateRegime(null, NOW_MS);
      return state;
    };

    const state = restored(ahead.takeLearned(true));

    expect(state.view()).toEqual(restored([]).view());
    expect(state.takeLearned(true)).toEqual(restored([]).takeLearned(true));
  });

  it("measures half of the spread, and learns nothing of a book that has no two sides any more", () => {
    const state = new AssetState(assetListing(), assetContext());
    expect(state.halfSpreadFraction).toBeNull();
    state.apply(bookOf(100_000), NOW_MS);
    expect(state.halfSpreadFraction).toBeCloseTo(0.0001, 9);

    state.restore([], null, NOW_MS);
    state.apply(
      { type: "book.updated", ticker: BTC, book: null, arrivedAtMs: NOW_MS, isWhole: true },
      NOW_MS,
    );
    state.updateRegime(null, NOW_MS);

    const [hour] = state.takeLearned(true);
    expect([hour!.spreadFraction, hour!.depth100BpsUsd, hour!.thinness50Bps]).toEqual([NaN, NaN, NaN]);
  });

  it("is alarmed by a book that has become thin, not by one that is cut off", () => {
    const state = new AssetState(assetListing(), assetContext());
    state.restore([], null, NOW_MS);
    for (let look = 0; look < 10; look++) state.apply(bookOf(100_000), NOW_MS);
    state.updateRegime(null, NOW_MS);
    const isAlarmedBy = (isWhole: boolean): boolean => {
      const book = evenBook(100_000, 1);
      state.apply({ type: "book.updated", ticker: BTC, book, arrivedAtMs: NOW_MS, isWhole }, NOW_MS);
      return state.isNewlyAlarmed(NOW_MS);
    };

    expect([isAlarmedBy(false), isAlarmedBy(true)]).toEqual([false, true]);
  });

  it("is priced by the mark that it was listed with", () => {
    expect(new AssetState(assetListing(), assetContext()).context.isPriced).toBe(true);
  });

  it("is stressed by what its tail has shown, and again as before when that is not known any more", () => {
    const listing = assetListing({ ticker: tickerOf("SMALL") });
    const state = new AssetState(listing, assetContext());
    for (const tailBeta of [1.7, 2.4, null]) {
      state.acceptRow(new SheetRowTrack(DRAWN.sheet, 0, SCRATCH), tailBeta);
      expect(state.view().stressShocks).toEqual(buildStressShocks(listing, tailBeta));
    }
    expect(buildStressShocks(listing, 2.4)).not.toEqual(buildStressShocks(listing, 1.7));
  });

  it("takes the settlements of its history to its funding", () => {
    const state = new AssetState(assetListing(), assetContext());
    const settlements = [1, 2, 3].map((hoursBack) => ({
      timeMs: NOW_MS - hoursBack * HOUR_MS,
      rateHourly: 3e-5,
      premiumFraction: null,
    }));
    state.apply(historyOf([], settlements), NOW_MS);
    expect(state.view().funding.historyHours).toBe(3);
    expect(state.settlements.map(({ rateHourly }) => rateHourly)).toEqual([3e-5, 3e-5, 3e-5]);
  });

  it("counts a settlement of the hour to its funding at once", () => {
    const state = new AssetState(assetListing(), assetContext());
    const settlement = { timeMs: NOW_MS, rateHourly: 3e-5, premiumFraction: null };
    state.apply({ type: "funding.settled", ticker: BTC, settlement }, NOW_MS);
    expect(state.view().funding.historyHours).toBe(1);
  });

  it("does not let the estimate of an hour undo the exact rate of it, which undoes the estimate", () => {
    const ratesAfter = (...events: readonly Parameters<AssetState["apply"]>[0][]): readonly number[] => {
      const state = new AssetState(assetListing(), assetContext());
      for (const event of events) state.apply(event, NOW_MS);
      return state.settlements.map(({ rateHourly }) => rateHourly);
    };
    const exact = historyOf([], [{ timeMs: NOW_MS + 80, rateHourly: 3e-5, premiumFraction: 1e-4 }]);
    const settlement = { timeMs: NOW_MS, rateHourly: 4e-5, premiumFraction: null };
    const estimate = { type: "funding.settled", ticker: BTC, settlement } as const;

    expect(ratesAfter(exact, estimate)).toEqual([3e-5]);
    expect(ratesAfter(estimate, exact)).toEqual([3e-5]);
  });

  it("knows nothing of its funding without settlements, which is not that it is as usual", () => {
    const normalWith = (hours: number): number => {
      const state = new AssetState(assetListing(), assetContext());
      state.restore([], null, NOW_MS);
      const { fundingRateHourly: rateHourly } = assetContext();
      for (let hour = 0; hour < hours; hour++) {
        const settlement = { timeMs: NOW_MS - hour * HOUR_MS, rateHourly, premiumFraction: null };
        state.apply({ type: "funding.settled", ticker: BTC, settlement }, NOW_MS);
      }
      state.updateRegime(3, NOW_MS);
      return state.view().liquidityRegime!.probability.normal;
    };

    expect(normalWith(0)).not.toBe(normalWith(48));
  });

  it("sees a crash in hours that are fetched after half a year of others", () => {
    const bars = barWalk(BARS_KEPT + 1, NOW_MS);
    const last = bars.at(-1)!;
    const low = last.open / 2;
    const state = new AssetState(assetListing(), assetContext());
    state.apply(historyOf(bars.slice(0, BARS_KEPT)), NOW_MS);

    state.apply(historyOf([{ ...last, low, close: low }]), NOW_MS);

    const atOnce = new AssetState(assetListing(), assetContext());
    atOnce.apply(historyOf([...bars.slice(1, -1), { ...last, low, close: low }]), NOW_MS);
    expect(state.view().drawdown!.maxDrawdownFraction).toBeGreaterThanOrEqual(0.5);
    expect(state.view().drawdown).toEqual(atOnce.view().drawdown);
  });

  it("sees a crash of the running hour, and forgets it with the price; without a new price its facts stay the same", () => {
    const state = new AssetState(assetListing(), assetContext());
    state.apply(historyOf(BARS), NOW_MS);
    const price = (markPrice: number): void => {
      state.apply({ type: "context.updated", ticker: BTC, context: assetContext({ markPrice }) }, NOW_MS);
    };
    price(BARS.at(-1)!.close);
    const before = state.view().drawdown!;
    expect(state.view().drawdown).toBe(before);

    price(BARS.at(-1)!.close / 2);
    const crashed = state.view().drawdown!;
    const peak = Math.max(...BARS.map(({ close }) => close));
    expect(crashed.currentDrawdownFraction).toBeCloseTo(1 - BARS.at(-1)!.close / 2 / peak, 12);
    expect(crashed.maxDrawdownFraction).toBe(crashed.currentDrawdownFraction);

    price(BARS.at(-1)!.close);
    expect(state.view().drawdown).toEqual(before);
  });

  it("widens the trailing stop with the running hour, and never narrows it before the hour is over", () => {
    const state = new AssetState(assetListing(), assetContext());
    state.apply(historyOf(BARS), NOW_MS);
    const stop = (): number => state.view().drawdown!.trailingStopFraction;
    const { openTimeMs, close: open } = BARS.at(-1)!;
    const running = (hour: number, low: number): boolean => {
      const bar = {
        openTimeMs: openTimeMs + hour * HOUR_MS,
        open,
        high: open,
        low,
        close: open,
        volumeBase: 1,
      };
      return state.apply({ type: "bar.updated", ticker: BTC, bar }, NOW_MS);
    };
    const calm = stop();

    expect(running(1, open)).toBe(false);
    expect(stop()).toBe(calm);

    expect(running(1, 0.7 * open)).toBe(true);
    const { markPrice } = state.view().context;
    expect(stop() * markPrice).toBeCloseTo((calm * markPrice * 13 + 6 * 0.3 * open) / 14, 6);

    expect(running(0, 0.1 * open)).toBe(true);
    expect(stop()).toBe(calm);
  });

  it("forgets a crash that is as old as what a service that starts anew would read", () => {
    const bars = barWalk(BARS_KEPT + 2, NOW_MS);
    const [first] = bars;
    const peak = { ...first!, high: 10 * first!.high, close: 10 * first!.close };
    const state = new AssetState(assetListing(), assetContext());
    state.apply(historyOf([peak, ...bars.slice(1, BARS_KEPT)]), NOW_MS);
    const beforeFraction = state.view().drawdown!.maxDrawdownFraction;

    for (const bar of bars.slice(BARS_KEPT)) state.apply({ type: "bar.closed", ticker: BTC, bar }, NOW_MS);

    const anew = new AssetState(assetListing(), assetContext());
    anew.apply(historyOf(bars), NOW_MS);
    expect(state.view().drawdown).toEqual(anew.view().drawdown);
    expect(state.view().drawdown!.maxDrawdownFraction).toBeLessThan(beforeFraction);
  });

  it("has the bars that a service that starts anew would read, in bounded memory, however long it runs", () => {
    const bars = barWalk(BARS_KEPT + 2_200, NOW_MS);
    const state = new AssetState(assetListing(), assetContext());
    state.apply(historyOf(bars.slice(0, BARS_KEPT)), NOW_MS);
    let [mostBars, mostBytes] = [0, 0];
    for (const bar of bars.slice(BARS_KEPT)) {
      state.apply({ type: "bar.closed", ticker: BTC, bar }, NOW_MS);
      const { length, values } = state.volatility.bars;
      mostBars = Math.max(mostBars, length);
      mostBytes = Math.max(mostBytes, values.buffer.byteLength);
    }
    expect(mostBars).toBe(BARS_KEPT);
    expect(mostBytes).toBeLessThan((BARS_KEPT + 1_000) * 6 * Float64Array.BYTES_PER_ELEMENT);
    expect(barsFrom(state.volatility.bars)).toEqual(bars.slice(-BARS_KEPT));
  });
});

describe("VolatilityTrack", () => {
  it("stands after the newest bar, whether the model or the bars come first", () => {
    const { volatility } = new AssetState(assetListing(), assetContext());
    volatility.acceptModel(fit(BARS.slice(0, 880)));
    volatility.loadBars(barColumnsOf(BARS));
    expect(volatility.state!.openTimeMs).toBe(BARS.at(-1)!.openTimeMs);
  });

  it("compares sigma with what is usual by the model in force alone", () => {
    const other = {
      ...FITTED,
      logSigmaRatios: {
        hoursMs: FITTED.logSigmaRatios.hoursMs,
        values: FITTED.logSigmaRatios.values.map((value) => 2 * value + 0.5),
      },
    };
    const track = warm(BARS);
    const before = track.volatilityScore;
    track.acceptModel(other);
    const fresh = new AssetState(assetListing(), assetContext()).volatility;
    fresh.loadBars(barColumnsOf(BARS));
    fresh.acceptModel(other);

    expect(track.volatilityScore).toBe(fresh.volatilityScore);
    expect(track.volatilityScore).not.toBe(before);
  });

  it("compares sigma with what it was in the hours since the fit, too", () => {
    const fitted = fit(BARS.slice(0, 500));
    const { model, logSigmaRatios } = fitted;
    const track = new AssetState(assetListing(), assetContext()).volatility;
    track.acceptModel(fitted);
    const usual = new HourlyScale();
    logSigmaRatios.hoursMs.forEach((hourMs, i) => usual.add(hourMs, logSigmaRatios.values[i]!));

    for (const bar of BARS.slice(500)) {
      usual.add(bar.openTimeMs, logSigmaRatioOf(model, track.state!.varianceStep));
      track.closeBar(bar);
    }

    const { varianceStep, openTimeMs } = track.state!;
    const expected = usual.scoreOf(logSigmaRatioOf(model, varianceStep), openTimeMs + HOUR_MS);
    expect(expected).not.toBeNull();
    expect(track.volatilityScore).toBe(expected);
  });

  it("measures the running hour by what its own hour of the week is expected to bring", () => {
    const last = BARS.at(-1)!;
    const factors = Float64Array.from({ length: 168 }, (_, hour) => 0.5 + hour / 112);
    const model = { ...FITTED.model, seasonality: { factors } };
    const { volatility } = new AssetState(assetListing(), assetContext());
    volatility.loadBars(barColumnsOf(BARS));
    volatility.acceptModel({ ...FITTED, model });

    const runningMs = last.openTimeMs + HOUR_MS;
    const expected =
      Math.sqrt(volatility.state!.varianceStep) * factors[Math.floor(runningMs / HOUR_MS) % 168]!;
    expect(volatility.returnInSigmas(last.close * 0.5, runningMs)).toBeCloseTo(Math.log(0.5) / expected, 9);
  });

  it("says how far a day's sigma has come from that of its tails, as they are rescaled by it", () => {
    const { volatility } = new AssetState(assetListing(), assetContext());
    volatility.loadBars(barColumnsOf(BARS));
    volatility.acceptModel(FITTED);
    volatility.acceptTails(DRAWN.rows[0]!);
    expect(volatility.sigmaDayRatio).toBeCloseTo(1, 9);

    const last = BARS.at(-1)!;
    const close = last.close * 0.93;
    volatility.closeBar({
      ...last,
      openTimeMs: last.openTimeMs + HOUR_MS,
      open: last.close,
      low: close,
      close,
    });

    expect(volatility.sigmaDayRatio).toBeGreaterThan(1.05);
    expect(volatility.sigmaDayRatio).toBeCloseTo(volatility.rescaling[horizonIndex(24)]!, 12);
  });

  it("is alarmed by the hour that a history ends with, and by no move since a bar that is too old", () => {
    const last = BARS.at(-1)!;
    const low = last.open * 0.9;
    const crashed = [...BARS.slice(0, -1), { ...last, low, close: low }];
    const track = new AssetState(assetListing(), assetContext()).volatility;
    track.loadBars(barColumnsOf(crashed));
    track.acceptModel(fit(crashed));

    expect(track.returnInSigmas(low, last.openTimeMs + 1.5 * HOUR_MS)).toBeLessThan(-6);
    expect(track.returnInSigmas(low / 2, last.openTimeMs + 2.4 * HOUR_MS)).toBeLessThan(-6);
    expect(track.returnInSigmas(low / 2, last.openTimeMs + 2.6 * HOUR_MS)).toBe(0);
  });
});

describe("SheetRowTrack", () => {
  it("follows sigma up and down, and stays the same value while sigma does", () => {
    const row = new SheetRowTrack(DRAWN.sheet, 0, SCRATCH);
    const [raised, lowered] = [row.dayAt(1.3), row.dayAt(0.7)];
    expect([raised.sigmaRatio, lowered.sigmaRatio]).toEqual([1.3, 0.7]);
    expect(lowered.longVar99).toBeLessThan(raised.longVar99);
    expect(row.dayAt(0.7)).toBe(lowered);
  });
});

function warm(bars: readonly Bar[]): AssetState["volatility"] {
  const { volatility } = new AssetState(assetListing(), assetContext());
  volatility.loadBars(barColumnsOf(bars));
  volatility.acceptModel(FITTED);
  return volatility;
}

function bookOf(midPrice: number): MarketEvent {
  return { type: "book.updated", ticker: BTC, book: evenBook(midPrice), arrivedAtMs: NOW_MS, isWhole: true };
}
