import { deflateRawSync } from "node:zlib";
import type { WireServerFrame, WireSubscription } from "../exchange/hyperliquid/wire-feed.ts";
import { allMids, assetContexts, coinsAtCap, type InfoWorld, wireMid } from "./info-answers.ts";
import { wireNumber } from "./price-grid.ts";
import { touchLevel, wireBook } from "./simulated-book.ts";
import { BOOK_INSTANT_MS } from "./simulated-market.ts";
import type { WalletEvent } from "./wallet-journal.ts";
import {
  wireActiveAssetData,
  wireClearinghouseState,
  wireFunding,
  wireSpotState,
  wireWebData3,
} from "./wallet-wire.ts";

/** Market time between frames of a type; 0 means whenever there is something new. Measured on the exchange 2026-09-24. */
const CADENCE_MS: Readonly<Record<WireSubscription["type"], number>> = {
  l2Book: 10 * BOOK_INSTANT_MS,
  bbo: 0,
  trades: 0,
  candle: 0,
  activeAssetCtx: 1000,
  assetCtxs: 1000,
  allDexsAssetCtxs: 13_600,
  fastAssetCtxs: 1000,
  allMids: 5050,
  clearinghouseState: 3000,
  allDexsClearinghouseState: 3000,
  spotState: 3000,
  webData3: 5000,
  activeAssetData: 3000,
  userFills: 0,
  userFundings: 0,
  userEvents: 0,
  orderUpdates: 0,
};
/** A new trades subscription replays this much of the past. */
const TRADES_REPLAY_MS = 20_000;
const SNAPSHOT_ROWS_MAX = 500;

/** One subscription of one socket: what it was last told decides what it is told next. */
export class FeedSubscription {
  readonly subscription: WireSubscription;
  readonly #cadenceMs: number;
  #lastTick = Number.NEGATIVE_INFINITY;
  #lastText = "";
  #lastTradeId: number | undefined;
  #candlesToldMs: number | undefined;
  #eventCursor = -1;
  #sentContexts = new Map<string, { markPx: string; midPx: string | null }>();

  constructor(subscription: WireSubscription) {
    this.subscription = subscription;
    const isFast = subscription.type === "l2Book" && subscription.fast === true;
    this.#cadenceMs = isFast ? BOOK_INSTANT_MS : CADENCE_MS[subscription.type];
  }

  /** Frames that are due now, as text, in order. Periodic types run on one clock for all subscriptions. */
  framesDue(world: InfoWorld): readonly string[] {
    const { instantMs } = world.market;
    const clockMs = this.subscription.type === "l2Book" ? instantMs : world.market.nowMs;
    const tick = this.#cadenceMs === 0 ? Number.POSITIVE_INFINITY : Math.floor(clockMs / this.#cadenceMs);
    if (tick <= this.#lastTick && this.#cadenceMs > 0) return [];
    this.#lastTick = tick;
    const frames = this.#frames(world);
    if (this.#cadenceMs > 0) return frames.map((frame) => JSON.stringify(frame));
    return frames.flatMap((frame) => {
      const text = JSON.stringify(frame);
      const told = frame.channel === "bbo" ? JSON.stringify(frame.data.bbo) : text;
      if (told === this.#lastText) return [];
      this.#lastText = told;
      return [text];
    });
  }

  #frames(world: InfoWorld): readonly WireServerFrame[] {
    const { subscription } = this;
    const { market, wallets } = world;
    switch (subscription.type) {
      case "allMids":
        return [{ channel: "allMids", data: { mids: allMids(world) } }];
      case "assetCtxs":
        return [{ channel: "assetCtxs", data: { dex: "", ctxs: assetContexts(world) } }];
      case "allDexsAssetCtxs":
        return [{ channel: "allDexsAssetCtxs", data: { ctxs: [["", assetContexts(world)]] } }];
      case "fastAssetCtxs":
        return this.#fastContexts(world);
      case "l2Book":
      case "bbo":
      case "trades":
      case "candle":
      case "activeAssetCtx":
        return this.#coinFrames(subscription, world);
      default: {
        const user = subscription.user as `0x${string}`;
        const account = wallets.accountOf(user);
        const state = (): ReturnType<typeof wireClearinghouseState> =>
          wireClearinghouseState(account, market.nowMs);
        switch (subscription.type) {
          case "clearinghouseState":
            return [{ channel: "clearinghouseState", data: { dex: "", user, clearinghouseState: state() } }];
          case "allDexsClearinghouseState":
            return [
              { channel: "allDexsClearinghouseState", data: { user, clearinghouseStates: [["", state()]] } },
            ];
          case "spotState":
            return [{ channel: "spotState", data: { user, spotState: wireSpotState(account) } }];
          case "webData3":
            return [
              { channel: "webData3", data: wireWebData3(user, account, market.nowMs, coinsAtCap(world)) },
            ];
          case "activeAssetData": {
            const asset = market.assetOf(subscription.coin);
            return asset === undefined
              ? []
              : [{ channel: "activeAssetData", data: wireActiveAssetData(user, account, asset) }];
          }
          default:
            return this.#eventFrames(subscription.type, user, world);
        }
      }
    }
  }

  #coinFrames(
    subscription: Extract<
      WireSubscription,
      { type: "l2Book" | "bbo" | "trades" | "candle" | "activeAssetCtx" }
    >,
    { market }: InfoWorld,
  ): readonly WireServerFrame[] {
    const { coin } = subscription;
    const asset = market.assetOf(coin);
    if (asset === undefined) return [];
    const { szDecimals } = asset.spec;
    switch (subscription.type) {
      case "l2Book":
        return [{ channel: "l2Book", data: wireBook(coin, asset.book, subscription) }];
      case "bbo": {
        const { bids, asks, timeMs } = asset.book;
        const bbo = [touchLevel(bids, szDecimals), touchLevel(asks, szDecimals)] as [null, null];
        return [{ channel: "bbo", data: { coin, time: timeMs, bbo } }];
      }
      case "activeAssetCtx":
        return [{ channel: "activeAssetCtx", data: { coin, ctx: asset.context(market.nowMs) } }];
      case "candle": {
        const toldMs = this.#candlesToldMs ?? market.instantMs;
        this.#candlesToldMs = market.instantMs;
        if (!asset.isLive) return [];
        // A candle that has closed meanwhile is told as it ended: its successor's first frame says that it is final.
        return asset.candles
          .rowsFrom(coin, szDecimals, subscription.interval, toldMs, market.instantMs)
          .map((data) => ({ channel: "candle", data }));
      }
      case "trades": {
        const { tape } = asset;
        const toldId = this.#lastTradeId;
        const prints =
          toldId === undefined ? tape.since(market.nowMs - TRADES_REPLAY_MS) : tape.after(toldId);
        this.#lastTradeId = tape.lastTradeId;
        if (prints.length === 0 && toldId !== undefined) return [];
        return [{ channel: "trades", data: prints.map((print) => tape.wire(print)) }];
      }
    }
  }

  /** base64 of raw DEFLATE of JSON: everything first, then only what has changed. */
  #fastContexts({ market }: InfoWorld): readonly WireServerFrame[] {
    const changed: Record<string, { markPx?: string; midPx?: string | null }> = {};
    for (const asset of market.assets) {
      const { coin } = asset.spec;
      const now = { markPx: wireNumber(asset.markPrice), midPx: wireMid(asset) };
      const before = this.#sentContexts.get(coin);
      const difference = {
        ...(before?.markPx !== now.markPx && { markPx: now.markPx }),
        ...(before?.midPx !== now.midPx && { midPx: now.midPx }),
      };
      if (Object.keys(difference).length > 0) changed[coin] = difference;
      this.#sentContexts.set(coin, now);
    }
    return [{ channel: "fastAssetCtxs", data: deflateRawSync(JSON.stringify(changed)).toString("base64") }];
  }

  #eventFrames(
    type: "userFills" | "userFundings" | "userEvents" | "orderUpdates",
    user: `0x${string}`,
    { wallets }: InfoWorld,
  ): readonly WireServerFrame[] {
    const journal = wallets.journalOf(user);
    const isFirst = this.#eventCursor < 0;
    const news = isFirst ? [] : (journal?.since(this.#eventCursor) ?? []);
    this.#eventCursor = journal?.end ?? 0;
    if (isFirst && type === "userFills") {
      return [
        {
          channel: "userFills",
          data: { isSnapshot: true, user, fills: wallets.fillsOf(user).slice(0, SNAPSHOT_ROWS_MAX) },
        },
      ];
    }
    if (isFirst && type === "userFundings") {
      const fundings = (wallets.accountOf(user)?.fundings ?? []).slice(-SNAPSHOT_ROWS_MAX).map(wireFunding);
      return [{ channel: "userFundings", data: { isSnapshot: true, user, fundings } }];
    }
    return news.flatMap((event) => eventFrames(type, user, event));
  }
}

function eventFrames(type: string, user: `0x${string}`, event: WalletEvent): readonly WireServerFrame[] {
  switch (event.kind) {
    case "fill": {
      const { fill } = event;
      if (type === "userFills") return [{ channel: "userFills", data: { user, fills: [fill] } }];
      if (type === "userEvents") return [{ channel: "user", data: { fills: [fill] } }];
      if (type !== "orderUpdates") return [];
      const { coin, side, px, sz, oid, time } = fill;
      const order = { coin, side, limitPx: px, sz: "0.0", oid, timestamp: time, origSz: sz };
      return [{ channel: "orderUpdates", data: [{ order, status: "filled", statusTimestamp: time }] }];
    }
    case "funding": {
      const fundings = event.payments.map(wireFunding);
      if (type === "userFundings") return [{ channel: "userFundings", data: { user, fundings } }];
      return type === "userEvents" ? fundings.map((funding) => ({ channel: "user", data: { funding } })) : [];
    }
    case "liquidation":
      return type === "userEvents" ? [{ channel: "user", data: { liquidation: event.liquidation } }] : [];
  }
}
