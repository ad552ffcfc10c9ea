import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { ConnectionLimits } from "../../src/simulator/connection-limits.ts";
import { FeedServer } from "../../src/simulator/feed-server.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { SimulatedWallets } from "../../src/simulator/simulated-wallets.ts";
import { ManualClock } from "../../src/simulator/simulator-clock.ts";
import { START_MS } from "./support/manual-exchange.ts";

/** The server's end of a connection; what is written to it is kept. */
class Connection extends Duplex {
  readonly written: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.written.push(chunk);
    done();
  }

  get status(): number {
    return Number(this.written[0]?.toString().split(" ")[1]);
  }
}

function serverOf(limits: ConnectionLimits, scenarios = new Scenarios()) {
  const market = new SimulatedMarket(7, START_MS, scenarios, { assetCount: 1, historyHours: 48 });
  const world = { market, wallets: new SimulatedWallets(market) };
  const clock = new ManualClock(START_MS);
  const server = new FeedServer(world, limits, scenarios, clock);
  const connect = (): Connection => {
    const connection = new Connection();
    const headers = {
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    const request = { method: "GET", headers, socket: { remoteAddress: "10.0.0.1" } };
    server.upgrade(request as unknown as IncomingMessage, connection, Buffer.alloc(0));
    return connection;
  };
  return { server, clock, connect, usage: limits.clientOf("10.0.0.1", START_MS) };
}

async function hangUp(connection: Connection): Promise<void> {
  connection.destroy();
  await once(connection, "close");
  await new Promise((resolve) => setImmediate(resolve));
}

it("lets a client connect anew in the place of a connection that has ended", async () => {
  const { connect } = serverOf(new ConnectionLimits({ connections: 2 }));
  const [first, second, third] = [connect(), connect(), connect()];
  expect([first, second, third].map(({ status }) => status)).toEqual([101, 101, 429]);

  await hangUp(first);
  expect([connect(), connect()].map(({ status }) => status)).toEqual([101, 429]);
});

it("counts the connections of a minute that it opened, not those that it refused", () => {
  const scenarios = new Scenarios();
  const { connect, usage } = serverOf(new ConnectionLimits({ connectionsPerMinute: 2 }), scenarios);
  scenarios.start({ kind: "feed_disconnect", magnitude: 1, durationMs: 10_000 }, START_MS);
  expect([connect(), connect()].map(({ status }) => status)).toEqual([503, 503]);
  scenarios.stopAll();
  expect([connect(), connect(), connect()].map(({ status }) => status)).toEqual([101, 101, 429]);
  expect([usage.connectionCount, usage.opened.used(START_MS)]).toEqual([2, 2]);
});

it("outlives a client that breaks off while it is refused or told something", async () => {
  const { connect, server } = serverOf(new ConnectionLimits({ connections: 1 }));
  const [open, refused] = [connect(), connect()];
  for (const connection of [refused, open]) {
    connection.destroy(new Error("ECONNRESET"));
    await new Promise((resolve) => connection.once("close", resolve));
  }
  server.pump();
  await new Promise((resolve) => setImmediate(resolve));
  expect(connect().status).toBe(101);
});

it("ends a silent connection while it says nothing on purpose, too", () => {
  const scenarios = new Scenarios();
  const { connect, server, clock } = serverOf(new ConnectionLimits({ silenceMs: 60_000 }), scenarios);
  const connection = connect();
  scenarios.start({ kind: "feed_silence", magnitude: 1, durationMs: 120_000 }, START_MS);
  clock.advance(59_999);
  server.pump();
  expect(connection.destroyed).toBe(false);
  clock.advance(1);
  server.pump();
  expect(connection.destroyed).toBe(true);
});
