import { concat, of, Subject, type Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { barsFrom } from "../../src/domain/bar-columns.ts";
import type { FundingSettlement } from "../../src/domain/asset.ts";
import { type Bar, BARS_KEPT, DAY_MS, HOUR_MS } from "../../src/domain/bar.ts";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import { type Ticker, tickerOf } from "../../src/domain/ids.ts";
import type { BarEvent, HistoryLoaded } from "../../src/ingest/bar-stream.ts";
import { historyStream } from "../../src/ingest/history-stream.ts";
import type { IngestDeps } from "../../src/ingest/ingest-deps.ts";
import { MarketClock } from "../../src/ingest/market-clock.ts";
import { BTC, ETH, NOW_MS } from "../support/builders.ts";
import { barAt, ingestDeps } from "../support/ingest-deps.ts";
import { KeptCandles } from "../support/kept-candles.ts";
import { ScriptedExchange } from "../support/scripted-exchange.ts";

// Mutants killed by hand: a gap trusted that is longer, or none; a short or an old history called whole; a call for no
// hour; older bars called the present while newer ones are to come; settlements fetched from the start each day, from
// an estimate on, once, not kept or not told; what cannot be kept lost; holes not fetched after a refusal, or one of two,
// or taken for the end of the history; all assets at once; a hole on disk called whole, not fetched, or fetched again.

const HOUR = NOW_MS / HOUR_MS;
const IN_REAL_TIME = { marketClock: new MarketClock(SYSTEM_CLOCK, true) };

let exchange: ScriptedExchange;
let candleStore: KeptCandles;
let relisted$: Subject<readonly Ticker[]>;
let missed$: Subject<Extract<BarEvent, { type: "bars.missed" }>>;
let events: HistoryLoaded[];
let problems: string[];
let subscription: Subscription;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  exchange = new ScriptedExchange();
  exchange.bars = barsOf(HOUR - 5_000, HOUR - 1);
  candleStore = new KeptCandles();
  relisted$ = new Subject();
  missed$ = new Subject();
  events = [];
  problems = [];
});
afterEach(() => {
  subscription.unsubscribe();
  vi.useRealTimers();
});

describe("historyStream", () => {
  it.each([
    ["lacks half a day", 12, BARS_KEPT, true, true],
    ["lacks an hour more", 13, BARS_KEPT, false, false],
    ["lacks older hours", 12, BARS_KEPT - 1, true, false],
  ])("says of a history on disk that %s what it is good for", async (_, lacking, reach, ...flags) => {
    candleStore.bars.set(BTC, barsOf(HOUR - reach, HOUR - 1 - lacking));

    await start([BTC]);

    expect([events[0]!.reachesNow, events[0]!.isWhole]).toEqual(flags);
  });

  it("makes no call for bars when all that have closed are on disk", async () => {
    vi.setSystemTime(NOW_MS + HOUR_MS / 2);
    candleStore.bars.set(BTC, barsOf(HOUR - BARS_KEPT, HOUR - 1));

    await start([BTC]);

    expect(exchange.calls.filter((call) => call.startsWith("bars"))).toEqual([]);
  });

  it("goes on with the bars on disk where the settlements beside them cannot be read", async () => {
    candleStore.bars.set(BTC, barsOf(HOUR - BARS_KEPT, HOUR - 1));
    candleStore.loadSettlements = () => Promise.reject(new Error("EACCES"));

    await start([BTC]);

    expect([events[0]!.bars.length, events[0]!.isWhole]).toEqual([BARS_KEPT, true]);
    expect(exchange.calls.filter((call) => call.startsWith("bars"))).toEqual([]);
    expect(problems).toEqual(["read settlements of BTC on disk: Error: EACCES"]);
  });

  it("lets no asset go live on older bars while the ones since the last run are still to come", async () => {
    candleStore.bars.set(BTC, barsOf(HOUR - 1_000, HOUR - 100));
    exchange.failures = [{ code: "timeout", detail: "10 s" }];

    await start([BTC]);

    const first = events.findIndex(({ reachesNow }) => reachesNow);
    const known = new Set(
      events.slice(0, first + 1).flatMap(({ bars }) => barsFrom(bars).map(({ openTimeMs }) => openTimeMs)),
    );
    expect(events[first]!.isWhole).toBe(true);
    expect(known.size).toBe(BARS_KEPT);
    exchange.calls.length = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(exchange.calls).toEqual([]);
  });

  it.each([
    ["damaged weeks ago", barsOf(HOUR - 4_400, HOUR - 1_000), HOUR - 999, HOUR - 750],
    ["with a hole", withoutHours(HOUR - 2_000, HOUR - 1_990), HOUR - 2_000, HOUR - 1_989],
    ["with two", withoutHours(HOUR - 3_000, HOUR - 3_000, HOUR - 1_000), HOUR - 3_000, HOUR - 999],
    ["with a hole in the recent window", withoutHours(HOUR - 20, HOUR - 11), HOUR - 20, HOUR],
  ])("fetches what a file %s lacks, and nothing else", async (_, kept, fromHour, untilHour) => {
    candleStore.bars.set(BTC, kept);

    await start([BTC]);

    expect(events[0]!.isWhole).toBe(false);
    expect(events.at(-1)!.isWhole).toBe(true);
    expect(candleStore.bars.get(BTC)).toEqual(barsOf(HOUR - BARS_KEPT, HOUR - 1));
    const asked = exchange.calls.filter((call) => call.startsWith("bars"));
    expect(asked.at(-1)).toBe(`bars BTC ${fromHour * HOUR_MS}-${untilHour * HOUR_MS}`);
    expect(asked.length).toBe(kept.at(-1)!.openTimeMs < NOW_MS - HOUR_MS ? 2 : 1);
  });

  it("asks once in a run for hours of which the exchange has no bar", async () => {
    exchange.bars = withoutHours(HOUR - 2_000, HOUR - 1_990, HOUR - 5);
    candleStore.bars.set(BTC, exchange.bars);
    await start([BTC]);
    expect(exchange.calls.filter((call) => call.startsWith("bars"))).toHaveLength(2);
    exchange.calls.length = 0;

    relisted$.next([BTC]);
    await vi.advanceTimersByTimeAsync(10);

    expect(exchange.calls.filter((call) => call.startsWith("bars"))).toEqual([]);
    expect(events.at(-1)!.isWhole).toBe(true);
  });

  it("fetches the exact settlements since the last one it has, at the start and every day", async () => {
    const ago = (hours: number, premiumFraction: number | null): FundingSettlement => ({
      timeMs: NOW_MS - hours * HOUR_MS + 7,
      rateHourly: hours * 1e-6,
      premiumFraction,
    });
    const kept = [ago(800, 0), ago(5, 1e-4), ago(4, null), ago(3, null)];
    candleStore.settlements.set(BTC, kept);
    candleStore.settlements.set(ETH, kept.slice(0, 1));
    exchange.settlements = [ago(4, 2e-4), ago(3, 3e-4), ago(2, 4e-4)];
    const asked = (): string[] => exchange.calls.filter((call) => call.startsWith("settlements"));

    await start([BTC, ETH]);

    expect(events[0]!.settlements).toEqual(kept);
    expect(asked()).toEqual([
      `settlements BTC ${ago(5, 0).timeMs + 1}`,
      `settlements ETH ${NOW_MS - 720 * HOUR_MS}`,
    ]);
    const told = events.filter(({ ticker, settlements }) => ticker === BTC && settlements.length > 0);
    expect(told.map(({ settlements }) => settlements)).toEqual([kept, exchange.settlements]);
    expect(candleStore.settlements.get(BTC)!.at(-1)).toEqual(ago(2, 4e-4));

    for (let day = 0; day < 2; day++) {
      exchange.calls.length = 0;
      await vi.advanceTimersByTimeAsync(DAY_MS);
      expect(asked()).toEqual([BTC, ETH].map((ticker) => `settlements ${ticker} ${ago(2, 0).timeMs + 1}`));
    }
  });

  it("believes no settlement that is dated ahead, neither of the exchange nor on disk", async () => {
    const at = (hours: number): FundingSettlement => ({
      timeMs: NOW_MS + hours * HOUR_MS + 7,
      rateHourly: 1e-5,
      premiumFraction: 1e-4,
    });
    candleStore.settlements.set(BTC, [at(-3), at(500)]);
    exchange.settlements = [at(-2), at(800)];
    await start([BTC], IN_REAL_TIME);

    exchange.settlements = [at(-2), at(-1), at(20)];
    await vi.advanceTimersByTimeAsync(DAY_MS);

    expect(exchange.calls.filter((call) => call.startsWith("settlements"))).toEqual([
      `settlements BTC ${at(-3).timeMs + 1}`,
      `settlements BTC ${at(-2).timeMs + 1}`,
    ]);
    expect(events.flatMap(({ settlements }) => settlements)).toEqual([at(-3), at(-2), at(-1), at(20)]);
    expect(problems).toEqual([
      "settlements of BTC on disk: 1 dated ahead of the exchange's clock, left out",
      "settlements of BTC: 1 dated ahead of the exchange's clock, left out",
    ]);
  });

  it.each([
    ["in real time", IN_REAL_TIME],
    ["whose time begins anew with each run", {}],
  ])(
    "starts with nothing on disk that is dated ahead, which would keep out all that comes before it, of an exchange %s",
    async (_, deps) => {
      candleStore.bars.set(BTC, [...barsOf(HOUR - BARS_KEPT, HOUR - 20), barAt(HOUR + 50)]);
      const ahead = { timeMs: NOW_MS + DAY_MS, rateHourly: 1e-5, premiumFraction: 1e-4 };
      candleStore.settlements.set(BTC, [ahead]);

      await start([BTC], deps);

      expect([barsFrom(events[0]!.bars).at(-1), events[0]!.reachesNow]).toEqual([barAt(HOUR - 20), false]);
      expect(events.flatMap(({ bars }) => barsFrom(bars)).at(-1)).toEqual(barAt(HOUR - 1));
      expect(events.flatMap(({ settlements }) => settlements)).toEqual([]);
      expect(problems).toEqual([
        "bars of BTC on disk: 1 dated ahead of the exchange's clock, left out",
        "settlements of BTC on disk: 1 dated ahead of the exchange's clock, left out",
      ]);
    },
  );

  it("goes on with what cannot be kept on disk, and says so", async () => {
    exchange.settlements = [{ timeMs: NOW_MS - HOUR_MS, rateHourly: 1e-5, premiumFraction: 0 }];
    vi.spyOn(candleStore, "keepBars").mockRejectedValue(new Error("ENOSPC"));
    vi.spyOn(candleStore, "keepSettlements").mockRejectedValue(new Error("ENOSPC"));

    await start([BTC]);

    expect(events.flatMap(({ bars }) => barsFrom(bars))).toHaveLength(BARS_KEPT);
    expect(events.at(-1)!.isWhole).toBe(true);
    expect(events.flatMap(({ settlements }) => settlements)).toEqual(exchange.settlements);
    expect(problems).toEqual([
      "keep bars of BTC: Error: ENOSPC",
      "keep settlements of BTC: Error: ENOSPC",
      "keep bars of BTC: Error: ENOSPC",
    ]);
  });

  it("fetches what is missed of an asset whose recent bars were refused, each hole until it has it", async () => {
    candleStore.bars.set(BTC, barsOf(HOUR - 1_000, HOUR - 100));
    exchange.failures = [{ code: "refused", detail: "null" }];
    await start([BTC]);
    exchange.failures = Array.from({ length: 2 }, () => ({ code: "timeout", detail: "10 s" }));
    events.length = 0;
    exchange.calls.length = 0;

    for (const hour of [HOUR - 9, HOUR - 5]) {
      missed$.next({
        type: "bars.missed",
        ticker: BTC,
        fromMs: hour * HOUR_MS,
        untilMs: (hour + 1) * HOUR_MS,
      });
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(events.flatMap(({ bars }) => barsFrom(bars))).toEqual([barAt(HOUR - 9), barAt(HOUR - 5)]);
    await vi.advanceTimersByTimeAsync(300_000);

    // The recent ones are asked for again from where those on disk end, not from the holes on.
    expect(exchange.calls.slice(4)).toEqual([`bars BTC ${(HOUR - 99) * HOUR_MS}-${NOW_MS + 300_000}`]);
  });

  it("has four assets under way at a time, the first in the list first", async () => {
    const tickers = ["A", "B", "C", "D", "E"].map(tickerOf);
    const fetchBars = vi.spyOn(exchange, "fetchBars").mockReturnValue(new Promise(() => undefined));

    await start(tickers);

    expect(fetchBars.mock.calls.map(([ticker]) => ticker)).toEqual(tickers.slice(0, 4));
  });
});

async function start(tickers: readonly Ticker[], more: Partial<IngestDeps> = {}): Promise<void> {
  subscription = historyStream(
    concat(of(tickers), relisted$),
    missed$,
    ingestDeps({ exchange, candleStore, ...more }, problems),
  ).subscribe((event) => events.push(event));
  await vi.advanceTimersByTimeAsync(10);
}

/** Bars of the hours from the first to the last. */
function barsOf(first: number, last: number): readonly Bar[] {
  return Array.from({ length: last - first + 1 }, (_, i) => barAt(first + i));
}

/** All bars that are kept but those of the hours from one to another, and of a third. */
function withoutHours(first: number, last: number, another?: number): readonly Bar[] {
  return barsOf(HOUR - BARS_KEPT, HOUR - 1).filter(({ openTimeMs }) => {
    const hour = openTimeMs / HOUR_MS;
    return (hour < first || hour > last) && hour !== another;
  });
}
