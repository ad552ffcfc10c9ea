import { expect, it } from "vitest";
import type { WireCandle, WireTrade } from "../../src/exchange/hyperliquid/wire.ts";
import { FeedSubscription } from "../../src/simulator/feed-frames.ts";
import type { InfoWorld } from "../../src/simulator/info-answers.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { SimulatedWallets } from "../../src/simulator/simulated-wallets.ts";
import { START_MS } from "./support/manual-exchange.ts";

function worldOf(scenarios = new Scenarios()): InfoWorld {
  const market = new SimulatedMarket(7, START_MS, scenarios, { assetCount: 1, historyHours: 48 });
  return { market, wallets: new SimulatedWallets(market) };
}

/** What the frames that are due hold, frame by frame. */
const dueOf = <T>(feed: FeedSubscription, world: InfoWorld): T[] =>
  feed.framesDue(world).map((text) => (JSON.parse(text) as { data: T }).data);

it("begins empty for who subscribes after a pause, and does not go back to what was before it", () => {
  const scenarios = new Scenarios();
  const world = worldOf(scenarios);
  scenarios.start({ kind: "book_outage", magnitude: 1, durationMs: 30_000 }, START_MS);
  world.market.advanceTo(START_MS + 29_000);
  const feed = new FeedSubscription({ type: "trades", coin: "BTC" });

  expect(dueOf(feed, world)).toEqual([[]]);
  expect(dueOf(feed, world)).toEqual([]);
  world.market.advanceTo(START_MS + 35_000);
  const times = dueOf<WireTrade[]>(feed, world).flatMap((trades) => trades.map(({ time }) => time));
  expect(times.length).toBeGreaterThan(0);
  for (const time of times) expect(time).toBeGreaterThan(START_MS + 29_000);
});

// 90 s of the market is what passes between two pumps at the highest speed.
it.each([90, 19_440, 90_000])("adds up to the candles where both are told every %i ms", (stepMs) => {
  const world = worldOf();
  const trades = new FeedSubscription({ type: "trades", coin: "BTC" });
  const candles = new FeedSubscription({ type: "candle", coin: "BTC", interval: "1m" });
  const prints: WireTrade[] = [];
  const told = new Map<number, WireCandle>();
  for (let passed = 0; passed <= 1_000_000; passed += stepMs) {
    world.market.advanceTo(START_MS + passed);
    prints.push(...dueOf<WireTrade[]>(trades, world).flat());
    for (const candle of dueOf<WireCandle>(candles, world)) told.set(candle.t, candle);
  }

  // Of the minute that the subscriptions began in they were told a part.
  const [, ...whole] = told.values();
  expect(whole.length).toBeGreaterThanOrEqual(15);
  whole.forEach(({ t, T, n, v, h, l, c }, i) => {
    if (i > 0) expect(t).toBe(whole[i - 1]!.T + 1);
    const within = prints.filter(({ time }) => time >= t && time <= T);
    const prices = within.map(({ px }) => Number(px));
    expect(n).toBe(within.length);
    expect(Number(v)).toBeCloseTo(
      within.reduce((sum, { sz }) => sum + Number(sz), 0),
      3,
    );
    expect(Number(c)).toBe(prices.at(-1));
    expect(Number(h)).toBeGreaterThanOrEqual(Math.max(...prices));
    expect(Number(l)).toBeLessThanOrEqual(Math.min(...prices));
  });
});

it("replays all of the last 20 s to a new subscriber, of the busiest market too", () => {
  const world = worldOf();
  const early = new FeedSubscription({ type: "trades", coin: "BTC" });
  early.framesDue(world);
  const told: WireTrade[] = [];
  for (let passed = 0; passed <= 120_000; passed += 90) {
    world.market.advanceTo(START_MS + passed);
    told.push(...dueOf<WireTrade[]>(early, world).flat());
    if (passed % 9000 !== 0 || passed < 30_000) continue;
    const since = told.filter(({ time }) => time > START_MS + passed - 20_000);
    expect(dueOf(new FeedSubscription({ type: "trades", coin: "BTC" }), world)).toEqual([since]);
  }
});

it("sells at the bid and buys at the ask, and goes on with the volume that the hours before had", () => {
  const { market } = worldOf();
  const { tape, spec, candles } = market.assetOf("BTC")!;
  const { bid, ask } = market.assetOf("BTC")!.touch!;
  const trades = tape.recent(1).map((print) => tape.wire(print));
  tape.draw(market.nowMs, 540_000, { bid, ask }, 1);
  trades.push(...tape.recent(5).map((print) => tape.wire(print)));
  tape.record({ timeMs: market.nowMs, price: ask, sizeBase: 1, isBuy: true });
  expect(tape.lastPrice).toBe(ask);
  expect(trades.length).toBe(6);
  for (const { side, px, sz } of trades.slice(1)) {
    expect(Number(px)).toBe(side === "B" ? ask : bid);
    expect(Number(sz)).toBeGreaterThan(0);
  }
  expect(new Set(trades.map(({ side }) => side)).size).toBe(2);

  market.advanceTo(START_MS + 3_600_000);
  const rows = candles.rows("BTC", spec.szDecimals, "5m", START_MS - 86_400_000, market.nowMs);
  const volumeOf = (some: readonly WireCandle[]): number =>
    some.reduce((sum, { v }) => sum + Number(v), 0) / some.length;
  const ratio = volumeOf(rows.slice(-12, -1)) / volumeOf(rows.slice(0, -13));
  expect(ratio).toBeGreaterThan(0.4);
  expect(ratio).toBeLessThan(2.5);
});

it("keeps a few hundred prints, however many there were since the market moved last", () => {
  const { market } = worldOf();
  for (let step = 1; step <= 3; step++) market.advanceTo(START_MS + 90_000 * step);
  market.advanceTo(market.nowMs);
  expect(market.assetOf("BTC")!.tape.recent(10_000).length).toBeLessThanOrEqual(400);
});
