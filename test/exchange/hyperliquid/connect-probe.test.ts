import { describe, expect, it } from "vitest";
import { tickerOf } from "../../../src/domain/ids.ts";
import { SocketSession } from "../../../src/exchange/hyperliquid/socket-session.ts";
import { planFeed } from "../../../src/exchange/hyperliquid/subscriptions.ts";
import { MARKET_RETRY_MS_MAX } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { bring, sessionDepsOf } from "../support/live-session.ts";
import { ScriptedTransport } from "../support/scripted-transport.ts";

// Mutants killed by hand: every socket tries for itself; nobody is told of a success; a prober that leaves has no heir.

const SOCKETS = 6;

describe("sockets that share a budget of connects", () => {
  it.each([5, 20, 120])("are all back soon after an outage of %i s", async (outageSeconds) => {
    const { sessions, transport, step } = await sixLive();
    const connectsBefore = transport.sockets.length;
    for (const socket of transport.sockets) socket.drop();

    await step(outageSeconds, false);
    const tries = transport.sockets.length - connectsBefore;
    expect(tries).toBeLessThanOrEqual(SOCKETS + 5 + outageSeconds / 4);
    await step(7, true);

    expect(sessions.map(({ state }) => state)).toEqual(Array.from({ length: SOCKETS }, () => "live"));
  });

  it("hand the trying on when the one that does is closed", async () => {
    const { sessions, transport, step } = await sixLive();
    for (const socket of transport.sockets) socket.drop();
    await step(5, false);

    for (const session of sessions.slice(0, -1)) {
      session.close();
      await step(1, false);
    }
    await step(7, true);

    expect(sessions.at(-1)!.state).toBe("live");
  });

  it("hand the trying on when nothing is wanted any more of the one that does", async () => {
    const { sessions, transport, step } = await sixLive();
    for (const socket of transport.sockets) socket.drop();
    await step(5, false);

    for (const session of sessions.slice(0, -1)) session.want([]);
    await step(60, false);
    await step(7, true);

    expect(sessions.map(({ state }) => state)).toEqual(["idle", "idle", "idle", "idle", "idle", "live"]);
  });
});

/** Sessions of one ticker each, and an exchange that answers at once, or refuses at once while it is away. */
async function sixLive() {
  const timers = new ManualTimers();
  const transport = new ScriptedTransport();
  const deps = sessionDepsOf(transport, timers, MARKET_RETRY_MS_MAX);
  const ignore = () => undefined;
  const events = { onFrame: ignore, onRejected: ignore, onRestored: ignore, onLost: ignore };
  const sessions = Array.from({ length: SOCKETS }, () => new SocketSession(deps, null, events));
  let served = 0;
  const step = async (seconds: number, isThere: boolean): Promise<void> => {
    for (let ms = 0; ms < seconds * 1_000; ms += 50) {
      await timers.advance(50);
      for (; served < transport.sockets.length; served++) {
        const socket = transport.sockets[served]!;
        if (isThere) await bring(socket, timers);
        else socket.drop("ECONNREFUSED");
      }
    }
  };
  for (const session of sessions) session.want(planFeed([{ ticker: tickerOf("BTC"), volume24hUsd: 1 }]).slow);
  await step(1, true);
  expect(sessions.every(({ state }) => state === "live")).toBe(true);
  // A minute later, so that the connects of the start do not count.
  for (let pong = 0; pong < 3; pong++) {
    await timers.advance(25_000);
    for (const socket of transport.sockets) socket.receive({ channel: "pong" });
  }
  expect(sessions.every(({ state }) => state === "live")).toBe(true);
  return { sessions, transport, step };
}
