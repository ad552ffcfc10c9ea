import type { AssetContext, AssetListing, Universe, UniverseAsset } from "../../domain/asset.ts";
import type { Ticker } from "../../domain/ids.ts";
import { tickerOf } from "../../domain/ids.ts";
import { FUNDING_HOURLY_MAX, isBeyondMarket } from "../../domain/market-bounds.ts";
import { err } from "../../domain/result.ts";
import type { ParseError, Parsed, WireRecord } from "./field-reader.ts";
import { FieldReader, under } from "./field-reader.ts";
import { type MarginTables, marginTermsOf, readMarginTables } from "./parse-margin-terms.ts";
import { readRows, type ReadRows } from "./row-list.ts";

const STATUS_LENGTH_MAX = 200;
/** Of the nearer of oracle and mid; a mark was never seen more than 0.7 % from its oracle. */
const MARK_BEYOND_MAX = 0.2;

/** A universe and what of it made no sense. */
export interface ParsedUniverse extends Universe {
  readonly rejected: readonly ParseError[];
}

/**
 * The assets of a metaAndAssetCtxs answer, delisted ones among them. What makes no sense costs as little as it can:
 * without a listing a position could not be closed. A context is null, margin terms make the asset close-only, and only a
 * row without a name of its own is left out: every listing names its place on the exchange.
 *
 * Errors:  when there is no list of assets, or it names none
 */
export function parseUniverse(value: unknown, arrivedAtMs: number): Parsed<ParsedUniverse> {
  const reader = new FieldReader();
  const [wireMeta, wireContexts] = reader.list(value, "metaAndAssetCtxs");
  const meta = reader.record(wireMeta, "meta");
  const rows = reader.list(meta["universe"], "universe");
  // Taken at its word an empty list would end every subscription.
  if (rows.length === 0) reader.fail("mismatch", "universe", "no assets");
  const { tables, rejected } = readMarginTables(meta["marginTables"]);
  const contexts = readContexts(wireContexts, rows.length, arrivedAtMs);
  if (!contexts.ok) rejected.push(contexts.error);
  const assets: UniverseAsset[] = [];
  const names = new Set<string>();
  for (const [assetIndex, row] of rows.entries()) {
    const name = readName(row, names);
    if (!name.ok) {
      rejected.push(under(`universe[${String(assetIndex)}]`, name.error));
      continue;
    }
    const { listing, fault } = readListing(row as WireRecord, name.value, assetIndex, tables);
    names.add(listing.ticker);
    if (fault !== null) rejected.push(under(`universe[${String(assetIndex)}] ${listing.ticker}`, fault));
    const context = contexts.ok ? contexts.value[assetIndex] : undefined;
    assets.push({ listing, context: context?.ok ? context.value : null });
    if (context?.ok === false)
      rejected.push(under(`ctxs[${String(assetIndex)}] ${listing.ticker}`, context.error));
  }
  // Without a list of assets its fault says more than those of what lists have beside them.
  if (!reader.isFaulty && assets.length === 0 && rejected[0] !== undefined) return err(rejected[0]);
  return reader.finish({ assets, isWhole: assets.length === rows.length, rejected });
}

export function parseContext(value: unknown, arrivedAtMs: number): Parsed<AssetContext> {
  const reader = new FieldReader();
  return reader.finish(readContext(reader, reader.record(value, "ctx"), arrivedAtMs));
}

/** Names at the open-interest cap; long-delisted names stay in it, so intersect with live ones. */
export function parseTickersAtCap(value: unknown): Parsed<ReadRows<Ticker>> {
  return readRows(value, "perpsAtOpenInterestCap", (reader, name, path) => tickerOf(reader.text(name, path)));
}

export interface ExchangeStatus {
  readonly timeMs: number;
  /** The exchange's own words on what is out of the ordinary; null on an ordinary day. */
  readonly specialStatuses: string | null;
}

export function parseExchangeStatus(value: unknown): Parsed<ExchangeStatus> {
  const reader = new FieldReader();
  const status = reader.record(value, "exchangeStatus");
  const timeMs = reader.positiveCount(status["time"], "time");
  const special = status["specialStatuses"] ?? null;
  const text = typeof special === "string" ? special : JSON.stringify(special);
  return reader.finish({
    timeMs,
    specialStatuses: special === null ? null : text.slice(0, STATUS_LENGTH_MAX),
  });
}

/** Errors: a row without a name, or with another's. */
function readName(row: unknown, taken: ReadonlySet<string>): Parsed<Ticker> {
  const reader = new FieldReader();
  const ticker = tickerOf(reader.text(reader.record(row, "asset")["name"], "name"));
  if (taken.has(ticker)) reader.fail("mismatch", "name", ticker);
  return reader.finish(ticker);
}

/** What there is to read of a named row, and what was wrong with its margin terms. */
function readListing(
  asset: WireRecord,
  ticker: Ticker,
  assetIndex: number,
  tables: MarginTables,
): { readonly listing: AssetListing; readonly fault: ParseError | null } {
  const { maxLeverage, marginTiers, fault } = marginTermsOf(asset, tables);
  const listing = {
    ticker,
    assetIndex,
    maxLeverage,
    isDelisted: asset["isDelisted"] === true,
    isIsolatedOnly: asset["onlyIsolated"] === true || (asset["marginMode"] ?? null) !== null,
    isCloseOnly: fault !== null,
    marginTiers,
  };
  return { listing, fault };
}

/** One context for each asset, each readable or not. Errors: another number of them, which could be anyone's. */
function readContexts(
  value: unknown,
  assetCount: number,
  arrivedAtMs: number,
): Parsed<readonly Parsed<AssetContext>[]> {
  const reader = new FieldReader();
  const rows = reader.list(value, "ctxs");
  if (rows.length !== assetCount) {
    reader.fail("mismatch", "ctxs", `${String(rows.length)} contexts, ${String(assetCount)} assets`);
  }
  return reader.finish(rows.map((row) => parseContext(row, arrivedAtMs)));
}

function readContext(reader: FieldReader, context: WireRecord, arrivedAtMs: number): AssetContext {
  const markPrice = reader.positive(context["markPx"], "markPx");
  const openInterestBase = reader.nonNegative(context["openInterest"], "openInterest");
  const volume24hUsd = reader.nonNegative(context["dayNtlVlm"], "dayNtlVlm");
  const smallest = openInterestBase === 0 ? markPrice : Math.min(markPrice, openInterestBase);
  const largestUsd = Math.max(markPrice, volume24hUsd, openInterestBase * markPrice);
  if (isBeyondMarket(smallest, largestUsd))
    reader.fail(
      "mismatch",
      "openInterest, dayNtlVlm or markPx",
      `${String(smallest)} to ${String(largestUsd)}`,
    );
  const oraclePrice = readablePrice(context["oraclePx"]);
  const midPrice = readablePrice(context["midPx"]);
  if (isBeyondBoth(markPrice, oraclePrice, midPrice)) reader.fail("mismatch", "markPx", context["markPx"]);
  const fundingRateHourly = reader.decimal(context["funding"], "funding");
  if (Math.abs(fundingRateHourly) > FUNDING_HOURLY_MAX)
    reader.fail("mismatch", "funding", context["funding"]);
  return {
    markPrice,
    midPrice,
    fundingRateHourly,
    openInterestBase,
    volume24hUsd,
    arrivedAtMs,
  };
}

/** The mark is a median in which the oracle and the book take part, so it cannot lie far beyond both. */
function isBeyondBoth(markPrice: number, oraclePrice: number | null, midPrice: number | null): boolean {
  if (oraclePrice === null || midPrice === null) return false;
  const highest = Math.max(oraclePrice, midPrice);
  const lowest = Math.min(oraclePrice, midPrice);
  return markPrice > highest * (1 + MARK_BEYOND_MAX) || markPrice < lowest / (1 + MARK_BEYOND_MAX);
}

/** A price that an assessment can do without. */
function readablePrice(value: unknown): number | null {
  const reader = new FieldReader();
  const price = reader.finish(reader.positive(value, "price"));
  return price.ok && !isBeyondMarket(price.value, price.value) ? price.value : null;
}
