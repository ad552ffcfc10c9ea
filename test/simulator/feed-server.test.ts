import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { inflateRawSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/simulator/simulator.ts";
import { FrameClient, startManualExchange } from "./support/manual-exchange.ts";

/** Mutants seen to fail here: users that stay counted after they are unsubscribed. */
const USER = "0x5eed000000000000000000000000000000000003";
let exchange: RunningSimulator;
let client: FrameClient;

beforeEach(async () => {
  exchange = await startManualExchange({ assetCount: 6 });
  client = await FrameClient.open(exchange.wsUrl);
});
afterEach(() => exchange.stop());

const errors = (): string[] => client.of("error").map(({ data }) => data);

describe("acknowledgements", () => {
  it.each([
    [
      { type: "l2Book", coin: "BTC" },
      { type: "l2Book", coin: "BTC", nSigFigs: null, mantissa: null, fast: false },
    ],
    [
      { type: "l2Book", coin: "BTC", nSigFigs: 5, mantissa: 2, fast: true },
      { type: "l2Book", coin: "BTC", nSigFigs: 5, mantissa: 2, fast: true },
    ],
    [
      { type: "clearinghouseState", user: USER.toUpperCase().replace("X", "x") },
      { type: "clearinghouseState", user: USER, dex: "" },
    ],
    [
      { type: "userFills", user: USER },
      { type: "userFills", user: USER, aggregateByTime: false },
    ],
    [{ type: "assetCtxs" }, { type: "assetCtxs", dex: "" }],
    [{ type: "allMids" }, { type: "allMids" }],
  ])("fill defaults and come before data: %j", async (subscription, echoed) => {
    client.subscribe(subscription);
    await client.fence();
    expect(client.frames[0]).toEqual({
      channel: "subscriptionResponse",
      data: { method: "subscribe", subscription: echoed },
    });
    expect(client.frames[1]!.channel).toBe(subscription.type);
    client.send({ method: "unsubscribe", subscription });
    await client.fence();
    expect(client.of("subscriptionResponse").at(-1)!.data).toEqual({
      method: "unsubscribe",
      subscription: echoed,
    });
  });
});

describe("refusals", () => {
  it("leave the socket open and say what the exchange says", async () => {
    const echoed = '{"type":"bbo","coin":"BTC"}';
    const unreadable = [
      '{"method":"subscribe","subscription":{"type":"bbo","coin":["BTC","ETH"]}}',
      '{"method":"subscribe","subscription":{"type":"nothing"}}',
      '{"method":"subscribe"}',
      '{"method":"dance"}',
      "not json",
      '{"method":"post","request":{"type":"info","payload":{"type":"meta"}}}',
    ];
    client.subscribe({ type: "bbo", coin: "BTC" });
    client.subscribe({ type: "bbo", coin: "BTC" });
    client.send({ method: "unsubscribe", subscription: { type: "trades", coin: "ETH" } });
    client.subscribe({ type: "candle", coin: "BTC", interval: "7m" });
    for (const frame of unreadable) client.send(frame);
    await client.fence();
    expect(errors()).toEqual([
      `Already subscribed: ${echoed}`,
      'Already unsubscribed: {"type":"trades","coin":"ETH"}',
      'Invalid subscription {"type":"candle","coin":"BTC","interval":"7m"}',
      ...unreadable.map((frame) => `Error parsing JSON into valid websocket request: ${frame}`),
    ]);
  });

  it("echo an invalid subscription as far as it was read, however deep the rest is", async () => {
    const depth = 30_000;
    const rest = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    client.send(
      `{"method":"subscribe","subscription":{"type":"candle","coin":"BTC","interval":"7m","rest":${rest}}}`,
    );
    await client.fence();
    expect(errors()).toEqual(['Invalid subscription {"type":"candle","coin":"BTC","interval":"7m"}']);
  });

  it.each([
    [{ type: "l2Book", coin: "btc" }],
    [{ type: "bbo", coin: "NOPE" }],
    [{ type: "l2Book", coin: "BTC", nSigFigs: 7 }],
    [{ type: "l2Book", coin: "BTC", nSigFigs: 4, mantissa: 2 }],
    [{ type: "activeAssetCtx", coin: "xyz:NVDA" }],
  ])("drop the socket without a frame for %j", async (subscription) => {
    client.subscribe(subscription);
    expect(await client.closed).toBe(1006);
    expect(client.frames).toEqual([]);
  });
});

describe("limits", () => {
  it("tracks at most ten users over all sockets of an address and frees them on unsubscribe", async () => {
    const second = await FrameClient.open(exchange.wsUrl);
    for (let i = 0; i < 10; i++)
      (i % 2 ? client : second).subscribe({ type: "userFills", user: `0x${String(i).padStart(40, "0")}` });
    await Promise.all([client.fence(), second.fence()]);
    client.subscribe({ type: "userFills", user: `0x${"e".repeat(40)}` });
    client.subscribe({ type: "userFundings", user: `0x${"1".padStart(40, "0")}` });
    await client.fence();
    expect(errors()).toEqual(["Cannot track more than 10 total users."]);
    second.send({ method: "unsubscribe", subscription: { type: "userFills", user: `0x${"0".repeat(40)}` } });
    await second.fence();
    client.subscribe({ type: "userFills", user: `0x${"e".repeat(40)}` });
    await client.fence();
    expect(errors()).toHaveLength(1);
  });

  it("refuses more channels, messages and pending posts than allowed", async () => {
    const strict = await startManualExchange({
      assetCount: 2,
      limits: { subscriptions: 3, messagesPerMinute: 12, pendingPosts: 2 },
    });
    const tight = await FrameClient.open(strict.wsUrl);
    for (const type of ["bbo", "trades", "activeAssetCtx", "l2Book"]) tight.subscribe({ type, coin: "BTC" });
    for (let id = 1; id <= 4; id++)
      tight.send({ method: "post", id, request: { type: "info", payload: { type: "exchangeStatus" } } });
    await tight.next(({ channel }) => channel === "post");
    for (let i = 0; i < 5; i++) tight.send({ method: "ping" });
    await tight.next((frame) => frame.channel === "error" && frame.data.includes("messages per minute"));
    const told = tight.of("error").map(({ data }) => data);
    expect(told).toContain("Cannot subscribe to more than 3 channels.");
    expect(told.at(-1)).toBe("Cannot send more than 12 messages per minute.");
    await strict.stop();
  });

  it("refuses the eleventh connection and the thirty-first in a minute", async () => {
    for (let i = 1; i < 10; i++) await FrameClient.open(exchange.wsUrl);
    await expect(FrameClient.open(exchange.wsUrl)).rejects.toThrow("429");
    const roomy = await startManualExchange({ assetCount: 1, limits: { connections: 100 } });
    for (let i = 0; i < 30; i++) await FrameClient.open(roomy.wsUrl);
    await expect(FrameClient.open(roomy.wsUrl)).rejects.toThrow("429");
    roomy.advance(61_000);
    await FrameClient.open(roomy.wsUrl);
    await roomy.stop();
  });

  it("counts no connection that was never opened", async () => {
    for (let i = 0; i < 10; i++) {
      const withoutKey = request(exchange.wsUrl.replace("ws:", "http:"), {
        headers: { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
      }).end();
      const [refusal] = (await once(withoutKey, "response")) as [IncomingMessage];
      expect(refusal.statusCode).toBe(400);
      refusal.resume();
    }
    for (let i = 1; i < 10; i++) await FrameClient.open(exchange.wsUrl);
    await expect(FrameClient.open(exchange.wsUrl)).rejects.toThrow("429");
  });

  it("closes a socket it has sent nothing to for a minute, pings or not counted by what it sends", async () => {
    const talking = await FrameClient.open(exchange.wsUrl);
    exchange.advance(40_000);
    await talking.fence();
    exchange.advance(21_000);
    expect(await client.closed).toBe(1006);
    await talking.fence();
    expect(talking.socket.readyState).toBe(talking.socket.OPEN);
  });
});

describe("cadence", () => {
  it("sends slow books on a 5.4 s clock and fast ones on a 0.54 s clock, stamped alike for all coins", async () => {
    for (const coin of ["BTC", "SOL"])
      for (const fast of [true, false]) client.subscribe({ type: "l2Book", coin, fast });
    await client.fence();
    const before = client.frames.length;
    exchange.advance(27_000);
    await client.fence();
    const books = client.frames
      .slice(before)
      .flatMap((frame) => (frame.channel === "l2Book" ? [frame.data] : []));
    const timesOf = (coin: string, fast: boolean): number[] =>
      books.filter((book) => book.coin === coin && (book.fast === true) === fast).map(({ time }) => time);
    expect(timesOf("BTC", true)).toHaveLength(50);
    expect(timesOf("BTC", false)).toHaveLength(5);
    expect(timesOf("SOL", true)).toEqual(timesOf("BTC", true));
    expect(timesOf("SOL", false)).toEqual(timesOf("BTC", false));
    expect(timesOf("BTC", false)[1]! - timesOf("BTC", false)[0]!).toBe(5400);
    for (const book of books)
      expect(book.levels.map((side) => side.length)).toEqual(book.fast ? [5, 5] : [20, 20]);
  });

  it("ticks oracle and mark together every 3 s while mids move in between", async () => {
    client.subscribe({ type: "activeAssetCtx", coin: "BTC" });
    await client.fence();
    exchange.advance(60_000);
    await client.fence();
    const ctxs = client.of("activeAssetCtx").map(({ data }) => data.ctx);
    expect(ctxs.length).toBeGreaterThan(58);
    expect(new Set(ctxs.map(({ oraclePx }) => oraclePx)).size).toBeLessThanOrEqual(21);
    expect(new Set(ctxs.map(({ midPx }) => midPx)).size).toBeGreaterThan(30);
  });

  it("compresses contexts of all coins, first whole and then only changes", async () => {
    client.subscribe({ type: "fastAssetCtxs" });
    await client.fence();
    exchange.advance(1100);
    await client.fence();
    const decoded = client
      .of("fastAssetCtxs")
      .map(
        ({ data }) =>
          JSON.parse(inflateRawSync(Buffer.from(data, "base64")).toString()) as Record<
            string,
            { markPx?: string; midPx?: string | null }
          >,
      );
    expect(Object.keys(decoded[0]!)).toEqual(["BTC", "ETH", "MATIC", "SOL", "XRP", "DOGE"]);
    expect(decoded[0]!["MATIC"]).toEqual({ markPx: "0.3762", midPx: null });
    expect(decoded[1]!["MATIC"]).toBeUndefined();
  });

  it("replays 20 s of trades unflagged, then only new ones", async () => {
    exchange.advance(30_000);
    client.subscribe({ type: "trades", coin: "BTC" });
    await client.fence();
    exchange.advance(5000);
    await client.fence();
    const [first, ...later] = client.of("trades").map(({ data }) => data);
    expect(first!.at(-1)!.time - first![0]!.time).toBeGreaterThan(15_000);
    const ids = [first!, ...later].flat().map(({ tid }) => tid);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });
});

describe("post", () => {
  it("answers info, null for an unknown coin, and an error payload for what cannot be read", async () => {
    const post = (id: number, payload: unknown): void =>
      client.send({ method: "post", id, request: { type: "info", payload } });
    post(1, { type: "exchangeStatus" });
    post(2, { type: "l2Book", coin: "NOPE" });
    post(3, { type: "nothing" });
    // What would be made a text of by its own method has none.
    post(4, { type: { toString: 1 } });
    await client.next((frame) => frame.channel === "post" && frame.data.id === 4);
    const [status, book, ...refused] = client.of("post").map(({ data }) => data.response);
    expect(status).toMatchObject({
      type: "info",
      payload: { type: "exchangeStatus", data: { specialStatuses: null } },
    });
    expect(book).toEqual({ type: "info", payload: { type: "l2Book", data: null } });
    const refusal = { type: "error", payload: "422 Unprocessable Entity" };
    expect(refused).toEqual([refusal, refusal]);
  });
});
