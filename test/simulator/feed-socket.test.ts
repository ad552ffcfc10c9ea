import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import type { WireServerFrame } from "../../src/exchange/hyperliquid/wire-feed.ts";
import { ConnectionLimits, type ExchangeLimits } from "../../src/simulator/connection-limits.ts";
import { FeedSocket } from "../../src/simulator/feed-socket.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { SimulatedWallets } from "../../src/simulator/simulated-wallets.ts";
import { ManualClock } from "../../src/simulator/simulator-clock.ts";
import { START_MS } from "./support/manual-exchange.ts";

/** What a socket's other side has not read is still there. */
class UnreadSocket extends EventEmitter {
  readonly sent: string[] = [];
  bufferedAmount = 0;
  isTerminated = false;

  terminate(): void {
    this.isTerminated = true;
  }

  send(text: string): void {
    this.sent.push(text);
    this.bufferedAmount += text.length;
  }

  read(): WireServerFrame[] {
    this.bufferedAmount = 0;
    return this.sent.splice(0).map((text) => JSON.parse(text) as WireServerFrame);
  }
}

/** A server's side of one connection of a client that has these limits. */
function connected(named: Partial<ExchangeLimits> = {}) {
  const limits = new ConnectionLimits(named);
  const market = new SimulatedMarket(7, START_MS, new Scenarios(), { assetCount: 6, historyHours: 450 });
  const clock = new ManualClock(START_MS);
  const socket = new UnreadSocket();
  const usage = limits.clientOf("127.0.0.1", START_MS);
  usage.connectionCount++;
  const world = { market, wallets: new SimulatedWallets(market) };
  const feed = new FeedSocket(socket as unknown as WebSocket, world, usage, limits.limits, clock);
  const say = (frame: unknown): boolean => socket.emit("message", Buffer.from(JSON.stringify(frame)));
  const told = (): unknown[] =>
    socket.read().map((frame) => (frame.channel === "error" ? frame.data : frame.channel));
  return { market, clock, socket, usage, feed, say, told };
}

const USER = "0x5eed000000000000000000000000000000000003";
const ask = (id: number, payload: unknown, type = "info"): unknown => ({
  method: "post",
  id,
  request: { type, payload },
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("keeps a bounded number of bytes for a client that does not read, and tells it then how things are", () => {
  const { market, socket, feed, say } = connected({ unreadBytes: 10_000 });
  say({ method: "subscribe", subscription: { type: "l2Book", coin: "BTC", fast: true } });
  let unreadMost = 0;
  const pass = (seconds: number): void => {
    const endMs = market.nowMs + seconds * 1_000;
    while (market.nowMs < endMs) {
      market.advanceTo(market.nowMs + 500);
      feed.pushDue();
      unreadMost = Math.max(unreadMost, socket.bufferedAmount);
    }
  };

  pass(60);
  const before = socket.read();
  pass(1);
  const after = socket.read();

  expect(unreadMost).toBeGreaterThan(10_000);
  expect(unreadMost).toBeLessThan(12_000);
  expect(before.length).toBeGreaterThan(10);
  expect(after.map((frame) => frame.channel === "l2Book" && frame.data.time > START_MS + 59_000)).toEqual(
    after.map(() => true),
  );
  expect(after.length).toBeGreaterThan(0);
});

it("gives back what it had in use: its connection, its subscriptions and the users that they are of", () => {
  const { feed, usage, say, told } = connected({ subscriptions: 2, users: 1 });
  const mids = { type: "allMids" };
  for (const subscription of [mids, { type: "userEvents", user: USER }, { type: "bbo", coin: "BTC" }]) {
    say({ method: "subscribe", subscription });
  }
  expect(told().at(-1)).toBe("Cannot subscribe to more than 2 channels.");
  say({ method: "unsubscribe", subscription: mids });
  say({ method: "subscribe", subscription: { type: "orderUpdates", user: USER } });
  expect(told()).toEqual(["subscriptionResponse", "subscriptionResponse"]);
  expect([usage.connectionCount, usage.subscriptionCount, usage.userCount]).toEqual([1, 2, 1]);

  feed.release();
  expect([usage.connectionCount, usage.subscriptionCount, usage.userCount]).toEqual([0, 0, 0]);
});

it("is closed when nothing was sent to it for a minute, to the millisecond", () => {
  const { feed, socket, clock, say } = connected();
  clock.advance(10_000);
  say({ method: "ping" });
  for (const elapsedMs of [0, 59_999]) {
    clock.advance(elapsedMs);
    feed.closeIfSilent();
    expect(socket.isTerminated).toBe(false);
  }
  clock.advance(1);
  feed.closeIfSilent();
  expect(socket.isTerminated).toBe(true);
});

it("answers as many posts at once as are allowed, refuses the next, and answers again after them", async () => {
  const { say, told } = connected({ pendingPosts: 2 });
  for (let id = 1; id <= 3; id++) say(ask(id, { type: "exchangeStatus" }));
  await turn();
  expect(told()).toEqual(["too many pending post requests id=3", "post", "post"]);
  for (let id = 4; id <= 5; id++) say(ask(id, { type: "exchangeStatus" }));
  await turn();
  expect(told()).toEqual(["post", "post"]);
});

it("answers a post that it refuses with the status that a request would have, and no other kind of post", async () => {
  const { say, socket } = connected({ weightPerMinute: 45 });
  say(ask(1, { type: "meta", dex: "nowhere" }));
  say(ask(2, { type: "recentTrades" }));
  say(ask(3, { type: "meta" }));
  say(ask(4, { type: "exchangeStatus" }, "action"));
  await turn();
  const refusal = (id: number, payload: string): unknown => ({
    channel: "post",
    data: { id, response: { type: "error", payload } },
  });
  const unread = JSON.stringify(ask(4, { type: "exchangeStatus" }, "action"));
  expect(socket.read()).toEqual([
    { channel: "error", data: `Error parsing JSON into valid websocket request: ${unread}` },
    refusal(1, "500 Internal Server Error"),
    refusal(2, "422 Unprocessable Entity"),
    refusal(3, "429 Too Many Requests"),
  ]);
});

it("reads a frame that came in parts", () => {
  const { socket, told } = connected();
  socket.emit("message", [Buffer.from('{"method":'), Buffer.from('"ping"}')]);
  expect(told()).toEqual(["pong"]);
});

it("is ended when the client breaks the protocol", () => {
  const { socket } = connected();
  socket.emit("error", new Error("Invalid WebSocket frame"));
  expect(socket.isTerminated).toBe(true);
});
