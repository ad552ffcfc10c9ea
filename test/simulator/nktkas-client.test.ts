import { HttpTransport, InfoClient, SubscriptionClient, WebSocketTransport } from "@nktkas/hyperliquid";
import ws from "ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/simulator/simulator.ts";
import { MASTER_ADDRESS } from "../../src/simulator/wallet-plans.ts";
import { clientTypeErrors, type TypedSample } from "./support/client-types.ts";
import { START_MS, startManualExchange } from "./support/manual-exchange.ts";

/**
 * A client library that this project did not write reads the simulated exchange: its request schemas run, and what
 * it receives is compiled against its own response types.
 */
const HOUR_MS = 3_600_000;
const user = MASTER_ADDRESS;
let exchange: RunningSimulator;

beforeAll(async () => {
  exchange = await startManualExchange({ limits: { weightPerMinute: 1e6 } });
  exchange.advance(30_000);
});
afterAll(() => exchange.stop());

/** Fields that the exchange sends and this version of the client does not know yet. */
const NEWER_FIELDS = new Set([
  "tokenToAvailableAfterMaintenance",
  "portfolioMarginEnabled",
  "portfolioMarginRatio",
]);
const known = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (NEWER_FIELDS.has(key) ? undefined : inner)));

describe("@nktkas/hyperliquid over REST", () => {
  it("reads every answer as its own response type", async () => {
    const info = new InfoClient({
      transport: new HttpTransport({ apiUrl: new URL(exchange.infoUrl).origin }),
    });
    const unified = "0x5eed00000000000000000000000000000000000d";
    const startTime = START_MS - 6 * HOUR_MS;
    const samples: TypedSample[] = [
      { type: "MetaResponse", value: await info.meta() },
      { type: "MetaAndAssetCtxsResponse", value: await info.metaAndAssetCtxs() },
      { type: "AllPerpMetasResponse", value: await info.allPerpMetas() },
      { type: "AllMidsResponse", value: await info.allMids() },
      { type: "L2BookResponse", value: await info.l2Book({ coin: "BTC" }) },
      { type: "L2BookResponse", value: await info.l2Book({ coin: "ETH", nSigFigs: 5, mantissa: 2 }) },
      { type: "L2BookResponse", value: await info.l2Book({ coin: "NOPE" }) },
      {
        type: "CandleSnapshotResponse",
        value: await info.candleSnapshot({ coin: "SOL", interval: "1h", startTime }),
      },
      { type: "FundingHistoryResponse", value: await info.fundingHistory({ coin: "BTC", startTime }) },
      { type: "PredictedFundingsResponse", value: await info.predictedFundings() },
      { type: "PerpsAtOpenInterestCapResponse", value: await info.perpsAtOpenInterestCap() },
      { type: "PerpDexsResponse", value: await info.perpDexs() },
      { type: "PerpDexLimitsResponse", value: await info.perpDexLimits({ dex: "" }) },
      { type: "PerpDexStatusResponse", value: await info.perpDexStatus({ dex: "" }) },
      { type: "MarginTableResponse", value: await info.marginTable({ id: 56 }) },
      { type: "MaxMarketOrderNtlsResponse", value: await info.maxMarketOrderNtls() },
      { type: "ExchangeStatusResponse", value: await info.exchangeStatus() },
      { type: "RecentTradesResponse", value: await info.recentTrades({ coin: "BTC" }) },
      { type: "SpotMetaResponse", value: await info.spotMeta() },
      { type: "SpotMetaAndAssetCtxsResponse", value: await info.spotMetaAndAssetCtxs() },
      { type: "ClearinghouseStateResponse", value: await info.clearinghouseState({ user }) },
      { type: "SpotClearinghouseStateResponse", value: await info.spotClearinghouseState({ user: unified }) },
      { type: "UserAbstractionResponse", value: await info.userAbstraction({ user: unified }) },
      { type: "UserDexAbstractionResponse", value: await info.userDexAbstraction({ user }) },
      {
        type: "UserRoleResponse",
        value: await info.userRole({ user: "0x5eed00000000000000000000000000000000000f" }),
      },
      { type: "UserFeesResponse", value: await info.userFees({ user }) },
      { type: "UserRateLimitResponse", value: await info.userRateLimit({ user }) },
      { type: "UserFundingResponse", value: await info.userFunding({ user, startTime }) },
      { type: "UserFillsResponse", value: await info.userFills({ user }) },
      { type: "UserFillsByTimeResponse", value: await info.userFillsByTime({ user, startTime: 0 }) },
      { type: "ActiveAssetDataResponse", value: await info.activeAssetData({ user, coin: "BTC" }) },
      { type: "SubAccountsResponse", value: await info.subAccounts({ user }) },
      { type: "OpenOrdersResponse", value: await info.openOrders({ user }) },
      { type: "FrontendOpenOrdersResponse", value: await info.frontendOpenOrders({ user }) },
      { type: "HistoricalOrdersResponse", value: await info.historicalOrders({ user }) },
      { type: "OrderStatusResponse", value: await info.orderStatus({ user, oid: 1 }) },
      {
        type: "UserNonFundingLedgerUpdatesResponse",
        value: await info.userNonFundingLedgerUpdates({ user }),
      },
      { type: "ExtraAgentsResponse", value: await info.extraAgents({ user }) },
      { type: "UserVaultEquitiesResponse", value: await info.userVaultEquities({ user }) },
    ];
    const errors = clientTypeErrors(
      "@nktkas/hyperliquid/api/info",
      samples.map(({ type, value }) => ({ type, value: known(value) })),
    );
    expect(errors).toEqual([]);
  });

  it("would notice a number where the client's type says string", () => {
    const errors = clientTypeErrors("@nktkas/hyperliquid/api/info", [
      { type: "AllMidsResponse", value: { BTC: 86_000 } },
      { type: "AllMidsResponse", value: { BTC: "86000.0" } },
    ]);
    expect(errors).toEqual([expect.stringContaining("AllMidsResponse")]);
  });

  it("gets the exchange's refusals as its own errors", async () => {
    const info = new InfoClient({
      transport: new HttpTransport({ apiUrl: new URL(exchange.infoUrl).origin }),
    });
    await expect(info.meta({ dex: "nowhere" })).rejects.toThrow(/500/);
    await expect(info.fundingHistory({ coin: "NOPE", startTime: 0 })).rejects.toThrow(/500/);
  });
});

describe("@nktkas/hyperliquid over WebSocket", () => {
  it("receives every subscription as its own event type", async () => {
    const transport = new WebSocketTransport({
      url: exchange.wsUrl,
      reconnect: { WebSocket: ws as unknown as typeof WebSocket },
    });
    const feed = new SubscriptionClient({ transport });
    const first = new Map<string, unknown>();
    const wanted: Promise<unknown>[] = [];
    const keep = (
      type: string,
      subscribe: (listener: (event: unknown) => void) => Promise<unknown>,
    ): void => {
      let resolveFirst: (event: unknown) => void;
      wanted.push(new Promise((resolve) => (resolveFirst = resolve)));
      wanted.push(
        subscribe((event) => {
          if (!first.has(type)) first.set(type, known(event));
          resolveFirst(event);
        }),
      );
    };
    keep("L2BookEvent", (listener) => feed.l2Book({ coin: "BTC" }, listener));
    keep("BboEvent", (listener) => feed.bbo({ coin: "BTC" }, listener));
    keep("TradesEvent", (listener) => feed.trades({ coin: "BTC" }, listener));
    keep("CandleEvent", (listener) => feed.candle({ coin: "BTC", interval: "1m" }, listener));
    keep("ActiveAssetCtxEvent", (listener) => feed.activeAssetCtx({ coin: "BTC" }, listener));
    keep("AssetCtxsEvent", (listener) => feed.assetCtxs(listener));
    keep("AllDexsAssetCtxsEvent", (listener) => feed.allDexsAssetCtxs(listener));
    keep("AllMidsEvent", (listener) => feed.allMids(listener));
    keep("ClearinghouseStateEvent", (listener) => feed.clearinghouseState({ user }, listener));
    keep("AllDexsClearinghouseStateEvent", (listener) => feed.allDexsClearinghouseState({ user }, listener));
    keep("SpotStateEvent", (listener) => feed.spotState({ user }, listener));
    keep("WebData3Event", (listener) => feed.webData3({ user }, listener));
    keep("UserFillsEvent", (listener) => feed.userFills({ user }, listener));
    keep("UserFundingsEvent", (listener) => feed.userFundings({ user }, listener));
    keep("ActiveAssetDataEvent", (listener) => feed.activeAssetData({ user, coin: "BTC" }, listener));
    await Promise.all(wanted);
    await transport.close();
    const samples = [...first].map(([type, value]) => ({ type, value }));
    expect(samples).toHaveLength(15);
    expect(clientTypeErrors("@nktkas/hyperliquid/api/subscription", samples)).toEqual([]);
  });

  it("posts info requests over the socket", async () => {
    const transport = new WebSocketTransport({
      url: exchange.wsUrl,
      reconnect: { WebSocket: ws as unknown as typeof WebSocket },
    });
    const info = new InfoClient({ transport });
    const book = await info.l2Book({ coin: "ETH" });
    expect(book?.levels[0]).toHaveLength(20);
    await expect(info.meta({ dex: "nowhere" })).rejects.toThrow();
    await transport.close();
  });
});
