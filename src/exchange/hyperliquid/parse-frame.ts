import type { AssetContext } from "../../domain/asset.ts";
import type { Bar } from "../../domain/bar.ts";
import type { BookFrame } from "../../domain/book.ts";
import type { Ticker, WalletAddress } from "../../domain/ids.ts";
import { tickerOf, walletAddressOf } from "../../domain/ids.ts";
import { isRecord, jsonValueOf } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import type { Parsed, ParseError, WireRecord } from "./field-reader.ts";
import { FieldReader, under } from "./field-reader.ts";
import type { PerpAccount, SpotAccount } from "./parse-account.ts";
import { parsePerpAccount, parseSpotAccount } from "./parse-account.ts";
import { parseBook, parseTouch } from "./parse-book.ts";
import { parseBar } from "./parse-history.ts";
import { parseContext } from "./parse-universe.ts";

const NAME_LENGTH_MAX = 40;

/** Null where what came of an account cannot be read: what was known of it holds no longer. */
export type AccountFrame =
  | { readonly type: "perp_account"; readonly wallet: WalletAddress; readonly account: PerpAccount | null }
  | { readonly type: "spot_account"; readonly wallet: WalletAddress; readonly account: SpotAccount | null };

/** What one socket frame says. */
export type FeedFrame =
  | { readonly type: "book"; readonly frame: BookFrame }
  | { readonly type: "context"; readonly ticker: Ticker; readonly context: AssetContext }
  | { readonly type: "bar"; readonly ticker: Ticker; readonly bar: Bar }
  | AccountFrame
  /** The echoed subscription, the exchange's defaults filled in. */
  | { readonly type: "acknowledged"; readonly subscription: WireRecord }
  /** The echo of one that was ended: it says nothing of a later one of the same body. */
  | { readonly type: "unsubscribed" }
  | { readonly type: "pong" }
  | { readonly type: "complaint"; readonly text: string }
  | UnknownFrame;

/** A channel that is not ours, a trade, text that is not JSON: tolerated and counted. */
export interface UnknownFrame {
  readonly type: "unknown";
  readonly channel: string;
}

/**
 * Reads one frame. Slow, fast and coarse books share a channel: the fast one says so, the coarse one carries a spread.
 *
 * Errors:  ParseError for a known channel whose content is not what it must be, with the asset that it names
 */
export function parseFrame(text: string, arrivedAtMs: number): Result<FeedFrame, ParseError> {
  const frame = jsonValueOf(text);
  if (!isRecord(frame)) return ok({ type: "unknown", channel: "not a record" });
  const read = readFrame(frame, arrivedAtMs);
  return read.ok ? read : err(under(subjectOf(frame), read.error));
}

function readFrame(frame: WireRecord, arrivedAtMs: number): Result<FeedFrame, ParseError> {
  const data = frame["data"];
  switch (frame["channel"]) {
    case "l2Book":
      return bookFrame(data, arrivedAtMs);
    case "bbo":
      return mapped(parseTouch(data, arrivedAtMs), (touch) => ({ type: "book", frame: touch }));
    case "activeAssetCtx":
      return contextFrame(data, arrivedAtMs);
    case "candle":
      return named(data, "s", (ticker) => mapped(parseBar(data), (bar) => ({ type: "bar", ticker, bar })));
    case "clearinghouseState":
      return accountFrame(data, "clearinghouseState", parsePerpAccount, "perp_account");
    case "spotState":
      return accountFrame(data, "spotState", parseSpotAccount, "spot_account");
    case "subscriptionResponse":
      return acknowledgement(data);
    case "pong":
      return ok({ type: "pong" });
    case "error":
      return ok({ type: "complaint", text: typeof data === "string" ? data : "" });
    default:
      return ok({ type: "unknown", channel: nameOf(frame["channel"]) });
  }
}

/** What a frame is about, for a person: candles name their asset otherwise than all else. */
function subjectOf({ channel, data }: WireRecord): string {
  const name = isRecord(data) ? (data["coin"] ?? data["s"]) : undefined;
  return name === undefined ? nameOf(channel) : `${nameOf(channel)} of ${nameOf(name)}`;
}

/** For a person; what is no text has no name, and making one of it can throw. */
function nameOf(name: unknown): string {
  return typeof name === "string" ? name.slice(0, NAME_LENGTH_MAX) : "without a name";
}

function bookFrame(data: unknown, arrivedAtMs: number): Result<FeedFrame, ParseError> {
  const isFast = isRecord(data) && data["fast"] === true;
  const isCoarse = isRecord(data) && data["spread"] !== undefined;
  const source = isFast ? "fast" : isCoarse ? "coarse" : "slow";
  const parsed = parseBook(data, source, arrivedAtMs);
  if (!parsed.ok) return parsed;
  return ok(
    parsed.value === null ? { type: "unknown", channel: "l2Book" } : { type: "book", frame: parsed.value },
  );
}

function contextFrame(data: unknown, arrivedAtMs: number): Result<FeedFrame, ParseError> {
  return named(data, "coin", (ticker) => {
    const parsed = parseContext(isRecord(data) ? data["ctx"] : undefined, arrivedAtMs);
    return mapped(parsed, (context) => ({ type: "context", ticker, context }));
  });
}

function accountFrame<A, Name extends "perp_account" | "spot_account">(
  data: unknown,
  field: string,
  parse: (value: unknown) => Parsed<A>,
  type: Name,
): Result<{ type: Name; wallet: WalletAddress; account: A | null } | UnknownFrame, ParseError> {
  const user = isRecord(data) ? data["user"] : undefined;
  // Only the validator-operated exchange's account is ours to read; builder exchanges name themselves.
  if (isRecord(data) && typeof data["dex"] === "string" && data["dex"] !== "")
    return ok(otherExchange(data["dex"]));
  const wallet = walletAddressOf(typeof user === "string" ? user : "");
  if (wallet === undefined) return err({ code: "wrong_type", path: `${field}.user`, found: "no address" });
  const parsed = parse(isRecord(data) ? data[field] : undefined);
  return ok({ type, wallet, account: parsed.ok ? parsed.value : null });
}

function otherExchange(dex: string): UnknownFrame {
  return { type: "unknown", channel: `account on ${dex}` };
}

function acknowledgement(data: unknown): Result<FeedFrame, ParseError> {
  if (isRecord(data) && data["method"] === "unsubscribe") return ok({ type: "unsubscribed" });
  const reader = new FieldReader();
  const subscription = reader.record(reader.record(data, "ack")["subscription"], "ack.subscription");
  return reader.finish<FeedFrame>({ type: "acknowledged", subscription });
}

function mapped<T>(parsed: Parsed<T>, toFrame: (value: T) => FeedFrame): Result<FeedFrame, ParseError> {
  return parsed.ok ? ok(toFrame(parsed.value)) : parsed;
}

function named(
  data: unknown,
  field: string,
  read: (ticker: Ticker) => Result<FeedFrame, ParseError>,
): Result<FeedFrame, ParseError> {
  const reader = new FieldReader();
  const name = reader.finish(reader.text(reader.record(data, "data")[field], field));
  return name.ok ? read(tickerOf(name.value)) : name;
}
