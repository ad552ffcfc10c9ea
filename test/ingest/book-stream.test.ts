import { type Observable, retry, Subject, type Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BookFrame } from "../../src/domain/book.ts";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { FeedEvent } from "../../src/exchange/exchange.ts";
import { type BookUpdated, bookStream } from "../../src/ingest/book-stream.ts";
import { MarketClock } from "../../src/ingest/market-clock.ts";
import { BTC, ETH, NOW_MS } from "../support/builders.ts";
import { reportingInto } from "../support/ingest-deps.ts";

// Mutants killed by hand: a shorter period; a slow view dropped before it comes again late; a book that cannot be merged
// told of to nobody, or the end of all; views that outlive a failure; a frame from the future newest for as long as it is
// kept, or as it is ahead, or as often as it is sent; the order of frames that are a little ahead lost; a book
// as young as its coarse view; a frame that was held back told after a loss, or a coarse one.

describe("bookStream", () => {
  let feed$: Subject<FeedEvent>;
  let events: BookUpdated[];
  let problems: string[];
  let book$: Observable<BookUpdated>;
  let subscription: Subscription;

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW_MS });
    feed$ = new Subject();
    [events, problems] = [[], []];
    book$ = bookStream(feed$, {
      ...reportingInto(problems),
      clock: SYSTEM_CLOCK,
      marketClock: new MarketClock(SYSTEM_CLOCK),
    });
    subscription = book$.subscribe((event) => events.push(event));
  });
  afterEach(() => {
    subscription.unsubscribe();
    vi.useRealTimers();
  });

  it("tells an asset's book at most ten times a second", async () => {
    for (let i = 0; i < 50; i++) {
      receive({ bids: levels(100 + i), asks: levels(200) });
      await vi.advanceTimersByTimeAsync(4);
    }
    await vi.advanceTimersByTimeAsync(1_000);

    expect(events.map(({ book }) => book!.bids.prices[0])).toEqual([100, 124, 149]);
  });

  it("keeps a view that is late by up to twenty seconds beside the newest", async () => {
    receive({ source: "slow", bids: levels(99, 98) });
    await vi.advanceTimersByTimeAsync(20_000);
    receive({ source: "fast" });

    expect([...events.at(-1)!.book!.bids.prices]).toEqual([100, 99, 98]);
    await vi.advanceTimersByTimeAsync(1_000);
    receive({ source: "fast" });
    expect([...events.at(-1)!.book!.bids.prices]).toEqual([100]);
  });

  it("does not let one frame from the future stand for the price, or for the age, of those after it", async () => {
    receive({});
    receive({ source: "touch", exchangeTimeMs: NOW_MS + 3_600_000, bids: levels(500), asks: levels(501) });
    await vi.advanceTimersByTimeAsync(200);
    receive({ exchangeTimeMs: NOW_MS + 190 });
    await vi.advanceTimersByTimeAsync(200);

    expect(events.at(-1)).toMatchObject({ book: { midPrice: 100.5 }, arrivedAtMs: NOW_MS + 190 });
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      receive({ exchangeTimeMs: NOW_MS + 190 });
    }
    expect(events.at(-1)!.arrivedAtMs).toBe(NOW_MS + 190);
  });

  it("counts a time that stands still from when it was first heard, while it lies ahead too", async () => {
    for (let second = 0; second < 30; second++) {
      receive({ exchangeTimeMs: NOW_MS + 3_600_000 });
      receive({ source: "slow", exchangeTimeMs: NOW_MS + 2_000 });
      await vi.advanceTimersByTimeAsync(1_000);
    }

    expect(events.at(-1)!.arrivedAtMs).toBe(NOW_MS);
  });

  it("takes the later of two views that are a little ahead for the newer, whichever came first", () => {
    receive({ exchangeTimeMs: NOW_MS + 40 });
    receive({ source: "slow", exchangeTimeMs: NOW_MS + 20, bids: levels(90, 89), asks: levels(91) });
    vi.advanceTimersByTime(200);

    expect(events.at(-1)).toMatchObject({ book: { midPrice: 100.5 }, arrivedAtMs: NOW_MS });
  });

  it("is as old as its full-precision views, however lately the coarse one came", async () => {
    receive({});
    receive({ source: "touch", bids: levels(100), asks: levels(101) });
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      receive({ source: "coarse", bids: levels(99), asks: levels(102) });
    }

    expect(events.at(-1)).toMatchObject({ book: { midPrice: 100.5 }, arrivedAtMs: NOW_MS });
    receive({ source: "slow", bids: levels(90), asks: levels(91) });
    await vi.advanceTimersByTimeAsync(200);
    expect(events.at(-1)).toMatchObject({ book: { midPrice: 90.5 }, arrivedAtMs: NOW_MS + 30_000 });
  });

  it.each(["slow", "coarse"] as const)(
    "is whole again once the %s view has come after an outage",
    async (deep) => {
      const isWhole = (): boolean => events.at(-1)!.isWhole;
      receive({});
      expect(isWhole()).toBe(true);
      receive({ source: deep });
      await vi.advanceTimersByTimeAsync(40_000);
      receive({});
      expect(isWhole()).toBe(false);
      await vi.advanceTimersByTimeAsync(5_000);
      receive({ source: deep });
      await vi.advanceTimersByTimeAsync(200);
      expect(isWhole()).toBe(true);
    },
  );

  it.each(["slow", "coarse"] as const)(
    "is whole again once the %s view has orders after a while in which the book had none",
    async (deep) => {
      const isWhole = (): boolean => events.at(-1)!.isWhole;
      for (const source of ["fast", deep] as const) receive({ source });
      await vi.advanceTimersByTimeAsync(5_000);
      for (const source of ["fast", deep] as const) receive({ source, bids: levels(), asks: levels() });
      await vi.advanceTimersByTimeAsync(5_000);
      receive({});
      await vi.advanceTimersByTimeAsync(200);
      expect(isWhole()).toBe(false);
      receive({ source: deep });
      await vi.advanceTimersByTimeAsync(200);
      expect(isWhole()).toBe(true);
    },
  );

  it.each([
    ["slow", 20],
    ["coarse", 20],
    ["slow", 500],
    ["coarse", 500],
  ] as const)("is not whole by a %s view of another market, around %s", async (deep, price) => {
    const isWhole = (): boolean => events.at(-1)!.isWhole;
    receive({});
    receive({ source: deep, bids: levels(price), asks: levels(price + 1) });
    await vi.advanceTimersByTimeAsync(100);
    receive({ exchangeTimeMs: NOW_MS + 100 });
    await vi.advanceTimersByTimeAsync(100);
    expect(isWhole()).toBe(false);
    // The touch has moved since it came.
    receive({ source: deep, bids: levels(85), asks: levels(86), exchangeTimeMs: NOW_MS + 50 });
    await vi.advanceTimersByTimeAsync(100);
    expect(isWhole()).toBe(true);
  });

  it("has no book of a coarse view alone, which is as old as that", () => {
    receive({ source: "coarse" });

    expect(events).toEqual([
      { type: "book.updated", ticker: BTC, book: null, arrivedAtMs: NOW_MS, isWhole: true },
    ]);
  });

  it("goes on with the other assets, at once, when one's book cannot be merged, and says so", () => {
    receive({ ticker: ETH, bids: undefined as never });
    receive({});

    expect(events.map(({ ticker }) => ticker)).toEqual([BTC]);
    expect(problems).toEqual([expect.stringContaining("book of ETH: TypeError")]);
  });

  it("knows nothing when it begins anew: a view that came before a failure is no part of the book", () => {
    subscription.unsubscribe();
    subscription = book$.pipe(retry(1)).subscribe((event) => events.push(event));
    receive({ source: "slow", bids: levels(99, 98) });
    feed$.next({ type: "book.received", frame: undefined as never });

    receive({ source: "fast" });

    expect(events.map(({ book }) => [...book!.bids.prices])).toEqual([[99, 98], [100]]);
  });

  it("tells no book after a loss that was heard before it, of the assets that were lost", async () => {
    for (const ticker of [BTC, ETH])
      for (const price of [100, 101]) receive({ ticker, bids: levels(price), asks: levels(200) });
    events.length = 0;
    feed$.next({ type: "feed.lost", socket: "touch", tickers: [BTC], detail: "closed" });
    await vi.advanceTimersByTimeAsync(1_000);
    receive({ source: "coarse", bids: levels(90), asks: levels(210) });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(events.map(({ ticker, book }) => [ticker, book!.bids.prices[0]])).toEqual([[ETH, 101]]);

    receive({ bids: levels(102), asks: levels(200) });
    expect(events.slice(1).map(({ ticker, book }) => [ticker, book!.bids.prices[0]])).toEqual([[BTC, 102]]);
  });

  function receive(changes: Partial<BookFrame>): void {
    const frame: BookFrame = {
      ticker: BTC,
      source: "fast",
      exchangeTimeMs: Date.now(),
      arrivedAtMs: Date.now(),
      bids: levels(100),
      asks: levels(101),
      ...changes,
    };
    feed$.next({ type: "book.received", frame });
  }
});

function levels(...prices: readonly number[]): BookFrame["bids"] {
  return { prices: Float64Array.from(prices), sizesBase: new Float64Array(prices.length).fill(1) };
}
