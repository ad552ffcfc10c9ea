import { afterEach, describe, expect, it } from "vitest";
import { filter, firstValueFrom, take, toArray } from "rxjs";
import { tickerOf, walletAddressOf } from "../../../src/domain/ids.ts";
import type { FeedEvent } from "../../../src/exchange/exchange.ts";
import { HyperliquidExchange } from "../../../src/exchange/hyperliquid/hyperliquid-exchange.ts";
import { HyperliquidWallets } from "../../../src/exchange/hyperliquid/hyperliquid-wallets.ts";
import { NetworkTransport } from "../../../src/exchange/hyperliquid/network-transport.ts";
import type { RunningSimulator } from "../../../src/simulator/simulator.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";

/** The adapter against the embedded exchange, over real sockets: what the exchange does, not what a test says it does. */

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const BTC = tickerOf("BTC");

describe("the adapter on the simulator", () => {
  it("reads the universe, history, funding, caps and the clock", async () => {
    const { exchange } = await running({ isWhole: true });
    const nowMs = valueOf(await exchange.fetchExchangeTimeMs());
    const { assets } = valueOf(await exchange.fetchUniverse());
    const listings = assets.map(({ listing }) => listing);
    const bars = valueOf(await exchange.fetchBars(BTC, nowMs - 48 * 3_600_000, nowMs));
    const funding = valueOf(await exchange.fetchFundingHistory(BTC, nowMs - 600 * 3_600_000));

    expect(assets.every(({ context }) => context !== null)).toBe(true);
    expect(listings.some(({ isDelisted }) => isDelisted)).toBe(true);
    expect(listings.some(({ isDelisted, isIsolatedOnly }) => isIsolatedOnly && !isDelisted)).toBe(true);
    expect(bars.length).toBeGreaterThanOrEqual(47);
    expect(funding.length).toBeGreaterThanOrEqual(599);
    expect(valueOf(await exchange.fetchPredictedFundings()).length).toBeGreaterThan(0);
    expect((await exchange.fetchTickersAtOpenInterestCap()).ok).toBe(true);
  });

  it("streams every kind of fact for every live asset", async () => {
    const { exchange } = await running();
    const live = await watchAll(exchange);
    const wanted = new Set(
      ["touch", "fast", "slow", "coarse"].flatMap((kind) => live.map((name) => `${kind} ${name}`)),
    );
    for (const name of live) wanted.add(`context ${name}`).add(`bar ${name}`);

    const rejected: string[] = [];
    await new Promise<void>((resolve) => {
      exchange.feed$.subscribe({
        next: (event) => {
          if (event.type === "frame.rejected") rejected.push(event.detail);
          if (event.type === "book.received") wanted.delete(`${event.frame.source} ${event.frame.ticker}`);
          if (event.type === "context.received") wanted.delete(`context ${event.ticker}`);
          if (event.type === "bar.received") wanted.delete(`bar ${event.ticker}`);
          if (wanted.size === 0) resolve();
        },
        error: () => undefined,
      });
    });
    expect(rejected).toEqual([]);
  });

  it("says lost for every socket that is dropped, and comes back", async () => {
    const { exchange, simulator } = await running();
    await watchAll(exchange);
    await sixOf(exchange, "feed.restored");

    const lost = sixOf(exchange, "feed.lost");
    const restored = sixOf(exchange, "feed.restored");
    await control(simulator, { type: "feed_disconnect" });

    expect(new Set((await lost).map((event) => "socket" in event && event.socket)).size).toBe(6);
    expect(new Set((await restored).map((event) => "socket" in event && event.socket)).size).toBe(6);
  });

  it("survives refusals, failures and slow answers of the info endpoint", async () => {
    const { exchange, simulator } = await running();
    await control(simulator, { type: "http_429", duration_s: 10 });
    expect((await exchange.fetchUniverse()).ok).toBe(true);
    // The simulator's 500 carries the body null, the exchange's permanent no: not repeated, but the next poll asks again.
    await control(simulator, { type: "http_500", duration_s: 600 });
    expect(await exchange.fetchUniverse()).toMatchObject({ ok: false, error: { code: "refused" } });
    await fetch(`${simulator.controlUrl ?? ""}/scenarios`, { method: "DELETE" });
    await control(simulator, { type: "slow_replies", magnitude: 1, duration_s: 5 });
    expect((await exchange.fetchUniverse()).ok).toBe(true);
  });

  it("gives a permanent refusal back at once", async () => {
    const { exchange } = await running();
    expect(await exchange.fetchFundingHistory(tickerOf("NOSUCH"), 0)).toMatchObject({
      error: { code: "refused" },
    });
  });

  it("reads wallets of every account mode with their collateral", async () => {
    const { simulator, transport } = await running();
    const wallets = new HyperliquidWallets({ transport, weightPerMinute: 1_200 });
    const list = (await (await fetch(`${simulator.controlUrl ?? ""}/wallets`)).json()) as {
      address: string;
      account_mode: string;
      positions: string[];
    }[];
    for (const { address, account_mode, positions } of list.slice(0, 8)) {
      const wallet = walletAddressOf(address);
      if (wallet === undefined) throw new Error(address);
      const state = valueOf(await wallets.fetchWallet(wallet));
      expect(state.positions.map(({ ticker }) => ticker).sort()).toEqual([...positions].sort());
      expect(state.mode).toBe(
        account_mode === "unifiedAccount"
          ? "unified"
          : account_mode === "portfolioMargin"
            ? "portfolio_margin"
            : "standard",
      );
      expect(state.isCollateralKnown).toBe(true);
    }
    await wallets.close();
  });
});

interface Running {
  readonly exchange: HyperliquidExchange;
  readonly transport: NetworkTransport;
  readonly simulator: RunningSimulator;
}

/** A few assets are enough for the feed; the universe's special cases need all of it. */
async function running({ isWhole = false } = {}): Promise<Running> {
  const simulator = await startSimulator({
    port: 0,
    host: "127.0.0.1",
    seed: 7,
    speedFactor: 10,
    ...(isWhole ? {} : { assetCount: 6 }),
    control: true,
  });
  const transport = new NetworkTransport({ infoUrl: simulator.infoUrl, wsUrl: simulator.wsUrl });
  const exchange = new HyperliquidExchange({ transport, weightPerMinute: 1_000 });
  closers.push(
    () => simulator.stop(),
    () => exchange.close(),
  );
  return { exchange, transport, simulator };
}

async function watchAll(exchange: HyperliquidExchange): Promise<string[]> {
  const { assets } = valueOf(await exchange.fetchUniverse());
  const live = assets.filter(({ listing }) => !listing.isDelisted);
  exchange.watchAssets(
    live.map(({ listing, context }) => ({
      ticker: listing.ticker,
      volume24hUsd: context?.volume24hUsd ?? 0,
    })),
  );
  return live.map(({ listing }) => listing.ticker);
}

function sixOf(exchange: HyperliquidExchange, type: FeedEvent["type"]): Promise<FeedEvent[]> {
  return firstValueFrom(
    exchange.feed$.pipe(
      filter((event) => event.type === type),
      take(6),
      toArray(),
    ),
  );
}

async function control(simulator: RunningSimulator, scenario: object): Promise<void> {
  const response = await fetch(`${simulator.controlUrl ?? ""}/scenario`, {
    method: "POST",
    body: JSON.stringify(scenario),
  });
  expect(response.status).toBe(200);
}

function valueOf<T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
