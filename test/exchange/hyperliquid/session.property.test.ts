import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SocketSession } from "../../../src/exchange/hyperliquid/socket-session.ts";
import { MARKET_RETRY_MS_MAX } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { LaggingExchange } from "../support/lagging-exchange.ts";
import { sessionDepsOf } from "../support/live-session.ts";
import { plan, SILENCE_MS } from "../support/session-bench.ts";

// Mutants killed by hand: what is wanted no more is not ended; what was acknowledged is remembered beyond its socket; what
// is not answered is waited for without end; a loss is not told of as over where nothing is wanted any more.

interface World {
  readonly timers: ManualTimers;
  readonly exchange: LaggingExchange;
  readonly session: SocketSession;
  wanted: readonly string[];
}

type Happening = (world: World) => Promise<void> | void;

const COINS = ["A", "B", "C"];
/** What was left out is tried again by then, after ten minutes of quarantine. */
const LONG_MS = 13 * 60_000;

const coin = fc.constantFrom(...COINS);
const waits = fc.constantFrom(0, 50, 1_000, 5_500, 20_000);
/** Named, so that a failing case says what happened. */
const happening = fc.oneof(
  named(5, "want", fc.subarray(COINS), (coins) => (world) => {
    world.wanted = coins;
    world.session.want(plan(coins));
  }),
  named(
    6,
    "wait",
    waits,
    (spanMs) =>
      ({ timers }) =>
        timers.advance(spanMs),
  ),
  named(2, "lag", fc.constantFrom(800, 6_000), (lagMs) => ({ exchange }) => {
    exchange.trouble.lagMs = lagMs;
  }),
  named(
    1,
    "mute",
    coin,
    (muted) =>
      ({ exchange }) =>
        void exchange.trouble.muted.add(muted),
  ),
  named(
    1,
    "unlist",
    coin,
    (unknown) =>
      ({ exchange }) =>
        void exchange.trouble.unknown.add(unknown),
  ),
  named(1, "stick", fc.constant(true), (isStuck) => ({ exchange }) => {
    exchange.trouble.isStuck = isStuck;
  }),
  named(1, "refuse", fc.constant(true), (isRefusing) => ({ exchange }) => {
    exchange.trouble.isRefusing = isRefusing;
  }),
  named(
    2,
    "drop",
    fc.constant(null),
    () =>
      ({ exchange }) =>
        exchange.drop(),
  ),
  named(
    2,
    "mend",
    fc.constant(null),
    () =>
      ({ exchange }) =>
        exchange.mend(),
  ),
);

describe("SocketSession", () => {
  it("comes to have what is wanted and nothing else, whatever was wanted and went wrong before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 30, size: "max" }), async (happenings) => {
        const timers = new ManualTimers();
        const exchange = new LaggingExchange(timers);
        const told: string[] = [];
        const session = new SocketSession(sessionDepsOf(exchange, timers, MARKET_RETRY_MS_MAX), SILENCE_MS, {
          onFrame: () => undefined,
          onRejected: () => undefined,
          onRestored: () => told.push("restored"),
          onLost: () => told.push("lost"),
        });
        const world: World = { timers, exchange, session, wanted: [] };
        for (const { happen } of happenings) await happen(world);

        exchange.mend();
        await timers.advance(LONG_MS);

        const isWanted = world.wanted.length > 0;
        expect(exchange.subscribed).toEqual(isWanted ? [world.wanted.toSorted()] : []);
        expect(session.state).toBe(isWanted ? "live" : "idle");
        expect(told.at(-1) ?? "restored").toBe("restored");
        session.close();
      }),
    );
  });
});

function named<T>(
  weight: number,
  name: string,
  values: fc.Arbitrary<T>,
  happens: (value: T) => Happening,
): fc.WeightedArbitrary<{ readonly happen: Happening; readonly toString: () => string }> {
  const arbitrary = values.map((value) => ({
    happen: happens(value),
    toString: () => `${name} ${JSON.stringify(value)}`,
  }));
  return { weight, arbitrary };
}
