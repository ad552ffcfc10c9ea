import { isRecord } from "../../domain/json-value.ts";
import type { Ticker, WalletAddress } from "../../domain/ids.ts";
import type { WatchedAsset } from "../exchange.ts";
import type { WireSubscription } from "./wire-feed.ts";

/** The exchange's limits for one address. Source: Hyperliquid docs, Rate limits and user limits. */
export const SUBSCRIPTIONS_MAX = 1000;
export const STREAMED_USERS_MAX = 10;
/** A wallet is streamed as its perpetual and its spot account. */
const WALLET_SUBSCRIPTIONS_MAX = 2 * STREAMED_USERS_MAX;
export const MARKET_SUBSCRIPTIONS_MAX = SUBSCRIPTIONS_MAX - WALLET_SUBSCRIPTIONS_MAX;

/** Buckets of a hundredth to a thousandth of the price: 20 of them reach 50 and 100 bps on every asset. */
export const COARSE_SIGNIFICANT_FIGURES = 3;

/**
 * What is subscribed for an asset, one socket per kind, so that silence is judged per kind and fast, slow and coarse
 * books cannot be confused. In order of importance: when the budget is short, the last kinds go without the least
 * traded assets.
 */
export const FEED_KINDS = ["context", "slow", "bar", "coarse", "touch", "fast"] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/**
 * How long a kind may be silent before its socket counts as lost; null where quiet markets are silent for long.
 * Source: cadences measured 2026-09: slow 5.4 s, fast 0.54 s, context 1 s, the coarse book on the slow clock.
 */
export const SILENCE_MS_MAX: Readonly<Record<FeedKind, number | null>> = {
  context: 5_000,
  slow: 12_000,
  bar: null,
  coarse: 12_000,
  touch: null,
  fast: 3_000,
};

/**
 * How long a kind may bring nothing of one asset, while its socket goes on, until it is asked for again. Of what is sent
 * again and again: three polls of the list of assets, which by then would have said that one is gone, for an unknown name
 * drops the socket. Of what comes when something changes: an hour, which few assets pass without a trade; of candles two
 * and some minutes, when the hours of which nothing was seen, and the end of the one before, have been fetched.
 */
export const QUIET_MS_MAX: Readonly<Record<FeedKind, number>> = {
  context: 180_000,
  slow: 180_000,
  bar: 7_500_000,
  coarse: 180_000,
  touch: 3_600_000,
  fast: 180_000,
};

export interface PlannedSubscription {
  /** Equal for a subscription and its echo, whatever defaults the echo fills in. */
  readonly key: string;
  readonly ticker: Ticker | null;
  readonly wire: WireSubscription;
}

export type FeedPlan = Readonly<Record<FeedKind, readonly PlannedSubscription[]>>;

/** An asset keeps what it has until another is traded this much more, so that the two do not change places by the minute. */
const KEPT_VOLUME_FACTOR = 1.25;

export const NO_PLAN: FeedPlan = { context: [], slow: [], bar: [], coarse: [], touch: [], fast: [] };

/**
 * What to subscribe for a set of assets within the exchange's limit.
 *
 * Holds:   never more than the limit; an asset that goes without a kind is traded no more than any asset that has it, or
 *          at most 1.25 times as much as one that had it before
 */
export function planFeed(
  assets: readonly WatchedAsset[],
  previous: FeedPlan = NO_PLAN,
  limit = MARKET_SUBSCRIPTIONS_MAX,
): FeedPlan {
  const plan = { context: [], slow: [], bar: [], coarse: [], touch: [], fast: [] } as Record<
    FeedKind,
    PlannedSubscription[]
  >;
  let left = limit;
  for (const kind of FEED_KINDS) {
    const held = new Set(previous[kind].map(({ ticker }) => ticker));
    const claimOf = ({ ticker, volume24hUsd }: WatchedAsset): number =>
      held.has(ticker) ? KEPT_VOLUME_FACTOR * volume24hUsd : volume24hUsd;
    const byClaim = [...assets].sort((a, b) => claimOf(b) - claimOf(a));
    for (const { ticker } of byClaim.slice(0, left)) {
      plan[kind].push(planned(marketSubscription(kind, ticker), ticker));
    }
    left -= plan[kind].length;
  }
  return plan;
}

/** The kinds of which the limit leaves these assets anything: for the others no socket is opened. */
export function plannedKinds(assets: readonly WatchedAsset[]): readonly FeedKind[] {
  const plan = planFeed(assets);
  return FEED_KINDS.filter((kind) => plan[kind].length > 0);
}

/** The two streams of a wallet's account. */
export function planWallet(wallet: WalletAddress): readonly PlannedSubscription[] {
  return [
    planned({ type: "clearinghouseState", user: wallet }, null),
    planned({ type: "spotState", user: wallet }, null),
  ];
}

/** The key of a subscription as sent or as echoed: absent, null and false are the same default; hex in lower case. */
export function subscriptionKey(subscription: unknown): string {
  if (!isRecord(subscription)) return "";
  const field = (name: string): string => {
    const value = subscription[name];
    if (typeof value !== "string" && typeof value !== "number") return value === true ? "true" : "";
    return name === "user" ? String(value).toLowerCase() : String(value);
  };
  return ["type", "coin", "user", "interval", "nSigFigs", "mantissa", "fast"].map(field).join("|");
}

/** The first few as they are sent, for a person. */
export function firstNames(subscriptions: readonly PlannedSubscription[]): readonly string[] {
  return subscriptions.slice(0, 5).map(({ wire }) => JSON.stringify(wire));
}

function planned(wire: WireSubscription, ticker: Ticker | null): PlannedSubscription {
  return { key: subscriptionKey(wire), ticker, wire };
}

function marketSubscription(kind: FeedKind, coin: Ticker): WireSubscription {
  switch (kind) {
    case "context":
      return { type: "activeAssetCtx", coin };
    case "slow":
      return { type: "l2Book", coin };
    case "bar":
      return { type: "candle", coin, interval: "1h" };
    case "coarse":
      return { type: "l2Book", coin, nSigFigs: COARSE_SIGNIFICANT_FIGURES };
    case "touch":
      return { type: "bbo", coin };
    case "fast":
      return { type: "l2Book", coin, fast: true };
  }
}
