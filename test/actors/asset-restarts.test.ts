import { describe, expect, it, vi } from "vitest";
import { SheetRowTrack } from "../../src/actors/sheet-row-track.ts";
import { HOUR_MS, hourStartMsOf } from "../../src/domain/bar.ts";
import { assetContext, assetListing, BTC, ETH, NOW_MS } from "../support/builders.ts";
import {
  BARS,
  bookOf,
  contextOf,
  DRAWN,
  FITTED,
  listed,
  historyOf,
  registryAt,
  type RegistryBench,
  SCRATCH,
  warmUp,
  learnedHour,
} from "../support/registry-bench.ts";

// Mutants killed by hand: failures of any age counted; numbered from 1 again after a failure; what is delisted published
// for ever and counted as volume that is not live; live with a model but without tails, or the other way round; what was learned not published;
// the regime looked at with every sweep, or seldom; what a failed asset learned not handed over, or not its open hour.

describe("an asset that fails", () => {
  it("is given up for more than five failures within an hour, not for as many in a day", () => {
    const setup = registryAt();
    warmUp(setup);
    for (let hour = 0; hour < 4; hour++) {
      for (let failure = 0; failure < 5; failure++) fail(setup);
      setup.clock.nowMs += HOUR_MS;
    }
    expect(setup.restarts).toEqual(Array.from({ length: 20 }, () => `${BTC} false`));
  });

  it("goes on with its month of settlements, which are not fetched again", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    const settlements = Array.from({ length: 720 }, (_, i) => ({
      timeMs: NOW_MS - (719 - i) * HOUR_MS,
      rateHourly: 1e-5 * Math.sin(i),
      premiumFraction: null,
    }));
    registry.handle(historyOf([], settlements));
    clock.nowMs += 200;
    registry.publishDue();
    const before = published.at(-1)!.funding;
    expect(before.historyHours).toBe(720);

    fail(setup);
    clock.nowMs += 200;
    registry.publishDue();

    expect(published.at(-1)!.funding).toEqual(before);
  });

  it("hands over what it learned and nobody has taken, the hour under way included, also when it is given up", () => {
    const setup = registryAt();
    const { registry, rescued, clock } = setup;
    warmUp(setup);
    const hourStartMs = hourStartMsOf(clock.nowMs);
    const watch = (fromMs: number): void => {
      registry.restore(BTC, [], null);
      for (let i = 0; i < 3; i++) {
        clock.nowMs = fromMs + i * 10_000;
        registry.handle(bookOf(clock.nowMs));
        registry.handle(contextOf(100_000, clock.nowMs));
        registry.sweep();
      }
    };
    watch(clock.nowMs);
    watch(hourStartMs + HOUR_MS);

    fail(setup);
    expect(rescued).toMatchObject([
      [
        { hourStartMs, samples: 3 },
        { hourStartMs: hourStartMs + HOUR_MS, samples: 3 },
      ],
    ]);
    for (let failure = 0; failure < 4; failure++) fail(setup);
    watch(clock.nowMs);
    fail(setup);
    expect(setup.restarts.at(-1)).toBe(`${BTC} true`);
    expect(rescued.at(-1)).toMatchObject([{ hourStartMs: hourStartMs + HOUR_MS, samples: 3 }]);
  });

  it("is live again with its model and its tails, whichever come first", () => {
    const tailsOf = ({ registry }: RegistryBench): void =>
      registry.acceptTails(BTC, DRAWN.rows[0]!, new SheetRowTrack(DRAWN.sheet, 0, SCRATCH));
    const modelOf = ({ registry }: RegistryBench): void => registry.acceptModel(BTC, FITTED);
    for (const [first, second] of [
      [modelOf, tailsOf],
      [tailsOf, modelOf],
    ] as const) {
      const setup = registryAt();
      warmUp(setup);
      fail(setup);
      setup.registry.handle(bookOf(setup.clock.nowMs));

      first(setup);
      expect(setup.published.at(-1)!.lifecycle).toBe("warming");
      second(setup);

      const { lifecycle, volatility, tails } = setup.published.at(-1)!;
      expect([lifecycle, volatility === null, tails === null]).toEqual(["live", false, false]);
    }
  });

  it("begins anew also when it fails at handing over what it learned", () => {
    const setup = registryAt();
    warmUp(setup);
    vi.spyOn(setup.registry.stateOf(BTC)!, "takeLearned").mockImplementation(() => {
      throw new TypeError("broken");
    });

    fail(setup);

    expect(setup.rescued).toEqual([[]]);
    expect(setup.registry.stateOf(BTC)?.volatility.bars.length).toBe(BARS.length);
  });

  it("begins anew also when it is its lifecycle that fails, which throws at nobody", () => {
    const setup = registryAt();
    const { registry, clock, restarts } = setup;
    warmUp(setup);
    registry.handle({ type: "feed.lost", ticker: BTC });
    const failing = registry.stateOf(BTC)!;
    vi.spyOn(failing, "bookArrivedAtMs", "get").mockImplementationOnce(() => {
      throw new TypeError("broken");
    });

    registry.handle(bookOf(clock.nowMs));

    expect(restarts).toEqual([`${BTC} false`]);
    expect(registry.stateOf(BTC)).not.toBe(failing);
    expect(registry.counts()).toMatchObject({ warming: 1, stale: 0 });
  });

  it("is published no more as it was before its lifecycle failed", () => {
    const setup = registryAt();
    const { registry, clock, published } = setup;
    warmUp(setup);
    clock.nowMs += 200;
    registry.handle({ type: "feed.lost", ticker: BTC });
    clock.nowMs += 200;
    vi.spyOn(registry.stateOf(BTC)!, "bookArrivedAtMs", "get").mockImplementationOnce(() => {
      throw new TypeError("broken");
    });

    registry.handle(bookOf(clock.nowMs));

    expect(setup.restarts).toEqual([`${BTC} false`]);
    expect(published.map(({ sequence }) => sequence)).toEqual(published.map((_, i) => i + 1));
    // The book is one of those that went with the failed state.
    expect(published.at(-1)).toMatchObject({ lifecycle: "warming", book: null });
  });

  it("goes on counting its publications, so that the newest is told from the older ones", () => {
    const setup = registryAt();
    const { published, registry, clock } = setup;
    warmUp(setup);
    const before = published.at(-1)!.sequence;

    fail(setup);
    clock.nowMs += 200;
    registry.publishDue();

    const after = published.filter(({ sequence }) => sequence > before);
    expect(after.length).toBeGreaterThan(0);
    expect(published.map(({ sequence }) => sequence)).toEqual(published.map((_, i) => i + 1));
  });
});

describe("a delisted asset", () => {
  it("is published once more and then no more, and is no part of the volume that is to be live", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    registry.handle({ ...listed(ETH), context: assetContext({ volume24hUsd: 9e9 }) } as never);
    registry.handle({
      type: "asset.delisted",
      ticker: ETH,
      listing: assetListing({ ticker: ETH, isDelisted: true }),
    });
    clock.nowMs += 200;
    registry.publishDue();
    const eth = () => published.filter(({ listing }) => listing.ticker === ETH);
    expect(eth().at(-1)).toMatchObject({ lifecycle: "delisted", listing: { isDelisted: true } });
    expect(registry.liveVolumeShare()).toBe(1);
    const times = eth().length;

    for (let i = 0; i < 3; i++) {
      clock.nowMs += 10_000;
      registry.sweep();
    }

    expect(eth()).toHaveLength(times);
  });
});

describe("an asset that is listed again", () => {
  it("takes what earlier runs learned only once: the hours that are read then, it has seen itself", () => {
    const setup = registryAt();
    const { registry } = setup;
    warmUp(setup);
    const earlier = [learnedHour(2), learnedHour(1), learnedHour(0, { samples: 180 })];
    registry.restore(BTC, earlier, null);
    registry.sweep();
    const { bookStatistics } = registry.stateOf(BTC)!.view();
    const learned = registry.takeLearned(true).get(BTC)!;
    expect(learned).toMatchObject([{ samples: 181 }]);

    registry.handle(listed());
    registry.restore(BTC, [...earlier.slice(0, 2), ...learned], null);

    expect(registry.takeLearned(true).get(BTC)).toEqual(learned);
    expect(registry.stateOf(BTC)!.view().bookStatistics).toEqual(bookStatistics);
  });
});

describe("an asset with a model", () => {
  it("does not go live without tails when a later fit gives no model", () => {
    const { registry, clock } = registryAt();
    registry.handle(listed());
    registry.handle(historyOf(BARS));
    registry.acceptModel(BTC, FITTED);
    registry.handle(bookOf(clock.nowMs));

    registry.acceptModel(BTC, null);

    expect(registry.counts()).toMatchObject({ warming: 1, live: 0 });
    expect(registry.stateOf(BTC)?.volatility.model).toBe(FITTED.model);
  });
});

describe("what changes without a message", () => {
  it("is published: what an earlier run learned, once it was read", () => {
    const setup = registryAt();
    const { registry, published, clock } = setup;
    warmUp(setup);
    clock.nowMs += 200;
    registry.publishDue();
    const before = published.length;

    registry.restore(BTC, [learnedHour(5, { learnedCapUsd: 9e9 })], null);
    clock.nowMs += 200;
    registry.publishDue();

    expect(published).toHaveLength(before + 1);
    expect(published.at(-1)!.openInterest.capUsd).toBe(9e9);
  });

  it("is the regime, looked at every ten seconds however often the assets are swept", () => {
    const setup = registryAt();
    const { registry, clock } = setup;
    warmUp(setup);
    registry.restore(BTC, [], null);
    for (let second = 0; second <= 60; second++) {
      registry.handle(bookOf(clock.nowMs));
      registry.handle(contextOf(100_000, clock.nowMs));
      registry.sweep();
      clock.nowMs += 1_000;
    }
    expect(registry.takeLearned(true).get(BTC)).toMatchObject([{ samples: 7 }]);
  });
});

function fail({ registry }: RegistryBench): void {
  registry.handle({ ...bookOf(NOW_MS), book: { midPrice: 1 } as never });
}
