import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SheetRowTrack } from "../../src/actors/sheet-row-track.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { OrderBook } from "../../src/domain/book.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import {
  assetContext,
  assetListing,
  BTC,
  ETH,
  evenBook,
  NOW_MS,
  position,
  walletState,
} from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import {
  BARS,
  bookOf,
  contextOf,
  DRAWN,
  fit,
  FITTED,
  listed,
  historyOf,
  registryAt,
  type RegistryBench,
  SCRATCH,
  warmUp,
  learnedHour,
} from "../support/registry-bench.ts";

// Mutants killed by hand: a changed lifecycle published when the period is over; tails not rescaled; a bar that comes
// twice folded twice; publication not conflated; a held back change never published; a failing asset taking another with it; the restart without its bars; gap bars after
// the fit not caught up; the regime never updated; the alarm over the sigma that the crash raised; the alarm gone with the
// hour; an alarm looked at each second; stale assets without a model left out; hours of any age restored; books of earlier runs mixed into the running hour;
// a changed listing held back; a delisted asset counted as close-only.

describe("AssetRegistry", () => {
  it("publishes a whole view that is live once history, models and a frame are there", () => {
    const setup = registryAt();
    const { published } = setup;
    warmUp(setup);

    const last = published.at(-1)!;
    expect(last.lifecycle).toBe("live");
    for (const part of ["book", "bookStatistics", "volatility", "tails", "drawdown", "sheetRow"] as const) {
      expect(last[part]).not.toBeNull();
    }
    expect(last.historyHours).toBe(900);
    expect(last.volatility?.model).toBe("range-garch");
    expect(published.map(({ sequence }) => sequence)).toEqual(published.map((_, i) => i + 1));
  });

  it("publishes a burst at most once a period, the newest of it last", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    clock.nowMs += 1_000;
    registry.publishDue();
    published.length = 0;
    clock.nowMs += 1_000;

    for (let i = 1; i <= 50; i++) {
      clock.nowMs += 1;
      registry.handle(contextOf(100_000 + i, clock.nowMs));
    }
    expect(published.map(({ context }) => context.markPrice)).toEqual([100_001]);
    clock.nowMs += 60;
    registry.publishDue();

    expect(published.map(({ context }) => context.markPrice)).toEqual([100_001, 100_050]);
  });

  it("counts an asset as what it was last published as, whatever comes and how soon", () => {
    const steps: Readonly<Record<string, (bench: RegistryBench) => void>> = {
      history: ({ registry }) => registry.handle(historyOf(BARS.slice(-30))),
      model: ({ registry }) => registry.acceptModel(BTC, null),
      book: ({ registry, clock }) => registry.handle(bookOf(clock.nowMs)),
      context: ({ registry, clock }) => registry.handle(contextOf(100_000, clock.nowMs)),
      loss: ({ registry }) => registry.handle({ type: "feed.lost", ticker: BTC }),
      failure: ({ registry }) => registry.handle({ ...bookOf(NOW_MS), book: { midPrice: 1 } as never }),
      delisting: ({ registry }) => registry.handle({ ...listed(), type: "asset.delisted" } as MarketEvent),
      listing: ({ registry }) => registry.handle(listed()),
      sweep: ({ registry }) => registry.sweep(),
      moment: ({ clock }) => (clock.nowMs += 40),
      age: ({ clock }) => (clock.nowMs += 11_000),
    };
    const begin = ["listing", "history", "model", "book", "context"];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 60, size: "max" }),
        (names) => {
          const bench = registryAt();
          for (const name of [...begin, ...names]) {
            steps[name]!(bench);
            if (bench.restarts.at(-1)?.endsWith("true") === true) return;
            expect(bench.registry.counts()[bench.published.at(-1)!.lifecycle]).toBe(1);
          }
        },
      ),
    );
  });

  it("keeps the parts that an event does not touch: they are not computed again", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    clock.nowMs += 1_000;
    registry.publishDue();
    const before = published.at(-1)!;
    clock.nowMs += 1_000;

    registry.handle(contextOf(101_000, clock.nowMs));

    const after = published.at(-1)!;
    expect(after.context.markPrice).toBe(101_000);
    const slow = ["volatility", "tails", "stressShocks", "marginSchedule", "funding", "book"] as const;
    for (const part of slow) expect(after[part]).toBe(before[part]);
  });

  it("publishes at once that its listing has changed, and counts it as close-only while it is listed", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    clock.nowMs += 1_000;
    const listing = assetListing({ isCloseOnly: true });

    registry.handle({ type: "listing.changed", ticker: BTC, listing });
    expect(published.at(-1)?.listing).toBe(listing);
    expect(registry.counts().closeOnly).toBe(1);

    registry.handle({ type: "asset.delisted", ticker: BTC, listing: { ...listing, isDelisted: true } });
    expect(registry.counts()).toMatchObject({ delisted: 1, closeOnly: 0 });
  });

  it("goes stale with its feed, and with its age, until a new frame comes", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    clock.nowMs += 200;

    registry.handle({ type: "feed.lost", ticker: BTC });
    expect(published.at(-1)?.lifecycle).toBe("stale");
    clock.nowMs += 200;
    registry.handle(bookOf(clock.nowMs));
    expect(published.at(-1)?.lifecycle).toBe("live");

    clock.nowMs += 10_001;
    registry.sweep();
    expect(published.at(-1)?.lifecycle).toBe("stale");
    clock.nowMs += 200;
    registry.handle(bookOf(clock.nowMs));
    expect(published.at(-1)?.lifecycle).toBe("stale");
    registry.handle(contextOf(100_000, clock.nowMs));
    clock.nowMs += 200;
    registry.handle(bookOf(clock.nowMs));
    expect(published.at(-1)?.lifecycle).toBe("live");
    expect(registry.counts()).toEqual({
      listed: 0,
      warming: 0,
      live: 1,
      stale: 0,
      delisted: 0,
      withoutModel: 0,
      closeOnly: 0,
    });
  });

  it("raises sigma and VaR within the hour of a crash, and never lowers them before the close", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    const calm = published.at(-1)!;
    clock.nowMs += 200;

    const last = BARS.at(-1)!;
    const crash = { ...last, openTimeMs: last.openTimeMs + HOUR_MS, open: last.close, high: last.close };
    registry.handle({
      type: "bar.updated",
      ticker: BTC,
      bar: { ...crash, low: last.close * 0.96, close: last.close * 0.965 },
    });

    const now = published.at(-1)!;
    expect(now.volatility!.sigmaDay).toBeGreaterThan(1.1 * calm.volatility!.sigmaDay);
    expect(now.tails!.long.horizons[2]!.var99).toBeGreaterThan(1.1 * calm.tails!.long.horizons[2]!.var99);
    // The joint scenarios stand at the same sigma: a portfolio of this asset moves by as much.
    expect(now.sheetDay!.longVar99 / calm.sheetDay!.longVar99).toBeCloseTo(
      now.tails!.long.horizons[2]!.var99 / calm.tails!.long.horizons[2]!.var99,
      1,
    );
    expect(now.sheetDay!.sigmaRatio).toBeCloseTo(now.volatility!.sigmaDay / calm.volatility!.sigmaDay, 12);
  });

  it("takes the move since before this machine slept for no crash: the regime waits until the time is known", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    registry.restore(BTC, [], null);
    const { close } = BARS.at(-1)!;
    registry.handle(contextOf(close, clock.nowMs));
    registry.sweep();
    clock.nowMs += 1_000;
    registry.publishDue();
    const before = published.at(-1)!.liquidityRegime!;

    // The price of hours later, by a market clock that has not heard of them.
    clock.nowMs += 1_000;
    registry.handle(contextOf(close * 0.94, clock.nowMs));
    clock.nowMs += 11_000;
    clock.isKnown = false;
    registry.sweep();
    clock.nowMs += 1_000;
    registry.publishDue();

    expect(published.at(-1)!.context.markPrice).toBe(close * 0.94);
    expect(published.at(-1)!.liquidityRegime).toEqual(before);
    clock.nowMs += 1_000;
    clock.isKnown = true;
    registry.sweep();
    expect(published.at(-1)!.liquidityRegime!.probability.normal).toBe(0);
  });

  it("takes no moment before an outage for the hours of it: what is too old to be answered by is not measured", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    registry.restore(BTC, [], null);
    const { close } = BARS.at(-1)!;
    const thin = evenBook(close, 1, 0.0005, 1_000);
    const watch = (book: OrderBook, times: number): void => {
      for (let i = 0; i < times; i++) {
        clock.nowMs += 10_000;
        registry.handle(contextOf(close, clock.nowMs));
        registry.handle({ ...bookOf(clock.nowMs), book });
        registry.sweep();
        clock.nowMs += 200;
        registry.publishDue();
      }
    };
    watch(evenBook(close), 100);
    watch(thin, 1);
    expect(published.at(-1)!.liquidityRegime!.probability.normal).toBe(0);
    registry.handle({ type: "feed.lost", ticker: BTC });
    for (let minute = 0; minute < 24 * 60; minute++) {
      clock.nowMs += 60_000;
      registry.sweep();
    }
    watch(evenBook(close), 1);

    // As it is after a day of which nothing is known.
    const { normal } = published.at(-1)!.liquidityRegime!.probability;
    expect(normal).toBeGreaterThan(0.5);
  });

  it("is not stressed for hours by a moment in which its book and its mark cannot both be its own", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    registry.restore(BTC, [], null);
    const { close } = BARS.at(-1)!;
    const look = (book: OrderBook, markPrice: number): void => {
      clock.nowMs += 10_000;
      registry.handle(contextOf(markPrice, clock.nowMs));
      registry.handle({ ...bookOf(clock.nowMs), book });
      registry.sweep();
    };
    for (let i = 0; i < 100; i++) look(evenBook(close), close);
    const { normal } = published.at(-1)!.liquidityRegime!.probability;

    look(evenBook(close / 400, 20, 0.0005, 1_000), close);
    look(evenBook(close), 1.5 * close);
    look(evenBook(close), close);

    expect(published.at(-1)!.liquidityRegime!.probability.normal).toBeGreaterThanOrEqual(normal);
  });

  it("is stressed by a crash inside the hour whose own sigma would hide it, and for the hour after", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    registry.restore(BTC, [], null);
    const last = BARS.at(-1)!;
    registry.handle(contextOf(last.close, clock.nowMs));
    registry.sweep();
    const price = last.close * 0.94;
    const crash = { ...last, openTimeMs: last.openTimeMs + HOUR_MS, open: last.close, high: last.close };
    const bar = { ...crash, low: price, close: price };
    registry.handle({ type: "bar.updated", ticker: BTC, bar });
    const { volatility } = registry.stateOf(BTC)!;
    // Over the sigma that the crash itself has raised it would be no alarm.
    expect(Math.abs(Math.log(0.94)) / volatility.facts!.sigmaHour).toBeLessThan(6);
    expect(volatility.returnInSigmas(price, clock.nowMs)).toBeLessThan(-6);

    // Not once in ten seconds: at the first look after the price has come.
    clock.nowMs += 1_000;
    registry.sweep();
    expect(published.at(-1)!.liquidityRegime!.probability.normal).toBeGreaterThan(0);
    registry.handle(contextOf(price, clock.nowMs));
    clock.nowMs += 1_000;
    registry.sweep();
    expect(published.at(-1)!.liquidityRegime!.probability.normal).toBe(0);

    // Seen once, it waits its turn again: a look a second would weigh the minutes of an alarm ten times in what is usual.
    const looks = (): number => registry.takeLearned(true).get(BTC)!.at(-1)!.samples;
    const looksBefore = looks();
    for (let second = 1; second <= 9; second++) {
      clock.nowMs += 1_000;
      registry.handle(contextOf(price, clock.nowMs));
      registry.sweep();
    }
    expect(looks()).toBe(looksBefore);
    clock.nowMs += 1_000;
    registry.sweep();
    expect(looks()).toBe(looksBefore + 1);

    registry.handle({ type: "bar.closed", ticker: BTC, bar });
    expect(volatility.returnInSigmas(price, clock.nowMs)).toBeLessThan(-6);
    registry.handle({
      type: "bar.closed",
      ticker: BTC,
      bar: { ...bar, openTimeMs: bar.openTimeMs + HOUR_MS, open: price, high: price * 1.001, low: price },
    });
    expect(Math.abs(volatility.returnInSigmas(price, clock.nowMs))).toBeLessThan(6);
  });

  it("knows after a restart what an earlier run learned, as far as it is not too old", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    registry.handle(listed());
    registry.handle(bookOf(clock.nowMs));
    const hours = Array.from({ length: 200 }, (_, i) =>
      learnedHour(200 - i, i === 50 ? { learnedCapUsd: 8e9 } : i === 100 ? { learnedCapUsd: 7e9 } : {}),
    );
    const remembered = [
      learnedHour(2_161, { learnedCapUsd: 9e9, openInterestMaxUsd: 1e12 }),
      learnedHour(721, {}),
      ...hours,
    ];
    registry.restore(BTC, remembered, null);
    clock.nowMs += 200;
    registry.publishDue();

    const { bookStatistics, openInterest } = published.at(-1)!;
    // The hour of a month ago is out.
    expect(bookStatistics!.observedHours).toBe(200);
    expect(bookStatistics!.medianDepthUsd).toBe(1e6);
    expect(bookStatistics!.spreadFactor99).not.toBeNull();
    expect(openInterest.capUsd).toBe(7e9);
    expect(registry.takeLearned(true).get(BTC)).toEqual([]);
  });

  it("ends in the same state bar by bar as by one fit over all of them", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup, BARS.slice(0, 880), fit(BARS.slice(0, 880)));
    const whole = fit(BARS.slice(0, 880));
    for (const bar of BARS.slice(880)) registry.handle({ type: "bar.closed", ticker: BTC, bar });
    registry.handle({ type: "bar.closed", ticker: BTC, bar: BARS.at(-1)! });
    clock.nowMs += 200;
    registry.publishDue();
    const byBar = published.at(-1)!;

    const late = registryAt();
    warmUp(late, BARS, whole);
    const atOnce = late.published.at(-1)!;

    // The regime's hysteresis remembers the way; every number must not.
    expect({ ...byBar.volatility, regime: null }).toEqual({ ...atOnce.volatility, regime: null });
    expect(byBar.tails).toEqual(atOnce.tails);
    expect(byBar.drawdown).toEqual(atOnce.drawdown);
    expect(byBar.historyHours).toBe(900);
  });

  it("starts a failing asset anew from its bars and leaves the others alone", () => {
    const setup = registryAt();
    const { registry, published, restarts } = setup;
    warmUp(setup);
    registry.handle(listed(ETH));
    const eth = published.findLast(({ listing }) => listing.ticker === ETH);

    registry.handle({ ...bookOf(NOW_MS), book: { midPrice: 1 } as never });

    expect(restarts).toEqual([`${BTC} false`]);
    expect(registry.stateOf(BTC)?.volatility.bars.length).toBe(900);
    expect(published.findLast(({ listing }) => listing.ticker === ETH)).toBe(eth);
    expect(registry.counts()).toMatchObject({ listed: 1, warming: 1 });
  });

  it("knows what polls told before the listing, at once and again after a restart", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    registry.handle({ type: "cap.reported", ticker: BTC, isAtCap: true });
    registry.handle({ type: "funding.predicted", ticker: BTC, cexRatesHourly: [2e-5] });
    const known = (): unknown => {
      clock.nowMs += 200;
      registry.publishDue();
      const { openInterest, funding } = published.at(-1)!;
      return [openInterest.isAtCap, funding.cexRatio];
    };

    warmUp(setup);
    expect(known()).toEqual([true, 0.625]);
    registry.handle({ ...bookOf(clock.nowMs), book: { midPrice: 1 } as never });
    expect(setup.restarts).toEqual([`${BTC} false`]);
    expect(known()).toEqual([true, 0.625]);
    registry.handle({ type: "cap.reported", ticker: BTC, isAtCap: false });
    expect(known()).toEqual([false, 0.625]);
  });

  it("can close, and open nothing, at the book's mid while no context could be read", async () => {
    const { registry, published, clock } = registryAt();
    registry.handle({ type: "asset.listed", ticker: BTC, listing: assetListing(), context: null });
    expect(published).toEqual([]);
    registry.handle(historyOf(BARS));
    registry.acceptModel(BTC, FITTED);
    registry.acceptTails(BTC, DRAWN.rows[0]!, new SheetRowTrack(DRAWN.sheet, 0, SCRATCH));
    clock.nowMs += 200;
    registry.handle(bookOf(clock.nowMs));
    registry.sweep();
    const unread = published.at(-1)!;
    expect([unread.lifecycle, unread.context.markPrice]).toEqual(["warming", 100_000]);

    const account = walletState(50_000, [position({ ticker: BTC, sizeBase: 0.1 })]);
    const deps = handlerDeps({ account, views: [] });
    deps.snapshots.accept({ type: "asset.published", snapshot: unread });
    const trade = { asset: BTC, size: 1_000, wallet: account.wallet };
    expect(await handleValidate({ ...trade, action: "long" }, "id", deps)).toEqual({
      ok: false,
      error: {
        code: "market_unavailable",
        asset: BTC,
        detail: "no mark price has been received",
      },
    });
    const exit = await handleValidate({ ...trade, action: "close" }, "id", deps);
    expect(exit).toMatchObject({ ok: true, value: { assessment: { markPrice: 100_000 } } });

    clock.nowMs += 200;
    registry.handle(contextOf(100_100, clock.nowMs));
    clock.nowMs += 200;
    registry.handle(bookOf(clock.nowMs));
    expect(published.at(-1)).toMatchObject({ lifecycle: "live", context: { markPrice: 100_100 } });
  });

  it("gives an asset up that fails again and again", () => {
    const setup = registryAt();
    const { registry, restarts } = setup;
    warmUp(setup);

    for (let i = 0; i < 8; i++) registry.handle({ ...bookOf(NOW_MS), book: { midPrice: 1 } as never });

    expect(restarts).toHaveLength(6);
    expect(restarts.at(-1)).toBe(`${BTC} true`);
    expect(registry.stateOf(BTC)).toBeUndefined();
  });

  it("ignores facts about assets that were never listed", () => {
    const { registry, published } = registryAt();

    registry.handle(bookOf(NOW_MS));

    expect(published).toEqual([]);
  });

  it("goes live without a model when there is too little history for any, and is counted while it has none", () => {
    const { registry, published, clock } = registryAt();
    registry.handle(listed());
    registry.handle(historyOf([]));
    registry.acceptModel(BTC, null);
    expect(registry.counts()).toMatchObject({ warming: 1, withoutModel: 0 });
    clock.nowMs += 200;
    registry.handle(bookOf(clock.nowMs));
    expect(registry.counts()).toMatchObject({ live: 1, withoutModel: 1 });

    expect(published.at(-1)).toMatchObject({
      lifecycle: "live",
      volatility: null,
      tails: null,
      isNewListing: true,
    });
    registry.handle({ type: "feed.lost", ticker: BTC });
    expect(registry.counts()).toMatchObject({ live: 0, stale: 1, withoutModel: 1 });
    registry.acceptModel(BTC, FITTED);
    expect(registry.counts()).toMatchObject({ stale: 1, withoutModel: 0 });
  });

  it("counts live volume, and a regime after the first sweep that knows what earlier runs learned", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    registry.handle({
      ...listed(ETH),
      context: assetContext({ volume24hUsd: 1_000_000_000 }),
    } as MarketEvent);
    clock.nowMs += 200;
    registry.sweep();

    expect(registry.liveVolumeShare()).toBeCloseTo(0.75, 12);
    const regimeNow = () => published.findLast(({ listing }) => listing.ticker === BTC)!.liquidityRegime;
    expect(regimeNow()).toBeNull();
    registry.restore(BTC, [], { timeMs: clock.nowMs - 1_000, state: "crisis", posterior: [0, 0.1, 0.9] });
    clock.nowMs += 1_000;
    registry.sweep();
    const regime = regimeNow()!;
    expect(regime.state).toBe("crisis");
    expect(regime.probability.normal + regime.probability.stressed + regime.probability.crisis).toBeCloseTo(
      1,
      12,
    );
  });
});
