import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import type { WireServerFrame } from "../../src/exchange/hyperliquid/wire-feed.ts";
import { ConnectionLimits } from "../../src/simulator/connection-limits.ts";
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

  send(text: string): void {
    this.sent.push(text);
    this.bufferedAmount += text.length;
  }

  read(): WireServerFrame[] {
    this.bufferedAmount = 0;
    return this.sent.splice(0).map((text) => JSON.parse(text) as WireServerFrame);
  }
}

it("keeps a bounded number of bytes for a client that does not read, and tells it then how things are", () => {
  const limits = new ConnectionLimits({ unreadBytes: 10_000 });
  const market = new SimulatedMarket(7, START_MS, new Scenarios(), { assetCount: 6, historyHours: 450 });
  const socket = new UnreadSocket();
  const feed = new FeedSocket(
    socket as unknown as WebSocket,
    { market, wallets: new SimulatedWallets(market) },
    limits.clientOf("127.0.0.1", START_MS),
    limits.limits,
    new ManualClock(START_MS),
  );
  const subscription = { type: "l2Book", coin: "BTC", fast: true };
  socket.emit("message", Buffer.from(JSON.stringify({ method: "subscribe", subscription })));
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
