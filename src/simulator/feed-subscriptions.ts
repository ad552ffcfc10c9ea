import { isRecord } from "../domain/json-value.ts";
import type { WireSubscription } from "../exchange/hyperliquid/wire-feed.ts";
import { isCandleInterval } from "./candle-book.ts";
import { type InfoRequest, isBookView } from "./info-answers.ts";
import type { SimulatedMarket } from "./simulated-market.ts";
import { isAddress } from "./wallet-answers.ts";

/** What the exchange makes of a subscription body: accepted with defaults filled, refused in words, or dropped. */
type SubscriptionReading =
  | { readonly kind: "accepted"; readonly subscription: WireSubscription }
  /** The frame as a whole is not a request: the error echoes it. */
  | { readonly kind: "unreadable" }
  /** The error echoes what was read of it. */
  | { readonly kind: "invalid"; readonly subscription: InfoRequest }
  /** An unknown coin or book view closes the socket without a frame. */
  | { readonly kind: "drop" };

const UNREADABLE: SubscriptionReading = { kind: "unreadable" };
const DROP: SubscriptionReading = { kind: "drop" };
const accepted = (subscription: WireSubscription): SubscriptionReading => ({
  kind: "accepted",
  subscription,
});

/** Types whose only fields are the user's address. */
const USER_TYPES = [
  "allDexsClearinghouseState",
  "webData3",
  "userFundings",
  "userEvents",
  "orderUpdates",
] as const;
const COIN_TYPES = ["bbo", "trades", "activeAssetCtx"] as const;

const isOneOf = <T extends string>(value: unknown, values: readonly T[]): value is T =>
  values.includes(value as T);

/** Reads a subscription body: fills defaults, lower-cases addresses, and applies the exchange's ways of refusing. */
export function readSubscription(body: unknown, market: SimulatedMarket): SubscriptionReading {
  if (!isRecord(body)) return UNREADABLE;
  const { type, coin, user, dex } = body;
  if (isOneOf(type, COIN_TYPES) || type === "l2Book" || type === "candle") return readCoin(body, market);
  if (type === "allDexsAssetCtxs" || type === "fastAssetCtxs") return accepted({ type });
  if (type === "allMids" || type === "assetCtxs") {
    if (dex !== undefined && typeof dex !== "string") return UNREADABLE;
    if (dex !== undefined && dex !== "") return DROP;
    return accepted(type === "assetCtxs" ? { type, dex: "" } : { type });
  }
  if (!isAddress(user)) return UNREADABLE;
  const address = user.toLowerCase();
  if (isOneOf(type, USER_TYPES)) return accepted({ type, user: address });
  switch (type) {
    case "clearinghouseState":
      if (dex !== undefined && dex !== "") return typeof dex === "string" ? DROP : UNREADABLE;
      return accepted({ type, user: address, dex: "" });
    case "spotState":
      return accepted({ type, user: address });
    case "userFills":
      return accepted({ type, user: address, aggregateByTime: body["aggregateByTime"] === true });
    case "activeAssetData":
      if (typeof coin !== "string") return UNREADABLE;
      return market.assetOf(coin) === undefined ? DROP : accepted({ type, user: address, coin });
    default:
      return UNREADABLE;
  }
}

function readCoin(body: InfoRequest, market: SimulatedMarket): SubscriptionReading {
  const { type, coin, interval, nSigFigs, mantissa, fast } = body;
  if (typeof coin !== "string") return UNREADABLE;
  if (type === "candle" && typeof interval !== "string") return UNREADABLE;
  if (type === "candle" && !isCandleInterval(interval))
    return { kind: "invalid", subscription: { type, coin, interval } };
  if (market.assetOf(coin) === undefined) return DROP;
  if (isOneOf(type, COIN_TYPES)) return accepted({ type, coin });
  if (type === "candle" && isCandleInterval(interval)) return accepted({ type, coin, interval });
  if (!isBookView(nSigFigs, mantissa)) return DROP;
  return accepted({
    type: "l2Book",
    coin,
    nSigFigs: (nSigFigs ?? null) as 2 | 3 | 4 | 5 | null,
    mantissa: (mantissa ?? null) as 2 | 5 | null,
    fast: fast === true,
  });
}

export const subscribedUser = (subscription: WireSubscription): string | undefined =>
  "user" in subscription ? subscription.user : undefined;
