import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { WireServerFrame, WireSubscription } from "../../src/exchange/hyperliquid/wire-feed.ts";
import { FeedSubscription } from "../../src/simulator/feed-frames.ts";
import { type InfoWorld, MARKET_ANSWERS } from "../../src/simulator/info-answers.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { SimulatedWallets } from "../../src/simulator/simulated-wallets.ts";
import { WALLET_ANSWERS } from "../../src/simulator/wallet-answers.ts";
import { START_MS } from "./support/manual-exchange.ts";

/** A wallet with positions in the first assets of the universe. */
const USER = "0x5eed000000000000000000000000000000000016";
const PUMP_MS = 100;
type Frame = Exclude<WireServerFrame, { channel: "pong" }>;

function worldOf(): InfoWorld {
  const market = new SimulatedMarket(7, START_MS, new Scenarios(), { assetCount: 6, historyHours: 48 });
  const wallets = new SimulatedWallets(market);
  market.listener = wallets;
  return { market, wallets };
}

/** Frames in order, by the time they came at: what a subscription begins with, and what follows. */
function framesOf(
  subscription: WireSubscription,
  lastingMs: number,
  world = worldOf(),
): { first: Frame[]; later: Frame[] } {
  const feed = new FeedSubscription(subscription);
  const due = (): Frame[] => feed.framesDue(world).map((text) => JSON.parse(text) as Frame);
  const first = due();
  const later: Frame[] = [];
  for (let passed = PUMP_MS; passed <= lastingMs; passed += PUMP_MS) {
    world.market.advanceTo(START_MS + passed);
    later.push(...due());
  }
  return { first, later };
}

describe("the frames of a subscription", () => {
  it.each<[WireSubscription, everyMs: number]>([
    [{ type: "l2Book", coin: "BTC", nSigFigs: null, mantissa: null, fast: false }, 5400],
    [{ type: "l2Book", coin: "BTC", nSigFigs: null, mantissa: null, fast: true }, 540],
    [{ type: "activeAssetCtx", coin: "BTC" }, 1000],
    [{ type: "assetCtxs", dex: "" }, 1000],
    [{ type: "fastAssetCtxs" }, 1000],
    [{ type: "allMids" }, 5050],
    [{ type: "allDexsAssetCtxs" }, 13_600],
    [{ type: "clearinghouseState", user: USER, dex: "" }, 3000],
    [{ type: "allDexsClearinghouseState", user: USER }, 3000],
    [{ type: "spotState", user: USER }, 3000],
    [{ type: "activeAssetData", user: USER, coin: "ETH" }, 3000],
    [{ type: "webData3", user: USER }, 5000],
  ])("%j come at once and then every %i ms", (subscription, everyMs) => {
    const { first, later } = framesOf(subscription, 10 * everyMs);

    expect(first.length).toBe(1);
    expect(later.length).toBe(10);
    for (const { channel } of [...first, ...later]) expect(channel).toBe(subscription.type);
  });

  it("of a touch and of an open candle come when there is something new, and only then", () => {
    for (const [subscription, told] of [
      [{ type: "bbo", coin: "DOGE" }, "bbo"],
      [{ type: "candle", coin: "DOGE", interval: "1m" }, undefined],
    ] as const) {
      const { first, later } = framesOf(subscription, 20_000);
      const texts = [...first, ...later].map(({ data }) =>
        JSON.stringify(told === undefined ? data : (data as unknown as Record<string, unknown>)[told]),
      );
      expect(texts.length).toBeGreaterThan(5);
      expect(texts.length).toBeLessThan(150);
      texts.slice(1).forEach((text, i) => expect(text).not.toBe(texts[i]));
    }
  });

  it("of the fast contexts add up to how things are, though each has only what changed", () => {
    const world = worldOf();
    const { first, later } = framesOf({ type: "fastAssetCtxs" }, 20_000, world);
    const known = new Map<string, Record<string, unknown>>();
    for (const { data } of [...first, ...later]) {
      const text = inflateRawSync(Buffer.from(data as string, "base64")).toString();
      for (const [coin, changed] of Object.entries(JSON.parse(text) as Record<string, object>)) {
        const before = known.get(coin);
        expect(Object.keys(changed)).not.toEqual([]);
        for (const [name, value] of Object.entries(changed)) expect(before?.[name]).not.toBe(value);
        known.set(coin, { ...before, ...changed });
      }
    }

    expect(known.size).toBe(world.market.assets.length);
    for (const asset of world.market.assets) {
      const { markPx, midPx } = asset.context(world.market.nowMs);
      expect(known.get(asset.spec.coin)).toEqual({ markPx, midPx });
    }
  });

  it("of trades are first the last 20 s of them, and then each once", () => {
    const { first, later } = framesOf({ type: "trades", coin: "DOGE" }, 20_000);
    const tradesOf = (frames: readonly Frame[]): { tid: number; time: number }[][] =>
      frames.map(({ data }) => data as unknown as { tid: number; time: number }[]);

    expect(first.length).toBe(1);
    for (const { time } of tradesOf(first)[0]!) expect(START_MS - time).toBeLessThan(20_000);
    expect(later.length).toBeGreaterThan(5);
    for (const trades of tradesOf(later)) expect(trades.length).toBeGreaterThan(0);
    const ids = tradesOf([...first, ...later])
      .flat()
      .map(({ tid }) => tid);
    expect(ids).toEqual(ids.map((_, i) => ids[0]! + i));
  });

  it("say what a request would be answered at the time", () => {
    const world = worldOf();
    world.market.advanceTo(START_MS + 30_000);
    const answered = (request: { readonly type: string } & Readonly<Record<string, unknown>>): unknown => {
      const answer = { ...MARKET_ANSWERS, ...WALLET_ANSWERS }[request.type]!.answer(request, world);
      return answer.ok ? JSON.parse(JSON.stringify(answer.value)) : undefined;
    };
    const told = (subscription: WireSubscription): unknown =>
      framesOf(subscription, 0, world).first.map(({ data }) => data)[0];
    const user = USER;
    const state = answered({ type: "clearinghouseState", user });
    const [, ctxs] = answered({ type: "metaAndAssetCtxs" }) as [unknown, unknown[]];

    expect((state as { assetPositions: unknown[] }).assetPositions.length).toBeGreaterThan(0);
    expect(told({ type: "clearinghouseState", user, dex: "" })).toEqual({
      dex: "",
      user,
      clearinghouseState: state,
    });
    expect(told({ type: "allDexsClearinghouseState", user })).toEqual({
      user,
      clearinghouseStates: [["", state]],
    });
    expect(told({ type: "spotState", user })).toEqual({
      user,
      spotState: answered({ type: "spotClearinghouseState", user }),
    });
    expect(told({ type: "activeAssetData", user, coin: "ETH" })).toEqual(
      answered({ type: "activeAssetData", user, coin: "ETH" }),
    );
    expect(told({ type: "webData3", user })).toMatchObject({
      userState: { user, isVault: false, serverTime: world.market.nowMs },
      perpDexStates: [{ perpsAtOpenInterestCap: answered({ type: "perpsAtOpenInterestCap" }) }],
    });
    expect(told({ type: "allMids" })).toEqual({ mids: answered({ type: "allMids" }) });
    expect(told({ type: "assetCtxs", dex: "" })).toEqual({ dex: "", ctxs });
    expect(told({ type: "allDexsAssetCtxs" })).toEqual({ ctxs: [["", ctxs]] });
    expect(told({ type: "activeAssetCtx", coin: "BTC" })).toEqual({ coin: "BTC", ctx: ctxs[0] });
    expect(told({ type: "userFills", user, aggregateByTime: false })).toEqual({
      isSnapshot: true,
      user,
      fills: answered({ type: "userFills", user }),
    });
  });

  it("of a user's channels tell what happened since, each channel its own", () => {
    const world = worldOf();
    const journal = world.wallets.journalOf(USER)!;
    const [fill] = world.wallets.fillsOf(USER);
    const payment = { timeMs: START_MS, coin: "ETH", usd: -1.5, sizeSigned: 2, rateHourly: 0.0001 };
    const liquidation = {
      lid: 1,
      liquidator: USER,
      liquidated_user: USER,
      liquidated_ntl_pos: "1.0",
      liquidated_account_value: "0.5",
    } as const;
    const feeds = (["userFills", "userFundings", "userEvents", "orderUpdates"] as const).map(
      (type) => new FeedSubscription({ type, user: USER }),
    );
    const due = (): unknown[][] =>
      feeds.map((feed) => feed.framesDue(world).map((text) => JSON.parse(text) as unknown));
    const [fills, fundings, ...events] = due();
    expect(fills).toMatchObject([{ channel: "userFills", data: { isSnapshot: true, user: USER } }]);
    const paid = world.wallets.accountOf(USER)!.fundings.map(({ timeMs, coin }) => ({ time: timeMs, coin }));
    expect(paid.length).toBeGreaterThan(10);
    expect(fundings).toMatchObject([
      { channel: "userFundings", data: { isSnapshot: true, user: USER, fundings: paid } },
    ]);
    expect(events).toEqual([[], []]);

    journal.append({ kind: "fill", fill: fill! });
    journal.append({ kind: "funding", payments: [payment] });
    journal.append({ kind: "liquidation", liquidation });

    const { side, px, sz, oid, time } = fill!;
    const funding = {
      time: START_MS,
      coin: "ETH",
      usdc: "-1.5",
      szi: "2.0",
      fundingRate: "0.0001",
      nSamples: null,
    };
    const order = { coin: fill!.coin, side, limitPx: px, sz: "0.0", oid, timestamp: time, origSz: sz };
    expect(due()).toEqual([
      [{ channel: "userFills", data: { user: USER, fills: [fill] } }],
      [{ channel: "userFundings", data: { user: USER, fundings: [funding] } }],
      [
        { channel: "user", data: { fills: [fill] } },
        { channel: "user", data: { funding } },
        { channel: "user", data: { liquidation } },
      ],
      [{ channel: "orderUpdates", data: [{ order, status: "filled", statusTimestamp: time }] }],
    ]);
    expect(due()).toEqual([[], [], [], []]);
  });
});
