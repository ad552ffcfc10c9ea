import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  WireClearinghouseState,
  WireMarginTable,
  WireMetaAndAssetCtxs,
  WirePosition,
  WireSpotClearinghouseState,
} from "../../src/exchange/hyperliquid/wire.ts";
import type { WireFill, WireUserFundingRecord } from "../../src/exchange/hyperliquid/wire-feed.ts";
import type { RunningSimulator } from "../../src/simulator/simulator.ts";
import { WALLET_PLANS } from "../../src/simulator/wallet-plans.ts";
import { FrameClient, postInfo, readInfo, startManualExchange } from "./support/manual-exchange.ts";

/**
 * The margin identities of the exchange's documentation, recomputed here from the wire alone: mark prices and margin
 * tables on one side, what each wallet reports on the other.
 * Mutants seen to fail here: no deduction in maintenance; the first tier at every price; withdrawable without the
 * 10 % term; isolated equity left out of marginSummary; funding on the mark; a fifth again during the cooldown.
 */
const of = (label: string): string => WALLET_PLANS.find((plan) => plan.label === label)!.address;
const n = Number;
let exchange: RunningSimulator;
let marks: Map<string, number>;
let tiers: Map<string, { from: number; leverage: number }[]>;

async function refreshMarks(): Promise<void> {
  const [meta, ctxs] = await readInfo<WireMetaAndAssetCtxs>(exchange, { type: "metaAndAssetCtxs" });
  marks = new Map(meta.universe.map(({ name }, i) => [name, n(ctxs[i]!.markPx)]));
  const tables = new Map<number, WireMarginTable>(meta.marginTables);
  tiers = new Map(
    meta.universe.map(({ name, marginTableId }) => {
      const listed = tables.get(marginTableId)?.marginTiers ?? [
        { lowerBound: "0.0", maxLeverage: marginTableId },
      ];
      return [
        name,
        listed.map(({ lowerBound, maxLeverage }) => ({ from: n(lowerBound), leverage: maxLeverage })),
      ];
    }),
  );
}

const stateOf = (user: string): Promise<WireClearinghouseState> =>
  readInfo(exchange, { type: "clearinghouseState", user });

/** Maintenance as an integral of the marginal rate 1 / (2 · leverage) over notional: no deduction appears. */
function maintenanceByDefinition(coin: string, notional: number): number {
  return tiers.get(coin)!.reduce((sum, { from, leverage }, i, all) => {
    const to = Math.min(notional, all[i + 1]?.from ?? Infinity);
    return sum + Math.max(0, to - from) / (2 * leverage);
  }, 0);
}

/** The price at which equity meets maintenance, by bisection on their definition. */
function liquidationByDefinition(
  coin: string,
  size: number,
  equityAt: (price: number) => number,
): number | null {
  const surplus = (price: number): number =>
    equityAt(price) - maintenanceByDefinition(coin, Math.abs(size) * price);
  let [dead, alive] = size > 0 ? [1e-12, marks.get(coin)! * 1e3] : [marks.get(coin)! * 1e3, 1e-12];
  if (surplus(dead) >= 0) return null;
  for (let i = 0; i < 200; i++) {
    const middle = (dead + alive) / 2;
    if (surplus(middle) >= 0) alive = middle;
    else dead = middle;
  }
  return (dead + alive) / 2;
}

const sum = (positions: readonly WirePosition[], of_: (position: WirePosition) => number): number =>
  positions.reduce((total, position) => total + of_(position), 0);

beforeAll(async () => {
  exchange = await startManualExchange({ limits: { weightPerMinute: 1e6 } });
  exchange.advance(40_000);
  await refreshMarks();
});
afterAll(() => exchange.stop());

describe("margin identities on the wire", () => {
  it.each(WALLET_PLANS.map(({ label, address }) => [label, address]))("%s", async (_, address) => {
    const state = await stateOf(address);
    const positions = state.assetPositions.map(({ position }) => position);
    const cross = positions.filter(({ leverage }) => leverage.type === "cross");
    const isolated = positions.filter(({ leverage }) => leverage.type === "isolated");
    const { crossMarginSummary, marginSummary } = state;
    for (const { coin, szi, positionValue, entryPx, unrealizedPnl, returnOnEquity, leverage } of positions) {
      const mark = marks.get(coin)!;
      expect(n(positionValue)).toBeCloseTo(Math.abs(n(szi)) * mark, 4);
      expect(n(unrealizedPnl)).toBeCloseTo(n(szi) * (mark - n(entryPx)), 4);
      const entryMargin = (Math.abs(n(szi)) * n(entryPx)) / leverage.value;
      expect(n(returnOnEquity)).toBeCloseTo(n(unrealizedPnl) / entryMargin, 6);
    }
    const signedUsd = sum(cross, ({ szi, coin }) => n(szi) * marks.get(coin)!);
    expect(n(crossMarginSummary.accountValue)).toBeCloseTo(n(crossMarginSummary.totalRawUsd) + signedUsd, 3);
    expect(n(crossMarginSummary.totalNtlPos)).toBeCloseTo(
      sum(cross, ({ positionValue }) => n(positionValue)),
      3,
    );
    expect(n(crossMarginSummary.totalMarginUsed)).toBeCloseTo(
      sum(cross, ({ positionValue, leverage }) => n(positionValue) / leverage.value),
      3,
    );
    const maintenance = sum(cross, ({ coin, positionValue }) =>
      maintenanceByDefinition(coin, n(positionValue)),
    );
    expect(n(state.crossMaintenanceMarginUsed)).toBeCloseTo(maintenance, 3);
    const isolatedEquity = sum(isolated, ({ marginUsed }) => n(marginUsed));
    expect(n(marginSummary.accountValue)).toBeCloseTo(n(crossMarginSummary.accountValue) + isolatedEquity, 3);
    expect(n(marginSummary.totalMarginUsed)).toBeCloseTo(
      n(crossMarginSummary.totalMarginUsed) + isolatedEquity,
      3,
    );
    for (const { leverage, marginUsed, szi, coin } of isolated) {
      if (leverage.type === "isolated")
        expect(n(marginUsed)).toBeCloseTo(n(leverage.rawUsd) + n(szi) * marks.get(coin)!, 4);
    }
    const plan = WALLET_PLANS.find((candidate) => candidate.address === address)!;
    if (plan.abstraction !== "disabled") return;
    const locked = Math.max(n(crossMarginSummary.totalMarginUsed), 0.1 * n(crossMarginSummary.totalNtlPos));
    expect(n(state.withdrawable)).toBeCloseTo(Math.max(0, n(crossMarginSummary.accountValue) - locked), 3);
    for (const position of positions) {
      const [size, mark] = [n(position.szi), marks.get(position.coin)!];
      const { leverage } = position;
      const othersMaintenance =
        maintenance -
        (leverage.type === "cross" ? maintenanceByDefinition(position.coin, n(position.positionValue)) : 0);
      const equityAt = (price: number): number =>
        leverage.type === "isolated"
          ? n(leverage.rawUsd) + size * price
          : n(crossMarginSummary.accountValue) + size * (price - mark) - othersMaintenance;
      const expected = liquidationByDefinition(position.coin, size, equityAt);
      if (expected === null || expected < 1e-9) expect(position.liquidationPx).toBeNull();
      else expect(n(position.liquidationPx) / expected).toBeCloseTo(1, 6);
    }
  });

  it("puts a wallet whose liquidation lies in the next tier where the deduction says", async () => {
    const { assetPositions } = await stateOf(of("tier-crossing"));
    const { szi, liquidationPx, positionValue } = assetPositions[0]!.position;
    expect(n(positionValue)).toBeLessThan(70e6);
    expect(Math.abs(n(szi)) * n(liquidationPx)).toBeGreaterThan(70e6);
  });

  it("keeps a unified account's collateral in the spot state", async () => {
    const state = await stateOf(of("unified"));
    const spot = await readInfo<WireSpotClearinghouseState>(exchange, {
      type: "spotClearinghouseState",
      user: of("unified"),
    });
    const usdc = spot.balances.find(({ coin }) => coin === "USDC")!;
    expect(n(usdc.hold)).toBeCloseTo(n(state.marginSummary.accountValue), 4);
    expect(n(spot.tokenToAvailableAfterMaintenance![0]![1])).toBeCloseTo(
      n(usdc.total) - n(state.crossMaintenanceMarginUsed),
      3,
    );
    expect(n(state.withdrawable)).toBe(0);
  });
});

describe("funding payments", () => {
  it("are szi · oracle · rate at each settlement, on the wire three times over", async () => {
    const user = of("funding-payer");
    const client = await FrameClient.open(exchange.wsUrl);
    client.subscribe({ type: "userFundings", user });
    await client.fence();
    const before = await stateOf(user);
    const history = await readInfo<WireUserFundingRecord[]>(exchange, {
      type: "userFunding",
      user,
      startTime: 0,
    });
    expect(history.length).toBe(400);
    expect(history.filter(({ delta }) => delta.coin === "BERA").every(({ delta }) => n(delta.usdc) < 0)).toBe(
      true,
    );
    // To a second past the hour: settled, and the oracle of the hour's own tick still stands.
    const { time } = await readInfo<{ time: number }>(exchange, { type: "exchangeStatus" });
    let leftMs = Math.ceil(time / 3_600_000) * 3_600_000 + 1000 - time;
    for (; leftMs > 0; leftMs -= 30_000) {
      exchange.advance(Math.min(30_000, leftMs));
      await client.fence();
    }
    const [meta, ctxs] = await readInfo<WireMetaAndAssetCtxs>(exchange, { type: "metaAndAssetCtxs" });
    const live = client
      .of("userFundings")
      .filter(({ data }) => data.isSnapshot !== true)
      .flatMap(({ data }) => data.fundings);
    expect(live.map(({ coin }) => coin).sort()).toEqual(["BERA", "ZEC"]);
    const rates = await readInfo<{ fundingRate: string; time: number }[]>(exchange, {
      type: "fundingHistory",
      coin: "BERA",
      startTime: live[0]!.time - 60_000,
    });
    const paid = live.find(({ coin }) => coin === "BERA")!;
    expect(paid.fundingRate).toBe(rates[0]!.fundingRate);
    expect(paid.time).toBe(rates[0]!.time);
    for (const { coin, usdc, szi, fundingRate } of live) {
      const { oraclePx } = ctxs[meta.universe.findIndex(({ name }) => name === coin)]!;
      expect(n(usdc)).toBeCloseTo(-n(szi) * n(oraclePx) * n(fundingRate), 6);
    }
    const after = await stateOf(user);
    const cash = (state: WireClearinghouseState): number => n(state.marginSummary.totalRawUsd);
    expect(cash(after) - cash(before)).toBeCloseTo(
      live.reduce((total, { usdc }) => total + n(usdc), 0),
      4,
    );
    client.socket.terminate();
  });
});

describe("liquidation", () => {
  it("closes the wallet on the brink in a crash, tells its channels, and leaves nothing open", async () => {
    const fresh = await startManualExchange({ limits: { weightPerMinute: 1e6 } });
    fresh.advance(5000);
    const user = of("brink");
    const client = await FrameClient.open(fresh.wsUrl);
    for (const type of ["userEvents", "userFills"]) client.subscribe({ type, user });
    await client.fence();
    const started = await fetch(`${fresh.controlUrl}/scenario`, {
      method: "POST",
      body: '{"type":"crash","magnitude":0.1,"duration_s":60}',
    });
    expect(started.status).toBe(200);
    fresh.advance(40_000);
    await client.fence();
    const fills = client
      .of("userFills")
      .slice(1)
      .flatMap(({ data }) => data.fills);
    expect(fills.length).toBeGreaterThan(0);
    expect(fills[0]).toMatchObject({
      coin: "ETH",
      dir: "Close Long",
      side: "A",
      liquidation: { liquidatedUser: user },
    });
    expect(client.of("user").some(({ data }) => "liquidation" in data)).toBe(true);
    const state = await readInfo<WireClearinghouseState>(fresh, { type: "clearinghouseState", user });
    expect(state.assetPositions).toEqual([]);
    expect(n(state.marginSummary.accountValue)).toBeGreaterThanOrEqual(0);
    await fresh.stop();
  });

  it("takes a fifth of a position above 100,000 USD first, and all of it within the next 30 s", async () => {
    const fresh = await startManualExchange({ limits: { weightPerMinute: 1e6 } });
    const user = of("near-liquidation-cross");
    // Slow enough for the mark to meet maintenance before the backstop's two thirds of it.
    await fetch(`${fresh.controlUrl}/scenario`, {
      method: "POST",
      body: '{"type":"crash","asset":"BTC","magnitude":0.05,"duration_s":600}',
    });
    let fills: WireFill[] = [];
    for (let i = 0; i < 200 && fills.length < 3; i++) {
      fresh.advance(3000);
      fills = await readInfo<WireFill[]>(fresh, { type: "userFills", user });
    }
    const [last, first] = fills.filter(({ liquidation }) => liquidation !== undefined);
    expect(n(first!.sz) / n(first!.startPosition)).toBeCloseTo(0.2, 3);
    expect(first!.liquidation!.method).toBe("market");
    expect(n(last!.sz)).toBeCloseTo(n(last!.startPosition), 8);
    expect(last!.time - first!.time).toBeLessThanOrEqual(30_000);
    await fresh.stop();
  });
});

describe("requests about wallets that are not there", () => {
  it("cost no more than a refusal", async () => {
    expect((await postInfo(exchange, { type: "userFills", user: "nobody" })).status).toBe(422);
  });
});
