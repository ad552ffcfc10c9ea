import ccxt from "ccxt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/simulator/simulator.ts";
import { START_MS, startManualExchange } from "./support/manual-exchange.ts";

/** A second client library, with its own idea of markets, balances and units, reads the simulated exchange. */
const HOUR_MS = 3_600_000;
const SYMBOL = "BTC/USDC:USDC";
const MIXED_WALLET = "0x5eed00000000000000000000000000000000001a";
const UNIFIED_WALLET = "0x5eed00000000000000000000000000000000000d";
let exchange: RunningSimulator;
let markets: Awaited<ReturnType<typeof client.loadMarkets>>;
let client: InstanceType<typeof ccxt.pro.hyperliquid>;

beforeAll(async () => {
  exchange = await startManualExchange({ limits: { weightPerMinute: 1e6 } });
  exchange.advance(30_000);
  client = new ccxt.pro.hyperliquid({ enableRateLimit: false, walletAddress: MIXED_WALLET });
  const origin = new URL(exchange.infoUrl).origin;
  client.urls["api"] = { public: origin, private: origin, ws: { public: exchange.wsUrl } };
  await client.loadHttpProxyAgent();
  markets = await client.loadMarkets();
});
afterAll(async () => {
  await client.close();
  await exchange.stop();
});

describe("ccxt over REST", () => {
  it("lists perpetual and spot markets with their limits", () => {
    const swaps = Object.values(markets).filter((market) => market?.swap);
    expect(swaps.length).toBeGreaterThanOrEqual(40);
    expect(markets[SYMBOL]).toMatchObject({
      base: "BTC",
      settle: "USDC",
      active: true,
      limits: { leverage: { max: 40 } },
    });
    expect(markets["MATIC/USDC:USDC"]?.active).toBe(false);
    expect(Object.values(markets).some((market) => market?.spot)).toBe(true);
  });

  it("reads tickers, books, candles and funding as numbers that agree with one another", async () => {
    const ticker = await client.fetchTicker(SYMBOL);
    const tickers = await client.fetchTickers([SYMBOL, "ETH/USDC:USDC"]);
    const book = await client.fetchOrderBook(SYMBOL);
    const candles = await client.fetchOHLCV(SYMBOL, "1h", START_MS - 48 * HOUR_MS, 60, {
      until: START_MS + HOUR_MS,
    });
    expect(Object.keys(tickers)).toHaveLength(2);
    expect(book.bids[0]![0]!).toBeLessThan(book.asks[0]![0]!);
    expect(ticker.close! / ((book.bids[0]![0]! + book.asks[0]![0]!) / 2)).toBeCloseTo(1, 6);
    expect(candles.at(-1)![4]! / ticker.close!).toBeCloseTo(1, 2);
    for (const [, open, high, low, close] of candles) {
      expect(high).toBeGreaterThanOrEqual(Math.max(open!, close!));
      expect(low).toBeLessThanOrEqual(Math.min(open!, close!));
    }
  });

  it("reads funding rates, their history and open interest", async () => {
    const rates = await client.fetchFundingRates([SYMBOL, "ZEC/USDC:USDC"]);
    expect(rates[SYMBOL]?.fundingRate).toBeCloseTo(0.0000125, 9);
    expect(rates["ZEC/USDC:USDC"]!.fundingRate!).toBeLessThan(0);
    const history = await client.fetchFundingRateHistory("ETH/USDC:USDC", START_MS - 24 * HOUR_MS, 10);
    expect(history).toHaveLength(10);
    expect(history.every((row) => Number.isFinite(row.fundingRate))).toBe(true);
    const interest = await client.fetchOpenInterest(SYMBOL);
    expect(interest.openInterestAmount!).toBeGreaterThan(1000);
  });

  it("reads positions and balances of a wallet, unified or not", async () => {
    const positions = await client.fetchPositions();
    const bySymbol = new Map(positions.map((position) => [position.symbol, position]));
    expect(bySymbol.size).toBe(3);
    expect(bySymbol.get(SYMBOL)).toMatchObject({ side: "long", marginMode: "cross", leverage: 20 });
    expect(bySymbol.get("SOL/USDC:USDC")).toMatchObject({
      side: "long",
      marginMode: "isolated",
      leverage: 5,
    });
    const balance = await client.fetchBalance();
    expect(Number(balance["USDC"]!.total)).toBeGreaterThan(20_000);
    const unified = await client.fetchBalance({ user: UNIFIED_WALLET, enableUnifiedMargin: true });
    const { balances } = unified.info as { balances: { total: string; hold: string }[] };
    // 25,114.38 USD and what its positions gained since they were opened.
    expect(Math.abs(Number(balances[0]!.total) - 25_114.38)).toBeLessThan(1_000);
    expect(unified["USDC"]).toMatchObject({
      total: Number(balances[0]!.total),
      used: Number(balances[0]!.hold),
    });
    expect((await client.fetchMyTrades(SYMBOL)).length).toBeGreaterThan(0);
    expect((await client.fetchFundingHistory(SYMBOL)).length).toBeGreaterThan(0);
    expect(await client.fetchOpenOrders(SYMBOL)).toEqual([]);
  });
});

describe("ccxt over WebSocket", () => {
  it("watches a book, trades, candles and tickers", async () => {
    const [book, trades, candles, ticker] = await Promise.all([
      client.watchOrderBook(SYMBOL),
      client.watchTrades(SYMBOL),
      client.watchOHLCV(SYMBOL, "1m"),
      client.watchTicker(SYMBOL),
    ]);
    expect(book.bids).toHaveLength(20);
    expect(book.asks[0]![0]!).toBeGreaterThan(book.bids[0]![0]!);
    expect(trades.length).toBeGreaterThan(0);
    expect(candles[0]).toHaveLength(6);
    expect(ticker.symbol).toBe(SYMBOL);
  });
});
