import { isRecord } from "../../../src/domain/json-value.ts";
import { describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../../src/domain/bar.ts";
import { tickerOf } from "../../../src/domain/ids.ts";
import { err } from "../../../src/domain/result.ts";
import type { FeedEvent } from "../../../src/exchange/exchange.ts";
import { HyperliquidExchange } from "../../../src/exchange/hyperliquid/hyperliquid-exchange.ts";
import { MARKET_CONNECTS } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { bring } from "../support/live-session.ts";
import { answered, ScriptedTransport } from "../support/scripted-transport.ts";

// Mutants tried: paging from last time instead of last time + 1; the page limit compared with <=; names not filtered
// by the universe; books of another kind let through; an asset whose row is unreadable, or missing, not
// watched; one that is delisted watched on; another asset's rows taken; budgets of the sockets, or the
// transport, not closed. Each fails below.

const BTC = tickerOf("BTC");

describe("HyperliquidExchange", () => {
  it("pages funding history until the end, without a row twice", async () => {
    const { exchange, transport, timers } = bench();
    const firstMs = timers.nowMs() - 1_234 * HOUR_MS;
    const rows = Array.from({ length: 1_234 }, (_, i) => ({
      coin: "BTC",
      fundingRate: "0.0000125",
      time: firstMs + i * HOUR_MS + 50,
    }));
    transport.answers = (body) =>
      answered(rows.filter(({ time }) => time >= Number(body["startTime"])).slice(0, 500));

    const call = exchange.fetchFundingHistory(BTC, firstMs);
    await timers.advance(300_000);
    const history = await call;

    expect(history.ok && history.value.map(({ timeMs }) => timeMs)).toEqual(rows.map(({ time }) => time));
    expect(transport.requests).toHaveLength(3);
  });

  it("ends a history that never does", async () => {
    const { exchange, transport, timers } = bench();
    transport.answers = ({ startTime }) =>
      answered(
        Array.from({ length: 500 }, (_, i) => ({
          coin: "BTC",
          fundingRate: "0.0000125",
          time: Number(startTime) + i,
        })),
      );

    const call = exchange.fetchFundingHistory(BTC, timers.nowMs() - HOUR_MS);
    await timers.advance(3_600_000);

    expect(transport.requests).toHaveLength(10);
    expect((await call).ok).toBe(true);
  });

  it("knows which assets are at their cap though an entry of the list makes no sense, and says so", async () => {
    const { exchange, transport, events } = bench();
    transport.answers = () => answered(["BTC", null, "ETH"]);

    const atCap = await exchange.fetchTickersAtOpenInterestCap();

    expect(atCap).toEqual({ ok: true, value: new Set(["BTC", "ETH"]) });
    expect(events).toEqual([
      {
        type: "frame.rejected",
        detail: "perpsAtOpenInterestCap: 1 rows, the first [1]: wrong_type, found null",
      },
    ]);
  });

  it("spends what the exchange counts, and lets what is polled go ahead of history that waits", async () => {
    const timers = new ManualTimers();
    const transport = new ScriptedTransport();
    transport.answers = () => answered([]);
    const exchange = new HyperliquidExchange({ transport, timers, uniform: () => 0.5, weightPerMinute: 150 });
    const asked = (): string[] => transport.requests.splice(0).map(({ type }) => type);
    const MONTH_MS = 720 * HOUR_MS;

    // 33 each for bars, one more than a month has, and 21 for an hour's settlement, of 105 that history may take.
    for (let i = 0; i < 4; i++) void exchange.fetchBars(BTC, 0, MONTH_MS);
    void exchange.fetchFundingHistory(BTC, timers.nowMs() - HOUR_MS);
    await timers.advance(0);
    expect(asked()).toEqual(["candleSnapshot", "candleSnapshot", "candleSnapshot"]);

    // 51 are left: two polls of 20 and five of 2.
    void exchange.fetchUniverse();
    void exchange.fetchPredictedFundings();
    for (let i = 0; i < 6; i++) void exchange.fetchExchangeTimeMs();
    void exchange.fetchTickersAtOpenInterestCap();
    await timers.advance(59_999);
    const polled = ["metaAndAssetCtxs", "predictedFundings"];
    expect(asked()).toEqual([...polled, ...new Array<string>(5).fill("exchangeStatus")]);

    await timers.advance(1);
    const waited = ["exchangeStatus", "perpsAtOpenInterestCap", "candleSnapshot", "fundingHistory"];
    expect(asked()).toEqual(waited);
  });

  it("asks for the bars of a window and gives no other", async () => {
    const { exchange, transport } = bench();
    const candle = (t: number): unknown => ({ t, o: "1", h: "2", l: "1", c: "2", v: "0" });
    transport.answers = () => answered([candle(0), candle(HOUR_MS), candle(2 * HOUR_MS)]);

    const bars = await exchange.fetchBars(BTC, HOUR_MS, 2 * HOUR_MS);

    expect(bars.ok && bars.value.map(({ openTimeMs }) => openTimeMs)).toEqual([HOUR_MS]);
    expect(transport.requests[0]).toEqual({
      type: "candleSnapshot",
      req: { coin: "BTC", interval: "1h", startTime: HOUR_MS, endTime: 2 * HOUR_MS - 1 },
    });
  });

  it("gives the rows that make sense, pages on past the others, and says once that there were some", async () => {
    const { exchange, transport, events } = bench();
    const row = (i: number): object => ({ fundingRate: i === 7 ? "x" : "0.1", time: i + 1 });
    const rows = Array.from({ length: 500 }, (_, i) => row(i));
    const pages = [rows, [{ fundingRate: "0.1", time: 501 }]];
    transport.answers = () => answered(pages.shift());

    const history = await exchange.fetchFundingHistory(BTC, 1);

    expect(history.ok && history.value.length).toBe(500);
    expect(events).toEqual([
      {
        type: "frame.rejected",
        detail: "fundingHistory of BTC: 1 rows, the first [7].fundingRate: not_decimal, found x",
      },
    ]);
  });

  it("takes no history of another asset for that of the one it asked about", async () => {
    const { exchange, transport, events } = bench();
    const candle = (s: string, t: number): unknown => ({ s, t, o: "1", h: "2", l: "1", c: "2", v: "0" });
    const settled = (coin: string): unknown => ({ coin, fundingRate: "0.1", time: 5 });
    const mismatch = { ok: false, error: { code: "unparseable" } };

    transport.answers = ({ type }) =>
      answered([type === "candleSnapshot" ? candle("ETH", 0) : settled("ETH")]);
    expect(await exchange.fetchBars(BTC, 0, 2 * HOUR_MS)).toMatchObject(mismatch);
    expect(await exchange.fetchFundingHistory(BTC, 1)).toMatchObject(mismatch);
    transport.answers = () => answered([candle("ETH", 0), candle("BTC", HOUR_MS)]);
    const bars = await exchange.fetchBars(BTC, 0, 2 * HOUR_MS);

    expect(bars.ok && bars.value.map(({ openTimeMs }) => openTimeMs)).toEqual([HOUR_MS]);
    const detail = "candleSnapshot of BTC: 1 rows, the first [0].s: mismatch, found ETH";
    expect(events).toEqual([{ type: "frame.rejected", detail }]);
  });

  it("watches only names that a universe has listed as live, one socket for each kind of fact", async () => {
    const { exchange, transport, timers } = await listed();
    exchange.watchAssets([watched("BTC"), watched("OLD"), watched("btc")]);
    await timers.advance(0);
    for (const socket of transport.sockets) socket.open();
    await timers.advance(1_000);

    expect(transport.sockets).toHaveLength(6);
    expect(transport.sockets.map(({ subscriptions }) => subscriptions)).toEqual([
      [{ type: "activeAssetCtx", coin: "BTC" }],
      [{ type: "l2Book", coin: "BTC" }],
      [{ type: "candle", coin: "BTC", interval: "1h" }],
      [{ type: "l2Book", coin: "BTC", nSigFigs: 3 }],
      [{ type: "bbo", coin: "BTC" }],
      [{ type: "l2Book", coin: "BTC", fast: true }],
    ]);
  });

  it.each([
    ["a row that cannot be read", [{ name: "ETH", maxLeverage: "x" }], true],
    ["a row that is not even named", [null], true],
    ["nothing of it", [], true],
    ["its delisting", [{ ...asset("ETH"), isDelisted: true }], false],
  ])("goes on watching an asset unless a poll delists it: %s", async (_, rows, isWatched) => {
    const { exchange, transport, timers, answerUniverse } = await listed();
    const assets = [watched("BTC"), watched("ETH"), watched("OLD")];
    exchange.watchAssets(assets);
    await timers.advance(0);
    for (const socket of transport.sockets) await bring(socket, timers, 100);
    answerUniverse([asset("BTC"), ...rows]);
    expect((await exchange.fetchUniverse()).ok).toBe(true);
    exchange.watchAssets(assets);

    const ended = transport.sockets.flatMap(({ sent }) =>
      sent.flatMap(({ method, subscription }) => (method === "unsubscribe" ? [subscription] : [])),
    );
    const ofEth = expect.objectContaining({ coin: "ETH" }) as unknown;
    expect(ended).toEqual(isWatched ? [] : transport.sockets.map(() => ofEth));
  });

  it("passes facts on, rejects a book that is not of its socket's kind, and names what a lost socket carried", async () => {
    const { exchange, transport, timers, events } = await listed();
    exchange.watchAssets([watched("BTC"), watched("ETH")]);
    await timers.advance(0);
    const slow = transport.sockets[1];
    await bring(slow, timers, 100);

    slow?.receive({ channel: "l2Book", data: { coin: "BTC", time: 5, levels: [[], []] } });
    slow?.receive({ channel: "l2Book", data: { coin: "BTC", time: 6, levels: [[], []], fast: true } });
    slow?.drop("closed 1006");

    expect(events).toMatchObject([
      { type: "feed.restored", socket: "slow" },
      { type: "book.received", frame: { source: "slow", exchangeTimeMs: 5, arrivedAtMs: timers.nowMs() } },
      { type: "frame.rejected", detail: "slow: unexpected fast" },
      { type: "feed.lost", socket: "slow", tickers: ["BTC", "ETH"], detail: "closed 1006" },
    ]);
  });

  it("passes nothing on of an asset that is not watched, or no more", async () => {
    const { exchange, transport, timers, events } = await listed();
    exchange.watchAssets([watched("BTC"), watched("ETH")]);
    await timers.advance(0);
    const [context, slow, bar] = transport.sockets;
    for (const socket of [context, slow, bar]) await bring(socket, timers, 100);
    exchange.watchAssets([watched("BTC")]);
    events.length = 0;

    const candle = { t: 0, o: "1", h: "2", l: "1", c: "2", v: "1", i: "1h" };
    const ctx = { funding: "0.0", openInterest: "0.0", dayNtlVlm: "0.0", oraclePx: "1.0", markPx: "1.0" };
    for (const coin of ["ETH", "MADEUP", "BTC"]) {
      context?.receive({ channel: "activeAssetCtx", data: { coin, ctx } });
      slow?.receive({ channel: "l2Book", data: { coin, time: 5, levels: [[], []] } });
      bar?.receive({ channel: "candle", data: { ...candle, s: coin } });
    }

    expect(events.map((event) => (event.type === "frame.rejected" ? event.detail : event.type))).toEqual([
      "context: context of ETH, which is not watched",
      "slow: book of ETH, which is not watched",
      "bar: bar of ETH, which is not watched",
      "context: context of MADEUP, which is not watched",
      "slow: book of MADEUP, which is not watched",
      "bar: bar of MADEUP, which is not watched",
      "context.received",
      "book.received",
      "bar.received",
    ]);
  });

  it("takes a book without two sides on the coarse socket for a coarse one, and one without a spread for none", async () => {
    const { exchange, transport, timers, events } = await listed();
    exchange.watchAssets([watched("BTC")]);
    await timers.advance(0);
    const coarse = transport.sockets[3];
    await bring(coarse, timers, 100);

    coarse?.receive({ channel: "l2Book", data: { coin: "BTC", time: 5, levels: [[], []] } });
    const level = (px: string): object => ({ px, sz: "1.0", n: 1 });
    coarse?.receive({ channel: "l2Book", data: { coin: "BTC", time: 6, levels: [[level("1.0")], []] } });
    const levels = [[level("1.0")], [level("2.0")]];
    coarse?.receive({ channel: "l2Book", data: { coin: "BTC", time: 7, levels } });

    expect(events.slice(1)).toMatchObject([
      { type: "book.received", frame: { source: "coarse", exchangeTimeMs: 5 } },
      { type: "book.received", frame: { source: "coarse", exchangeTimeMs: 6 } },
      { type: "frame.rejected", detail: "coarse: unexpected slow" },
    ]);
  });

  it("says once when the exchange calls something special, and once when it does no more", async () => {
    const { exchange, transport, events } = bench();
    const said = [null, "halted", "halted", undefined, null];
    transport.answers = () => answered({ time: 5, specialStatuses: said.shift() });
    for (let i = 0; i < 5; i++) expect(await exchange.fetchExchangeTimeMs()).toEqual({ ok: true, value: 5 });

    expect(events).toEqual([
      { type: "frame.rejected", detail: "the exchange says: special statuses halted" },
      { type: "frame.rejected", detail: "the exchange says: special statuses none" },
    ]);
  });

  it("says which predicted fundings make no sense, and knows the others", async () => {
    const { exchange, transport, events } = bench();
    transport.answers = () => answered([["BTC", [["BinPerp", { fundingRate: "0.0001" }]]], null]);

    const predicted = await exchange.fetchPredictedFundings();

    expect(predicted).toMatchObject({ ok: true, value: [{ ticker: "BTC" }] });
    expect(events).toMatchObject([
      { type: "frame.rejected", detail: "predictedFundings: 1 rows, the first [1]: wrong_type, found null" },
    ]);
  });

  it("completes its stream and ends its connections on close", async () => {
    const { exchange, transport } = bench();
    const ended = vi.spyOn(transport, "close");
    let isComplete = false;
    exchange.feed$.subscribe({ complete: () => (isComplete = true), error: () => undefined });
    await exchange.close();
    expect(isComplete).toBe(true);
    expect(ended).toHaveBeenCalledOnce();
  });

  it("waits for nothing and asks nothing once it is closed: its thread would stay for that", async () => {
    const { exchange, transport, timers } = bench();
    transport.answers = () => err({ code: "unreachable", detail: "away" });
    const untilMs = timers.nowMs();
    const fetched = Array.from({ length: 30 }, () =>
      exchange.fetchBars(BTC, untilMs - 5_000 * HOUR_MS, untilMs),
    );
    exchange.watchAssets([watched("BTC")]);
    await timers.advance(1_000);
    const asked = transport.requests.length;
    // Some wait for weight, some for their next attempt.
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(fetched.length);

    await exchange.close();

    expect(timers.waitingCount).toBe(0);
    expect((await Promise.all(fetched)).every(({ ok }) => !ok)).toBe(true);
    expect((await exchange.fetchUniverse()).ok).toBe(false);
    expect(transport.requests).toHaveLength(asked);
  });

  it("waits for none of a minute's connects and messages once it is closed, either", async () => {
    const { exchange, transport, timers } = await listed();
    exchange.watchAssets([watched("BTC")]);
    // Who accepts connections and drops them has six sockets spend a minute's connects before it is over.
    let dropped = 0;
    for (let seconds = 0; seconds < 30; seconds++) {
      await timers.advance(1_000);
      for (; dropped < transport.sockets.length; dropped++) {
        transport.sockets[dropped]!.open();
        transport.sockets[dropped]!.drop();
      }
    }
    expect(transport.sockets).toHaveLength(MARKET_CONNECTS.capacity);

    await exchange.close();

    expect(timers.waitingCount).toBe(0);
    await timers.advance(120_000);
    expect(transport.sockets).toHaveLength(MARKET_CONNECTS.capacity);
  });
});

interface Bench {
  readonly exchange: HyperliquidExchange;
  readonly transport: ScriptedTransport;
  readonly timers: ManualTimers;
  readonly events: FeedEvent[];
}

function bench(): Bench {
  const timers = new ManualTimers();
  const transport = new ScriptedTransport();
  const exchange = new HyperliquidExchange({ transport, timers, uniform: () => 0.5, weightPerMinute: 900 });
  const events: FeedEvent[] = [];
  exchange.feed$.subscribe({ next: (event) => events.push(event), error: () => undefined });
  return { exchange, transport, timers, events };
}

async function listed(): Promise<Bench & { answerUniverse: (universe: readonly unknown[]) => void }> {
  const made = bench();
  const context = {
    funding: "0.0",
    openInterest: "0.0",
    prevDayPx: "1.0",
    dayNtlVlm: "0.0",
    premium: null,
    oraclePx: "1.0",
    markPx: "1.0",
    midPx: null,
    impactPxs: null,
  };
  const answerUniverse = (universe: readonly unknown[]): void => {
    made.transport.answers = (body) =>
      answered(isRecord(body) ? [{ universe, marginTables: [] }, universe.map(() => context)] : null);
  };
  answerUniverse([asset("BTC"), { ...asset("OLD"), isDelisted: true }, asset("ETH")]);
  expect((await made.exchange.fetchUniverse()).ok).toBe(true);
  return { ...made, answerUniverse };
}

function asset(name: string): object {
  return { name, szDecimals: 2, maxLeverage: 10, marginTableId: 10 };
}

function watched(name: string): { ticker: typeof BTC; volume24hUsd: number } {
  return { ticker: tickerOf(name), volume24hUsd: name === "BTC" ? 2 : 1 };
}
