import type { AssetContext, AssetListing, MarginTier, Universe, UniverseAsset } from "../../domain/asset.ts";
import type { Ticker } from "../../domain/ids.ts";
import { tickerOf } from "../../domain/ids.ts";
import { err } from "../../domain/result.ts";
import type { ParseError, Parsed, WireRecord } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";
import { FUNDING_HOURLY_MAX, isBeyondMarket } from "./market-bounds.ts";
import { readRows, type ReadRows } from "./row-list.ts";

/** Margin table ids below this are one implicit tier whose leverage is the id; they are not listed. */
const LISTED_TABLE_ID_MIN = 50;
const STATUS_LENGTH_MAX = 200;
/** Of the nearer of oracle and mid; a mark was never seen more than 0.7 % from its oracle. */
const MARK_BEYOND_MAX = 0.2;

/** A universe and the rows that made no sense. */
export interface ParsedUniverse extends Universe {
  /** What was wrong with each row or context that was left out. */
  readonly rejected: readonly ParseError[];
}

/**
 * The assets of a metaAndAssetCtxs answer, delisted ones among them. A row that makes no sense costs its asset and nobody
 * else: every listing names its place on the exchange, whatever was left out. A context that makes no sense is null and
 * costs no listing: without a listing a position could not be closed.
 *
 * Errors:  when the lists themselves do not fit, or when no row at all makes sense or there is none
 */
export function parseUniverse(value: unknown, arrivedAtMs: number): Parsed<ParsedUniverse> {
  const reader = new FieldReader();
  const [wireMeta, contexts] = reader.list(value, "metaAndAssetCtxs");
  const meta = reader.record(wireMeta, "meta");
  const rows = reader.list(meta["universe"], "universe");
  const contextRows = reader.list(contexts, "ctxs");
  if (rows.length !== contextRows.length) {
    reader.fail("mismatch", "ctxs", `${String(contextRows.length)} contexts, ${String(rows.length)} assets`);
  }
  // Taken at its word an empty list would end every subscription.
  if (rows.length === 0) reader.fail("mismatch", "universe", "no assets");
  const { tables, rejected } = readMarginTables(reader.list(meta["marginTables"], "marginTables"));
  const assets: UniverseAsset[] = [];
  const unread: (Ticker | null)[] = [];
  const names = new Set<string>();
  for (const [assetIndex, row] of rows.entries()) {
    const own = new FieldReader();
    const listing = readListing(own, row, assetIndex, tables);
    if (names.has(listing.ticker)) own.fail("mismatch", "name", listing.ticker);
    names.add(listing.ticker);
    const parsed = own.finish(listing);
    if (!parsed.ok) {
      unread.push(listing.ticker === "" ? null : listing.ticker);
      rejected.push({ ...parsed.error, path: `universe[${String(assetIndex)}]: ${parsed.error.path}` });
      continue;
    }
    const context = parseContext(contextRows[assetIndex], arrivedAtMs);
    assets.push({ listing: parsed.value, context: context.ok ? context.value : null });
    if (!context.ok) {
      rejected.push({ ...context.error, path: `ctxs[${String(assetIndex)}]: ${context.error.path}` });
    }
  }
  if (assets.length === 0 && rejected[0] !== undefined) return err(rejected[0]);
  return reader.finish({ assets, unread, rejected });
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

function readListing(
  reader: FieldReader,
  row: unknown,
  assetIndex: number,
  tables: ReadonlyMap<number, readonly MarginTier[]>,
): AssetListing {
  const asset = reader.record(row, "asset");
  const tableId = reader.positiveCount(asset["marginTableId"], "marginTableId");
  const marginTiers =
    tableId < LISTED_TABLE_ID_MIN ? [{ notionalLowerUsd: 0, maxLeverage: tableId }] : tables.get(tableId);
  if (marginTiers === undefined) reader.fail("mismatch", "marginTableId", tableId);
  const saidMaxLeverage = reader.positiveCount(asset["maxLeverage"], "maxLeverage");
  // Both say the same of every asset recorded; where they do not, the lower asks for more margin.
  const maxLeverage = Math.min(saidMaxLeverage, marginTiers?.[0]?.maxLeverage ?? saidMaxLeverage);
  return {
    ticker: tickerOf(reader.text(asset["name"], "name")),
    assetIndex,
    maxLeverage,
    isDelisted: asset["isDelisted"] === true,
    isIsolatedOnly: asset["onlyIsolated"] === true || (asset["marginMode"] ?? null) !== null,
    marginTiers: (marginTiers ?? []).map((tier) => ({
      ...tier,
      maxLeverage: Math.min(tier.maxLeverage, maxLeverage),
    })),
  };
}

/** Tables that make no sense are left out, and with them the assets that need them. */
function readMarginTables(rows: readonly unknown[]): {
  readonly tables: ReadonlyMap<number, readonly MarginTier[]>;
  readonly rejected: ParseError[];
} {
  const tables = new Map<number, readonly MarginTier[]>();
  const rejected: ParseError[] = [];
  for (const [i, row] of rows.entries()) {
    const reader = new FieldReader();
    const parsed = reader.finish(readMarginTable(reader, row, `marginTables[${String(i)}]`));
    if (parsed.ok) tables.set(...parsed.value);
    else rejected.push(parsed.error);
  }
  return { tables, rejected };
}

function readMarginTable(reader: FieldReader, row: unknown, path: string): [number, readonly MarginTier[]] {
  const [id, table] = reader.list(row, path);
  const wireTiers = reader.list(reader.record(table, path)["marginTiers"], `${path}.marginTiers`);
  const tiers = wireTiers.map((wireTier) => {
    const tier = reader.record(wireTier, path);
    return {
      notionalLowerUsd: reader.nonNegative(tier["lowerBound"], `${path}.lowerBound`),
      maxLeverage: reader.positiveCount(tier["maxLeverage"], `${path}.maxLeverage`),
    };
  });
  if (tiers[0]?.notionalLowerUsd !== 0) reader.fail("mismatch", `${path}.marginTiers`, "no tier from 0");
  const isOrdered = tiers.every((tier, k) => {
    const before = tiers[k - 1];
    if (before === undefined) return true;
    return tier.notionalLowerUsd > before.notionalLowerUsd && tier.maxLeverage <= before.maxLeverage;
  });
  if (!isOrdered) reader.fail("out_of_order", `${path}.marginTiers`, "not ascending, or leverage rises");
  return [reader.positiveCount(id, `${path}[0]`), tiers];
}

function readContext(reader: FieldReader, context: WireRecord, arrivedAtMs: number): AssetContext {
  const markPrice = reader.positive(context["markPx"], "markPx");
  const openInterestBase = reader.nonNegative(context["openInterest"], "openInterest");
  const volume24hUsd = reader.nonNegative(context["dayNtlVlm"], "dayNtlVlm");
  const largestUsd = Math.max(markPrice, volume24hUsd, openInterestBase * markPrice);
  if (isBeyondMarket(markPrice, largestUsd))
    reader.fail("mismatch", "openInterest, dayNtlVlm or markPx", String(largestUsd));
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
