import type { Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { barsFrom, NO_BARS } from "../../src/domain/bar-columns.ts";
import { type Bar, BARS_KEPT, HOUR_MS, MINUTE_MS } from "../../src/domain/bar.ts";
import type { BookFrame } from "../../src/domain/book.ts";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import type { IngestDeps } from "../../src/ingest/ingest-deps.ts";
import { MarketClock } from "../../src/ingest/market-clock.ts";
import { CLOCK_WAIT_MS } from "../../src/ingest/market-clock-stream.ts";
import { marketEvents, STREAM_RESTART_MS } from "../../src/ingest/market-events.ts";
import { assetContext, assetListing, BTC, ETH, NOW_MS } from "../support/builders.ts";
import { barAt, ingestDeps } from "../support/ingest-deps.ts";
import { KeptCandles } from "../support/kept-candles.ts";
import { ScriptedExchange } from "../support/scripted-exchange.ts";

// Mutants killed by hand: history not started for listed assets; deep before recent; open bar kept; retry after a
// refusal; no retry after a timeout; delisted assets watched; watch not renewed; missed bars not fetched; a
// failed stream ended, or begun again at once.

let exchange: ScriptedExchange;
let candleStore: KeptCandles;
let events: MarketEvent[];
let problems: string[];
let subscription: Subscription;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  exchange = new ScriptedExchange();
  candleStore = new KeptCandles();
  events = [];
  problems = [];
  exchange.universe = {
    isWhole: true,
    assets: [
      {
        listing: assetListing({ ticker: ETH, assetIndex: 0 }),
        context: assetContext({ volume24hUsd: 1e9 }),
      },
      {
        listing: assetListing({ ticker: BTC, assetIndex: 1 }),
        context: assetContext({ volume24hUsd: 3e9 }),
      },
    ],
  };
  exchange.bars = Array.from({ length: 5000 }, (_, i) => barAt(hourNow() - 4999 + i));
});
afterEach(() => {
  subscription.unsubscribe();
  vi.useRealTimers();
});

describe("marketEvents", () => {
  it("lists the universe, most traded first, and watches what is live", async () => {
    await start();

    expect(eventsOf("asset.listed").map(({ ticker }) => ticker)).toEqual([BTC, ETH]);
    expect(exchange.watched).toEqual([
      { ticker: ETH, volume24hUsd: 1e9 },
      { ticker: BTC, volume24hUsd: 3e9 },
    ]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(exchange.calls.filter((call) => call === "universe")).toHaveLength(1);
  });

  it("tells the context of what was listed without one when it is first read, and leaves later ones to the feed", async () => {
    const listing = assetListing({ ticker: tickerOf("GONE"), isDelisted: true });
    const { assets } = exchange.universe;
    exchange.universe = { isWhole: true, assets: [...assets, { listing, context: null }] };
    await start();
    const context = assetContext({ markPrice: 7 });
    exchange.universe = { isWhole: true, assets: [...assets, { listing, context }] };

    await vi.advanceTimersByTimeAsync(180_000);

    expect(eventsOf("context.updated")).toEqual([{ type: "context.updated", ticker: "GONE", context }]);
  });

  it("lists what was delisted long ago, and asks for nothing of it", async () => {
    const listing = assetListing({ ticker: tickerOf("GONE"), isDelisted: true });
    exchange.universe = { isWhole: true, assets: [...exchange.universe.assets, { listing, context: null }] };
    await start();

    expect(eventsOf("asset.listed").map(({ ticker }) => ticker)).toContain("GONE");
    expect(exchange.calls.filter((call) => call.includes("GONE"))).toEqual([]);
    expect(exchange.calls.filter((call) => call.includes(BTC))).not.toEqual([]);
  });

  it("fetches a recent window of every asset before the deep window of any", async () => {
    await start();

    const spans = exchange.calls
      .filter((call) => call.startsWith("bars"))
      .map((call) => call.replace(/\d+-\d+/, (span) => String(hoursOf(span))));
    expect(spans).toEqual(["bars BTC 750", "bars ETH 750", "bars BTC 3650", "bars ETH 3650"]);
    const hours = eventsOf("history.loaded").flatMap(({ ticker, bars }) =>
      ticker === BTC ? barsFrom(bars) : [],
    );
    expect(new Set(hours.map((bar) => bar.openTimeMs)).size).toBe(4400);
  });

  it("calls a history whole when nothing older is on its way", async () => {
    await start();

    const ofBtc = eventsOf("history.loaded").filter(({ ticker, bars }) => ticker === BTC && bars.length > 0);
    expect(ofBtc.map(({ bars, isWhole }) => [bars.length, isWhole])).toEqual([
      [750, false],
      [3650, true],
    ]);
  });

  it("does not take the open bar for history", async () => {
    vi.setSystemTime(NOW_MS + HOUR_MS / 2);
    await start();

    const newest = Math.max(
      ...eventsOf("history.loaded").flatMap(({ bars }) => barsFrom(bars).map((b) => b.openTimeMs)),
    );
    expect(newest).toBe((hourNow() - 1) * HOUR_MS);
  });

  it("after a restart fetches only the gap and starts with what is on disk", async () => {
    const kept = exchange.bars.filter((bar) => bar.openTimeMs < (hourNow() - 3) * HOUR_MS);
    candleStore.bars.set(BTC, kept);

    await start();

    const first = eventsOf("history.loaded").find(({ ticker }) => ticker === BTC);
    expect(first).toMatchObject({ reachesNow: true });
    expect(barsFrom(first!.bars)).toEqual(kept);
    const fetched = exchange.calls.filter((call) => call.startsWith("bars BTC"));
    expect(fetched).toEqual([`bars BTC ${(hourNow() - 3) * HOUR_MS}-${NOW_MS}`]);
    expect(first).toMatchObject({ isWhole: true });
  });

  it("fetches the history of an asset whose files cannot be read, and says so", async () => {
    candleStore.loadBars = (ticker) =>
      ticker === BTC ? Promise.reject(new Error("EIO")) : Promise.resolve(NO_BARS);

    await start();

    expect(problems).toContain("read bars of BTC on disk: Error: EIO");
    const btc = eventsOf("history.loaded").filter(({ ticker }) => ticker === BTC);
    expect(btc.some(({ bars, reachesNow }) => reachesNow && bars.length >= 749)).toBe(true);
    expect(btc.at(-1)!.isWhole).toBe(true);
  });

  it("goes on trying while the exchange is out of reach, and says so", async () => {
    exchange.failures = Array.from({ length: 3 }, () => ({ code: "timeout" as const, detail: "10 s" }));

    await start();
    expect(eventsOf("asset.listed")).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(eventsOf("asset.listed")).toHaveLength(2);
    expect(problems).toContainEqual("exchange time: FetchFailed: timeout: 10 s");
  });

  it("lists the universe although the exchange's time alone cannot be had, and sets the clock when it can", async () => {
    const untold = { ok: false, error: { code: "unreachable", detail: "HTTP 502" } } as const;
    const time = vi.spyOn(exchange, "fetchExchangeTimeMs").mockResolvedValue(untold);
    const marketClock = new MarketClock(SYSTEM_CLOCK, true);

    await start({ marketClock });
    expect(eventsOf("asset.listed")).toEqual([]);
    await vi.advanceTimersByTimeAsync(CLOCK_WAIT_MS);

    expect(eventsOf("asset.listed")).toHaveLength(2);
    expect(problems).toContainEqual("exchange time: not told: this machine's stands for it meanwhile");
    time.mockImplementation(() => Promise.resolve({ ok: true, value: Date.now() + 40 }));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(marketClock.nowMs() - Date.now()).toBe(40);
  });

  it("lists the universe a second after a first answer that was refused or made no sense, not a minute", async () => {
    const page = { ok: false, error: { code: "unparseable", detail: "<html>" } } as const;
    vi.spyOn(exchange, "fetchUniverse").mockResolvedValueOnce(page);

    await start();
    expect(eventsOf("asset.listed")).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(eventsOf("asset.listed")).toHaveLength(2);
  });

  it("waits for the time of an exchange that does not keep this machine's", async () => {
    const untold = { ok: false, error: { code: "unreachable", detail: "HTTP 502" } } as const;
    vi.spyOn(exchange, "fetchExchangeTimeMs").mockResolvedValue(untold);

    await start();
    await vi.advanceTimersByTimeAsync(10 * CLOCK_WAIT_MS);

    expect(eventsOf("asset.listed")).toEqual([]);
  });

  it("begins at once where the exchange refuses to tell its time", async () => {
    const refused = { ok: false, error: { code: "refused", detail: "null" } } as const;
    vi.spyOn(exchange, "fetchExchangeTimeMs").mockResolvedValue(refused);

    await start();

    expect(eventsOf("asset.listed")).toHaveLength(2);
  });

  it("gives an asset up whose history is refused, so that it can live without", async () => {
    exchange.universe = { assets: [{ listing: assetListing(), context: assetContext() }], isWhole: true };
    const fetchBars = vi.spyOn(exchange, "fetchBars");
    fetchBars.mockResolvedValue({ ok: false, error: { code: "refused", detail: "null" } });

    await start();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(fetchBars.mock.calls.map(([, , untilMs]) => untilMs)).toEqual([NOW_MS, NOW_MS]);
    expect(eventsOf("history.loaded").some(({ bars, reachesNow }) => bars.length === 0 && reachesNow)).toBe(
      true,
    );
    const isWhole = (): boolean => eventsOf("history.loaded").some((event) => event.isWhole);
    expect(isWhole()).toBe(false);
    await vi.advanceTimersByTimeAsync(250_000);
    expect(isWhole()).toBe(true);
  });

  it("lets assets whose bars cannot be had keep no other waiting, and loads them when they can", async () => {
    const names = ["A", "B", "C", "D", "GOOD"] as (typeof BTC)[];
    exchange.universe = {
      isWhole: true,
      assets: names.map((ticker, assetIndex) => ({
        listing: assetListing({ ticker, assetIndex }),
        context: assetContext({ volume24hUsd: 1e9 - assetIndex }),
      })),
    };
    const fetchBars = exchange.fetchBars.bind(exchange);
    let isDown = true;
    vi.spyOn(exchange, "fetchBars").mockImplementation((ticker, ...span) =>
      isDown && ticker !== "GOOD"
        ? Promise.resolve({ ok: false, error: { code: "unreachable", detail: "HTTP 502" } })
        : fetchBars(ticker, ...span),
    );

    await start();
    const wholeOf = (): unknown[] => eventsOf("history.loaded").flatMap((e) => (e.isWhole ? e.ticker : []));
    expect(wholeOf()).toEqual(["GOOD"]);
    expect(exchange.calls.filter((call) => call.startsWith("settlements"))).toHaveLength(5);

    await vi.advanceTimersByTimeAsync(60_000);
    expect(
      eventsOf("history.loaded").filter(({ ticker, reachesNow }) => ticker === "A" && reachesNow),
    ).toEqual([]);
    isDown = false;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(new Set(wholeOf())).toEqual(new Set(names));
    const loaded = eventsOf("history.loaded").flatMap(({ ticker, bars }) =>
      ticker === "A" ? barsFrom(bars) : [],
    );
    expect(new Set(loaded.map(({ openTimeMs }) => openTimeMs)).size).toBe(BARS_KEPT);
  });

  it.each(["refused", "unparseable"] as const)("asks again minutes later what was %s once", async (code) => {
    exchange.universe = { assets: [{ listing: assetListing(), context: assetContext() }], isWhole: true };
    const fetchBars = vi.spyOn(exchange, "fetchBars");
    const failure = { ok: false, error: { code, detail: "null" } } as const;
    fetchBars.mockResolvedValueOnce(failure).mockResolvedValueOnce(failure);

    await start();
    expect(eventsOf("history.loaded").at(-1)).toMatchObject({ bars: NO_BARS });
    expect(eventsOf("history.loaded").some(({ isWhole }) => isWhole)).toBe(false);
    await vi.advanceTimersByTimeAsync(310_000);

    expect(fetchBars).toHaveBeenCalledTimes(4);
    const hours = eventsOf("history.loaded").flatMap(({ bars }) =>
      barsFrom(bars).map(({ openTimeMs }) => openTimeMs),
    );
    expect(new Set(hours).size).toBe(BARS_KEPT);
    expect(eventsOf("history.loaded").at(-1)).toMatchObject({ isWhole: true });
  });

  it("notices a delisting and a new listing at the next poll", async () => {
    await start();
    const [eth, btc] = exchange.universe.assets;
    const doge = assetListing({ ticker: "DOGE" as typeof BTC, assetIndex: 2 });
    exchange.universe = {
      isWhole: true,
      assets: [
        eth!,
        { ...btc!, listing: { ...btc!.listing, isDelisted: true } },
        { listing: doge, context: assetContext({ volume24hUsd: 1 }) },
      ],
    };
    await vi.advanceTimersByTimeAsync(60_000);

    expect(eventsOf("asset.delisted").map(({ ticker }) => ticker)).toEqual([BTC]);
    expect(eventsOf("asset.listed").map(({ ticker }) => ticker)).toEqual([BTC, ETH, "DOGE"]);
    expect(exchange.watched.map(({ ticker }) => ticker)).toEqual([ETH, "DOGE"]);
    expect(exchange.calls.some((call) => call.startsWith("bars DOGE"))).toBe(true);
  });

  it("goes on watching an asset whose row one poll could not read", async () => {
    await start();
    exchange.universe = { assets: exchange.universe.assets.slice(0, 1), isWhole: false };
    await vi.advanceTimersByTimeAsync(60_000);

    expect(exchange.watched.map(({ ticker }) => ticker)).toEqual([ETH, BTC]);
    expect(eventsOf("asset.delisted")).toEqual([]);
  });

  it("keeps the margin terms it knows while answers give none, and takes a delisting from them all the same", async () => {
    await start();
    const [eth, btc] = exchange.universe.assets;
    const strict = {
      ...btc!.listing,
      isCloseOnly: true,
      maxLeverage: 3,
      marginTiers: [{ notionalLowerUsd: 0, maxLeverage: 1.5 }],
    };
    exchange.universe = { isWhole: true, assets: [eth!, { ...btc!, listing: strict }] };
    await vi.advanceTimersByTimeAsync(60_000);
    expect(eventsOf("listing.changed")).toEqual([]);

    exchange.universe = {
      isWhole: true,
      assets: [eth!, { ...btc!, listing: { ...strict, isDelisted: true } }],
    };
    await vi.advanceTimersByTimeAsync(60_000);
    expect(eventsOf("asset.delisted")).toEqual([
      { type: "asset.delisted", ticker: BTC, listing: { ...btc!.listing, isDelisted: true } },
    ]);
  });

  it("opens an asset to trade once its margin terms can be read", async () => {
    const [eth, btc] = exchange.universe.assets;
    const strict = { ...btc!.listing, isCloseOnly: true };
    exchange.universe = { isWhole: true, assets: [eth!, { ...btc!, listing: strict }] };
    await start();
    expect(eventsOf("asset.listed").map(({ listing }) => listing.isCloseOnly)).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(eventsOf("listing.changed")).toEqual([]);
    const histories = eventsOf("history.loaded").length;

    exchange.universe = { isWhole: true, assets: [eth!, btc!] };
    await vi.advanceTimersByTimeAsync(60_000);
    expect(eventsOf("listing.changed")).toEqual([
      { type: "listing.changed", ticker: BTC, listing: btc!.listing },
    ]);
    // Its history is as it was.
    expect(eventsOf("history.loaded")).toHaveLength(histories);
  });

  it("takes an asset that two answers in a row do not name for delisted, and one that comes back for listed", async () => {
    await start();
    const whole = exchange.universe;
    const without = (isWhole: boolean): typeof whole => ({
      assets: whole.assets.slice(0, 1),
      isWhole,
    });

    for (const universe of [without(true), whole, without(true), without(false), without(true)]) {
      exchange.universe = universe;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(eventsOf("asset.delisted")).toEqual([]);
    }
    await vi.advanceTimersByTimeAsync(120_000);
    const [listing] = whole.assets.flatMap((asset) => (asset.listing.ticker === BTC ? asset.listing : []));
    expect(eventsOf("asset.delisted")).toEqual([
      { type: "asset.delisted", ticker: BTC, listing: { ...listing, isDelisted: true } },
    ]);
    expect(exchange.watched.map(({ ticker }) => ticker)).toEqual([ETH]);

    exchange.universe = whole;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(eventsOf("asset.listed").map(({ ticker }) => ticker)).toEqual([BTC, ETH, BTC]);
    expect(exchange.watched.map(({ ticker }) => ticker)).toEqual([ETH, BTC]);
  });

  it("fetches the hours between the end of the history and the first bar of the feed", async () => {
    const hour = hourNow();
    exchange.bars = exchange.bars.filter((bar) => bar.openTimeMs < (hour - 3) * HOUR_MS);
    await start();
    exchange.feed$.next({ type: "bar.received", ticker: BTC, bar: barAt(hour) });
    await vi.advanceTimersByTimeAsync(10);

    expect(exchange.calls).toContain(`bars BTC ${(hour - 3) * HOUR_MS}-${hour * HOUR_MS}`);
  });

  it("fetches each hour of which the feed shows nothing, and the last bar that it showed, for a day", async () => {
    await start();
    const firstHour = hourNow();
    const receive = (close: number): void => {
      const bar = { ...barAt(firstHour), close };
      exchange.feed$.next({ type: "bar.received", ticker: BTC, bar });
    };
    receive(101);
    exchange.calls.length = 0;
    const asked = (): string[] => exchange.calls.filter((call) => call.startsWith("bars BTC"));

    // The subscription ends without a word; the hour's last trades are not seen.
    const whole = { ...barAt(firstHour), close: 109 };
    exchange.bars = [whole, barAt(firstHour + 1), barAt(firstHour + 2)];
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS + 30_000);
    expect(asked()).toEqual([`bars BTC ${firstHour * HOUR_MS}-${(firstHour + 2) * HOUR_MS}`]);
    expect(barsFrom(eventsOf("history.loaded").at(-1)!.bars)).toEqual([whole, barAt(firstHour + 1)]);
    expect(candleStore.bars.get(BTC)?.slice(-2)).toEqual([whole, barAt(firstHour + 1)]);

    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(barsFrom(eventsOf("history.loaded").at(-1)!.bars).at(-1)).toEqual(barAt(firstHour + 2));
    await vi.advanceTimersByTimeAsync(48 * HOUR_MS);
    expect(asked()).toHaveLength(2 + 23);
  });

  it("asks once for an hour that the exchange has no bar of, while its open bar is seen again and again", async () => {
    exchange.bars = exchange.bars.filter((bar) => bar.openTimeMs < (hourNow() - 1) * HOUR_MS);
    await start();
    exchange.calls.length = 0;

    for (let view = 0; view < 3; view++) {
      const bar = { ...barAt(hourNow()), close: 100 + view };
      exchange.feed$.next({ type: "bar.received", ticker: BTC, bar });
      await vi.advanceTimersByTimeAsync(10);
    }

    expect(exchange.calls).toEqual([`bars BTC ${(hourNow() - 1) * HOUR_MS}-${hourNow() * HOUR_MS}`]);
  });

  it("leaves hours that the recent window will bring to it", async () => {
    const lastKept = hourNow() - 4;
    candleStore.bars.set(
      BTC,
      exchange.bars.filter((bar) => bar.openTimeMs <= lastKept * HOUR_MS),
    );
    const kept = candleStore.loadBars.bind(candleStore);
    candleStore.loadBars = (ticker) => {
      const bar = barAt(hourNow());
      exchange.feed$.next({ type: "bar.received", ticker: BTC, bar });
      return kept(ticker);
    };
    await start();

    expect(exchange.calls.filter((call) => call.startsWith("bars BTC"))).toEqual([
      `bars BTC ${(lastKept + 1) * HOUR_MS}-${NOW_MS}`,
    ]);
  });

  it("fetches a missed bar by what the feed says is open, also when the clock of the market lags", async () => {
    exchange.bars = exchange.bars.filter((bar) => bar.openTimeMs < (hourNow() - 1) * HOUR_MS);
    await start();
    const missed = barAt(hourNow());
    const bar = barAt(hourNow() + 1);
    exchange.feed$.next({
      type: "bar.received",
      ticker: BTC,
      bar: barAt(hourNow() - 1),
    });
    exchange.bars = [missed];
    events.length = 0;

    exchange.feed$.next({ type: "bar.received", ticker: BTC, bar });
    await vi.advanceTimersByTimeAsync(10);

    expect(eventsOf("history.loaded").flatMap(({ bars }) => barsFrom(bars))).toEqual([missed]);
  });

  it("takes no bar that opens hours ahead for the open one, and says so", async () => {
    await start({ marketClock: new MarketClock(SYSTEM_CLOCK, true) });
    const openBar = barAt(hourNow());
    const receive = (bar: Bar): void => exchange.feed$.next({ type: "bar.received", ticker: BTC, bar });
    receive(openBar);
    exchange.calls.length = 0;

    receive(barAt(hourNow() + 1000));
    receive({ ...openBar, close: 109 });
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    receive(barAt(hourNow()));

    expect(eventsOf("bar.closed").map(({ bar }) => bar)).toEqual([{ ...openBar, close: 109 }]);
    expect(eventsOf("bar.updated").at(-1)?.bar).toEqual(barAt(hourNow()));
    expect(exchange.calls.filter((call) => call.startsWith("bars"))).toEqual([]);
    expect(problems).toContain("bar of BTC: opens 60000 minutes ahead of the exchange's clock");
  });

  it("ends no hour minutes before it is over, whatever is said to be open", async () => {
    await start({ marketClock: new MarketClock(SYSTEM_CLOCK, true) });
    const openBar = barAt(hourNow());
    const comingHour = hourNow() + 1;
    const receive = (bar: Bar): void => exchange.feed$.next({ type: "bar.received", ticker: BTC, bar });
    receive(openBar);
    await vi.advanceTimersByTimeAsync(comingHour * HOUR_MS - Date.now() - 4 * MINUTE_MS);

    receive(barAt(comingHour));
    receive({ ...openBar, close: 109 });
    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS - 2_000);
    // A clock of the exchange's own may be seconds behind.
    receive(barAt(comingHour));

    expect(eventsOf("bar.closed").map(({ bar }) => bar)).toEqual([{ ...openBar, close: 109 }]);
    expect(problems).toEqual(["bar of BTC: opens 4 minutes ahead of the exchange's clock"]);
  });

  it("fetches and keeps the bar that closed while its socket was lost", async () => {
    await start();
    const openBar = barAt(hourNow());
    exchange.feed$.next({ type: "bar.received", ticker: BTC, bar: openBar });
    exchange.feed$.next({ type: "feed.lost", socket: "bar", tickers: [BTC], detail: "1006" });
    exchange.bars = [{ ...openBar, close: 123 }];
    events.length = 0;

    await vi.advanceTimersByTimeAsync(HOUR_MS + 30_000);

    expect(eventsOf("bar.closed")).toEqual([]);
    const fetched = eventsOf("history.loaded").filter(({ ticker }) => ticker === BTC);
    expect(fetched.flatMap(({ bars }) => barsFrom(bars))).toEqual([{ ...openBar, close: 123 }]);
    expect(candleStore.bars.get(BTC)?.at(-1)).toEqual({ ...openBar, close: 123 });
  });

  it("keeps closed bars and the hour's settlement on disk", async () => {
    await start();
    exchange.feed$.next({ type: "bar.received", ticker: BTC, bar: barAt(hourNow()) });
    await vi.advanceTimersByTimeAsync(HOUR_MS - 1_000);
    const context = assetContext({ fundingRateHourly: 4e-5, arrivedAtMs: NOW_MS + HOUR_MS - 1_000 });
    exchange.feed$.next({ type: "context.received", ticker: BTC, context });
    await vi.advanceTimersByTimeAsync(30_000);

    const settlement = { timeMs: NOW_MS + HOUR_MS, rateHourly: 4e-5, premiumFraction: null };
    expect(eventsOf("funding.settled")).toEqual([{ type: "funding.settled", ticker: BTC, settlement }]);
    expect(candleStore.settlements.get(BTC)?.at(-1)).toEqual(settlement);
    expect(eventsOf("bar.closed").map(({ bar }) => bar)).toEqual([barAt(hourNow() - 1)]);
    expect(candleStore.bars.get(BTC)?.at(-1)).toEqual(barAt(hourNow() - 1));
  });

  it("settles no hour again when the exchange's clock is read as earlier than before", async () => {
    exchange.exchangeAheadMs = 2_000;
    await start();
    const tell = (fundingRateHourly: number): void =>
      exchange.feed$.next({
        type: "context.received",
        ticker: BTC,
        context: assetContext({ fundingRateHourly, arrivedAtMs: Date.now() }),
      });
    await vi.advanceTimersByTimeAsync(HOUR_MS - 3_000);
    tell(4e-5);
    await vi.advanceTimersByTimeAsync(2_000);
    // The answer before was quick, this one takes five seconds to come.
    exchange.exchangeAheadMs = -3_000;
    tell(5e-5);
    await vi.advanceTimersByTimeAsync(30_000);

    const settlement = { timeMs: NOW_MS + HOUR_MS, rateHourly: 4e-5, premiumFraction: null };
    expect(eventsOf("funding.settled")).toEqual([{ type: "funding.settled", ticker: BTC, settlement }]);
  });

  it("merges an asset's book from the newest frame of each source", async () => {
    await start();
    exchange.feed$.next({
      type: "book.received",
      frame: frame(
        "slow",
        0,
        [
          [100, 5],
          [99, 5],
        ],
        [
          [101, 5],
          [102, 5],
        ],
      ),
    });
    exchange.feed$.next({ type: "book.received", frame: frame("touch", 50, [[100.5, 1]], [[101, 2]]) });
    await vi.advanceTimersByTimeAsync(200);

    const book = eventsOf("book.updated").at(-1)?.book;
    expect(book?.midPrice).toBe(100.75);
    expect([...(book?.bids.prices ?? [])]).toEqual([100.5, 100, 99]);
    expect([...(book?.asks.sizesBase ?? [])]).toEqual([2, 5]);
  });

  it("tells an asset's newest context at most ten times a second", async () => {
    await start();
    await vi.advanceTimersByTimeAsync(1_000);
    const told = (): number[] => eventsOf("context.updated").map(({ context }) => context.markPrice);
    expect(told()).toEqual([]);

    for (let i = 1; i <= 50; i++) {
      const context = assetContext({ markPrice: i });
      exchange.feed$.next({ type: "context.received", ticker: BTC, context });
      await vi.advanceTimersByTimeAsync(4);
    }
    await vi.advanceTimersByTimeAsync(1_000);

    expect(told()).toEqual([1, 25, 50]);
  });

  it("drops a view that is no longer sent while the others go on", async () => {
    await start();
    exchange.feed$.next({
      type: "book.received",
      frame: frame(
        "slow",
        0,
        [
          [100, 5],
          [99, 5],
        ],
        [[101, 5]],
      ),
    });
    await vi.advanceTimersByTimeAsync(30_000);
    exchange.feed$.next({ type: "book.received", frame: frame("fast", 30_000, [[100, 5]], [[101, 5]]) });
    await vi.advanceTimersByTimeAsync(200);

    expect([...(eventsOf("book.updated").at(-1)?.book?.bids.prices ?? [])]).toEqual([100]);
  });

  it("says of a book that is sent on with a time that stands still how old it is, on this machine's clock", async () => {
    exchange.exchangeAheadMs = 3_600_000;
    await start();
    const send = async (afterMs: number, timeMs: number): Promise<number> => {
      await vi.advanceTimersByTimeAsync(NOW_MS + afterMs - Date.now());
      const sent = frame("slow", afterMs, [[100, 5]], [[101, 5]]);
      exchange.feed$.next({
        type: "book.received",
        frame: { ...sent, exchangeTimeMs: NOW_MS + timeMs + exchange.exchangeAheadMs },
      });
      await vi.advanceTimersByTimeAsync(200);
      return eventsOf("book.updated").at(-1)!.arrivedAtMs - NOW_MS;
    };

    expect(await send(1_000, 400)).toBe(400);
    expect(await send(6_000, 400)).toBe(400);
    expect(await send(60_000, 400)).toBe(400);
    // A time ahead of the exchange's own clock is no younger than its arrival.
    expect(await send(70_000, 90_000)).toBe(70_000);
  });

  it("tells a lost and restored socket as facts about its assets", async () => {
    await start();
    exchange.feed$.next({ type: "feed.lost", socket: "slow", tickers: [BTC, ETH], detail: "silent" });

    expect(eventsOf("feed.lost").map(({ ticker }) => ticker)).toEqual([BTC, ETH]);
  });

  it("begins a stream anew that failed, and goes on with the others meanwhile", async () => {
    await start();
    const openBar = barAt(hourNow());
    const send = (bar: Bar): void => exchange.feed$.next({ type: "bar.received", ticker: BTC, bar });
    send(undefined as unknown as Bar);
    expect(problems.filter((problem) => problem.startsWith("bars"))).toHaveLength(1);

    send(openBar);
    exchange.feed$.next({ type: "context.received", ticker: BTC, context: assetContext() });
    await vi.advanceTimersByTimeAsync(STREAM_RESTART_MS - 1_000);
    expect([eventsOf("bar.updated").length, eventsOf("context.updated").length]).toEqual([0, 1]);

    await vi.advanceTimersByTimeAsync(2_000);
    send(openBar);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(eventsOf("bar.updated").map(({ bar }) => bar)).toEqual([openBar]);
  });

  it("lists everything, and reads it, when listing failed as a whole", async () => {
    vi.spyOn(exchange, "watchAssets").mockImplementationOnce(() => {
      throw new Error("no sockets");
    });
    await start();
    expect(problems).toContain("universe: Error: no sockets");
    expect(eventsOf("asset.listed")).toEqual([]);

    await vi.advanceTimersByTimeAsync(STREAM_RESTART_MS + 1_000);
    expect(eventsOf("asset.listed").map(({ ticker }) => ticker)).toEqual([BTC, ETH]);
    const whole = eventsOf("history.loaded").filter(({ isWhole }) => isWhole);
    expect(new Set(whole.map(({ ticker }) => ticker))).toEqual(new Set([BTC, ETH]));
  });

  it("reports the assets that reach and leave their open-interest cap", async () => {
    exchange.atCap = new Set([BTC]);
    await start();
    exchange.atCap = new Set([ETH]);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(eventsOf("cap.reported").map(({ ticker, isAtCap }) => `${ticker} ${String(isAtCap)}`)).toEqual([
      "BTC true",
      "ETH true",
      "BTC false",
      "ETH true",
    ]);
  });

  it("asserts no cap and no rate of other venues that have not been told for long", async () => {
    exchange.atCap = new Set([BTC]);
    const cexRatesHourly = [1e-5];
    exchange.predicted = [BTC, ETH].map((ticker) => ({ ticker, cexRatesHourly }));
    await start();
    await vi.advanceTimersByTimeAsync(70_000);
    const failure = { ok: false, error: { code: "refused", detail: "null" } } as const;
    const fetchCaps = vi.spyOn(exchange, "fetchTickersAtOpenInterestCap").mockResolvedValue(failure);
    // The list goes on, without one of its rows.
    exchange.predicted = [{ ticker: BTC, cexRatesHourly }];
    events.length = 0;

    await vi.advanceTimersByTimeAsync(280_000);
    expect(eventsOf("cap.reported")).toEqual([]);
    expect(eventsOf("funding.predicted").every(({ ticker }) => ticker === BTC)).toBe(true);
    await vi.advanceTimersByTimeAsync(400_000);

    expect(eventsOf("cap.reported")).toEqual([{ type: "cap.reported", ticker: BTC, isAtCap: false }]);
    expect(eventsOf("funding.predicted").filter(({ ticker }) => ticker === ETH)).toEqual([
      { type: "funding.predicted", ticker: ETH, cexRatesHourly: [] },
    ]);
    expect(
      eventsOf("funding.predicted").every((e) => e.ticker === ETH || e.cexRatesHourly === cexRatesHourly),
    ).toBe(true);

    fetchCaps.mockRestore();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(eventsOf("cap.reported").at(-1)?.isAtCap).toBe(true);
  });
});

async function start(scripted: Partial<IngestDeps> = {}): Promise<void> {
  const deps = ingestDeps({ exchange, candleStore, ...scripted }, problems);
  subscription = marketEvents(deps).subscribe((event) => events.push(event));
  await vi.advanceTimersByTimeAsync(10);
}

function eventsOf<T extends MarketEvent["type"]>(type: T): Extract<MarketEvent, { type: T }>[] {
  return events.filter((event): event is Extract<MarketEvent, { type: T }> => event.type === type);
}

function hourNow(): number {
  return Math.floor(Date.now() / HOUR_MS);
}

function hoursOf(span: string): number {
  const [from = 0, until = 0] = span.split("-").map(Number);
  return Math.ceil((until - from) / HOUR_MS);
}

function frame(
  source: BookFrame["source"],
  atMs: number,
  bids: readonly [number, number][],
  asks: readonly [number, number][],
): BookFrame {
  const levels = (side: readonly [number, number][]): BookFrame["bids"] => ({
    prices: Float64Array.from(side, ([price]) => price),
    sizesBase: Float64Array.from(side, ([, size]) => size),
  });
  return {
    ticker: BTC,
    source,
    exchangeTimeMs: NOW_MS + atMs,
    arrivedAtMs: NOW_MS + atMs,
    bids: levels(bids),
    asks: levels(asks),
  };
}
