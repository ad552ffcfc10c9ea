import { NEVER, of } from "rxjs";
import { describe, it } from "vitest";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/domain/bar.ts";
import type { FeedEvent } from "../../src/exchange/exchange.ts";
import { barStream, type HistoryLoaded } from "../../src/ingest/bar-stream.ts";
import { feedLossStream } from "../../src/ingest/feed-loss-stream.ts";
import { BTC, ETH } from "../support/builders.ts";
import { bar } from "../support/ingest-deps.ts";
import { marbles } from "../support/marbles.ts";

describe("barStream", () => {
  it("closes a quiet asset's bar by the clock, twenty seconds into the next hour", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const feed$ = cold<FeedEvent>("a", { a: received(0, 100) });
      const clock = { nowMs: () => 30 * MINUTE_MS + scheduler.now() };
      const events$ = barStream(feed$, NEVER, NEVER, { clock, marketClock: clock, scheduler });

      expectObservable(events$, `${HOUR_MS}ms !`).toBe(`u ${30 * MINUTE_MS + 20_000 - 1}ms c`, {
        u: { type: "bar.updated", ticker: BTC, bar: bar(0, 100) },
        c: { type: "bar.closed", ticker: BTC, bar: bar(0, 100) },
      });
    });
  });

  it("asks for an hour that ended while the process stood still, instead of trusting what was seen of it", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const feed$ = cold<FeedEvent>("a", { a: received(0, 100) });
      const stoodMs = (): number => (scheduler.now() > 12_000 ? 45_000 : 0);
      const clock = { nowMs: () => HOUR_MS - 20_000 + scheduler.now() + stoodMs() };
      const events$ = barStream(feed$, NEVER, NEVER, { clock, marketClock: clock, scheduler });

      expectObservable(events$, "30s !").toBe("u 14999ms m", {
        u: { type: "bar.updated", ticker: BTC, bar: bar(0, 100) },
        m: { type: "bars.missed", ticker: BTC, fromMs: 0, untilMs: HOUR_MS },
      });
    });
  });

  it("trusts a bar again of which a view came after the process stood still", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const feed$ = cold<FeedEvent>("a 15999ms b", { a: received(0, 100), b: received(0, 101) });
      const stoodMs = (): number => (scheduler.now() > 12_000 ? 45_000 : 0);
      const clock = { nowMs: () => HOUR_MS - 90_000 + scheduler.now() + stoodMs() };
      const events$ = barStream(feed$, NEVER, NEVER, { clock, marketClock: clock, scheduler });

      expectObservable(events$, "70s !").toBe("u 15999ms v 48999ms c", {
        u: { type: "bar.updated", ticker: BTC, bar: bar(0, 100) },
        v: { type: "bar.updated", ticker: BTC, bar: bar(0, 101) },
        c: { type: "bar.closed", ticker: BTC, bar: bar(0, 101) },
      });
    });
  });

  it("asks for what a lost socket did not show, of the assets it carried only", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const feed$ = cold<FeedEvent>("(ab)l(cd)", {
        a: received(0, 100),
        b: { ...received(0, 5), ticker: ETH },
        l: { type: "feed.lost", socket: "bar", tickers: [BTC], detail: "silent" },
        c: received(1, 101),
        d: { ...received(1, 6), ticker: ETH },
      });
      const clock = { nowMs: () => scheduler.now() };
      const events$ = barStream(feed$, feedLossStream(feed$), NEVER, {
        clock,
        marketClock: clock,
        scheduler,
      });

      expectObservable(events$, "----------!").toBe("(ab)-(mcef)", {
        a: { type: "bar.updated", ticker: BTC, bar: bar(0, 100) },
        b: { type: "bar.updated", ticker: ETH, bar: bar(0, 5) },
        m: { type: "bars.missed", ticker: BTC, fromMs: 0, untilMs: HOUR_MS },
        c: { type: "bar.updated", ticker: BTC, bar: bar(1, 101) },
        e: { type: "bar.closed", ticker: ETH, bar: bar(0, 5) },
        f: { type: "bar.updated", ticker: ETH, bar: bar(1, 6) },
      });
    });
  });

  it("does not take a late view of an hour that is over for the running one's", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const feed$ = cold<FeedEvent>("(abc)d", {
        a: received(0, 100),
        b: received(1, 80),
        c: received(0, 101),
        d: received(1, 79),
      });
      const clock = { nowMs: () => HOUR_MS + scheduler.now() };
      const events$ = barStream(feed$, NEVER, NEVER, { clock, marketClock: clock, scheduler });

      expectObservable(events$, "-------!").toBe("(uvw)x", {
        u: { type: "bar.updated", ticker: BTC, bar: bar(0, 100) },
        v: { type: "bar.closed", ticker: BTC, bar: bar(0, 100) },
        w: { type: "bar.updated", ticker: BTC, bar: bar(1, 80) },
        x: { type: "bar.updated", ticker: BTC, bar: bar(1, 79) },
      });
    });
  });

  it("asks for the hours between the fetched history and the first bar of the feed", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const history: HistoryLoaded = {
        type: "history.loaded",
        ticker: BTC,
        bars: barColumnsOf([bar(1, 99)]),
        settlements: [],
        reachesNow: true,
        isWhole: false,
      };
      const feed$ = cold<FeedEvent>("-a", { a: received(4, 100) });
      const clock = { nowMs: () => 4 * HOUR_MS + 21_000 };
      const events$ = barStream(feed$, NEVER, of(history), { clock, marketClock: clock, scheduler });

      expectObservable(events$, "-----!").toBe("-(mu)", {
        m: { type: "bars.missed", ticker: BTC, fromMs: 2 * HOUR_MS, untilMs: 4 * HOUR_MS },
        u: { type: "bar.updated", ticker: BTC, bar: bar(4, 100) },
      });
    });
  });
});

function received(hour: number, close: number): Extract<FeedEvent, { type: "bar.received" }> {
  return { type: "bar.received", ticker: BTC, bar: bar(hour, close) };
}
