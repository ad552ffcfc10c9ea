import { beforeEach, describe, expect, it } from "vitest";
import { tickerOf } from "../../../src/domain/ids.ts";
import { MarketFeed } from "../../../src/exchange/hyperliquid/market-feed.ts";
import { MARKET_RETRY_MS_MAX } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { bring, sessionDepsOf } from "../support/live-session.ts";
import { type ScriptedSocket, ScriptedTransport } from "../support/scripted-transport.ts";
import { book } from "../support/session-bench.ts";

// Mutants killed by hand: never asked for again, or once only; asked for at once, or each minute from then on; what comes
// only when something changes asked for again as soon, or never; an earlier connection's silence counted; all that is on
// the socket asked for again; what was heard of an asset kept when it is watched no more.

const WATCHED = ["BTC", "ETH"].map((name) => ({ ticker: tickerOf(name), volume24hUsd: 1 }));
const AGAIN = ["unsubscribe ETH", "subscribe ETH"];

describe("a subscription that ended without a word", () => {
  let timers: ManualTimers;
  let transport: ScriptedTransport;
  let feed: MarketFeed;
  let rejections: string[];

  beforeEach(async () => {
    timers = new ManualTimers();
    transport = new ScriptedTransport();
    feed = new MarketFeed(sessionDepsOf(transport, timers, MARKET_RETRY_MS_MAX));
    rejections = [];
    feed.events$.subscribe((event) => {
      if (event.type === "frame.rejected") rejections.push(event.detail);
    });
    feed.watch(WATCHED);
    await timers.advance(0);
    for (const socket of transport.sockets) await bring(socket, timers, 100);
    await minutes(1, ["BTC", "ETH"]);
    transport.sockets.forEach(asked);
  });

  it("is asked for again when it has brought nothing for three minutes, and the others on its socket have", async () => {
    await minutes(2, ["BTC"]);
    expect(asked(slow())).toEqual([]);

    await minutes(1, ["BTC"]);

    expect(asked(slow())).toEqual(AGAIN);
    expect(rejections).toEqual([
      'slow: brings nothing any more, asked for again: {"type":"l2Book","coin":"ETH"}',
    ]);
  });

  it("is asked for again every three minutes until it brings something", async () => {
    await minutes(3, ["BTC"]);
    slow().acknowledgeAll();
    expect(asked(slow())).toEqual(AGAIN);
    await minutes(2, ["BTC"]);
    expect(asked(slow())).toEqual([]);

    await minutes(1, ["BTC"]);
    slow().acknowledgeAll();
    expect(asked(slow())).toEqual(AGAIN);
    await minutes(4, ["BTC", "ETH"]);

    expect(asked(slow())).toEqual([]);
  });

  it("is asked for again much later where facts come only when something changes", async () => {
    const candle = { s: "ETH", t: 0, o: "1", h: "2", l: "1", c: "2", v: "1", i: "1h" };
    bar().receive({ channel: "candle", data: candle });

    await minutes(124, ["BTC", "ETH"]);
    expect(asked(bar())).toEqual([]);
    await minutes(1, ["BTC", "ETH"]);

    expect(asked(bar())).toEqual(AGAIN);
  });

  it("is not taken for one after a loss of its socket, before it has brought anything", async () => {
    await minutes(2, ["BTC"]);
    slow().drop();
    const before = transport.sockets.length;
    await timers.advance(1_000);
    for (const socket of transport.sockets.slice(before)) await bring(socket, timers, 100);
    const again = transport.sockets.slice(before).find(isSlow)!;
    asked(again);

    for (let minute = 0; minute < 3; minute++) {
      await minutes(1, ["BTC"], again);
      expect(asked(again)).toEqual([]);
    }
  });

  it("is not taken for one when it was not asked for meanwhile", async () => {
    const rest = WATCHED.slice(0, 1);
    feed.watch(rest);
    await minutes(4, ["BTC"], slow(), rest);

    feed.watch(WATCHED);

    expect(rejections).toEqual([]);
  });

  /** Books of these assets, and signs of life of the bars, each five seconds; a list of assets at each minute's end. */
  async function minutes(
    count: number,
    coins: readonly string[],
    on: ScriptedSocket = slow(),
    watched = WATCHED,
  ): Promise<void> {
    for (let second = 5; second <= 60 * count; second += 5) {
      await timers.advance(5_000);
      bar().receive({ channel: "pong" });
      for (const coin of coins) on.receive(book(coin));
      if (second % 60 === 0) feed.watch(watched);
    }
    await timers.advance(0);
  }

  function slow(): ScriptedSocket {
    return transport.sockets[1]!;
  }

  function bar(): ScriptedSocket {
    return transport.sockets[2]!;
  }
});

function isSlow({ subscriptions }: ScriptedSocket): boolean {
  return subscriptions.some(({ type, nSigFigs, fast }) => type === "l2Book" && !nSigFigs && !fast);
}

/** What a socket was asked since the last call, pings left out. */
function asked(socket: ScriptedSocket): readonly string[] {
  return socket.sent
    .splice(0)
    .filter(({ method }) => method !== "ping")
    .map(({ method, subscription }) => `${String(method)} ${(subscription as { coin: string }).coin}`);
}
