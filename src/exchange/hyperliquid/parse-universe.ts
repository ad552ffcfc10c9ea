import type { AssetContext, AssetListing, MarginTier, Universe } from "../../domain/asset.ts";
import type { Ticker } from "../../domain/ids.ts";
import { tickerOf } from "../../domain/ids.ts";
import type { Parsed, WireRecord } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";

/** Margin table ids below this are one implicit tier whose leverage is the id; they are not listed. */
const LISTED_TABLE_ID_MIN = 50;

/** Listings and contexts of a metaAndAssetCtxs answer, joined by index; delisted rows keep their place. */
export function parseUniverse(value: unknown, arrivedAtMs: number): Parsed<Universe> {
  const reader = new FieldReader();
  const [meta, contexts] = reader.list(value, "metaAndAssetCtxs");
  const listings = readListings(reader, reader.record(meta, "meta"));
  const rows = reader.list(contexts, "ctxs");
  if (rows.length !== listings.length) {
    reader.fail("mismatch", "ctxs", `${String(rows.length)} contexts, ${String(listings.length)} assets`);
  }
  return reader.finish({
    listings,
    contexts: rows.map((row, i) =>
      readContext(reader, reader.record(row, `ctxs[${String(i)}]`), arrivedAtMs),
    ),
  });
}

export function parseContext(value: unknown, arrivedAtMs: number): Parsed<AssetContext> {
  const reader = new FieldReader();
  return reader.finish(readContext(reader, reader.record(value, "ctx"), arrivedAtMs));
}

/** Names at the open-interest cap; long-delisted names stay in it, so intersect with live ones. */
export function parseTickersAtCap(value: unknown): Parsed<ReadonlySet<Ticker>> {
  const reader = new FieldReader();
  const names = reader.list(value, "perpsAtOpenInterestCap");
  return reader.finish(new Set(names.map((name, i) => tickerOf(reader.text(name, `[${String(i)}]`)))));
}

/** The exchange's clock from an exchangeStatus answer. */
export function parseExchangeTimeMs(value: unknown): Parsed<number> {
  const reader = new FieldReader();
  return reader.finish(reader.positiveCount(reader.record(value, "exchangeStatus")["time"], "time"));
}

function readListings(reader: FieldReader, meta: WireRecord): readonly AssetListing[] {
  const tables = readMarginTables(reader, reader.list(meta["marginTables"], "marginTables"));
  const names = new Set<string>();
  return reader.list(meta["universe"], "universe").map((row, assetIndex) => {
    const path = `universe[${String(assetIndex)}]`;
    const asset = reader.record(row, path);
    const name = reader.text(asset["name"], `${path}.name`);
    if (names.has(name)) reader.fail("mismatch", `${path}.name`, name);
    names.add(name);
    const tableId = reader.positiveCount(asset["marginTableId"], `${path}.marginTableId`);
    const marginTiers =
      tableId < LISTED_TABLE_ID_MIN ? [{ notionalLowerUsd: 0, maxLeverage: tableId }] : tables.get(tableId);
    if (marginTiers === undefined) reader.fail("mismatch", `${path}.marginTableId`, tableId);
    return {
      ticker: tickerOf(name),
      assetIndex,
      sizeDecimals: reader.count(asset["szDecimals"], `${path}.szDecimals`),
      maxLeverage: reader.positiveCount(asset["maxLeverage"], `${path}.maxLeverage`),
      isDelisted: asset["isDelisted"] === true,
      isIsolatedOnly: asset["onlyIsolated"] === true || asset["marginMode"] !== undefined,
      marginTiers: marginTiers ?? [],
    };
  });
}

function readMarginTables(reader: FieldReader, rows: readonly unknown[]): Map<number, readonly MarginTier[]> {
  const tables = new Map<number, readonly MarginTier[]>();
  for (const [i, row] of rows.entries()) {
    const path = `marginTables[${String(i)}]`;
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
    const isAscending = tiers.every((tier, k) => {
      const before = tiers[k - 1];
      return before === undefined || tier.notionalLowerUsd > before.notionalLowerUsd;
    });
    if (!isAscending) reader.fail("out_of_order", `${path}.marginTiers`, "not ascending");
    tables.set(reader.positiveCount(id, `${path}[0]`), tiers);
  }
  return tables;
}

function readContext(reader: FieldReader, context: WireRecord, arrivedAtMs: number): AssetContext {
  const impact = context["impactPxs"];
  const [impactBid, impactAsk] = impact === null ? [null, null] : reader.list(impact, "impactPxs");
  return {
    markPrice: reader.positive(context["markPx"], "markPx"),
    oraclePrice: reader.positive(context["oraclePx"], "oraclePx"),
    midPrice: reader.positiveOrNull(context["midPx"], "midPx"),
    previousDayPrice: reader.positive(context["prevDayPx"], "prevDayPx"),
    fundingRateHourly: reader.decimal(context["funding"], "funding"),
    premiumFraction: reader.decimalOrNull(context["premium"], "premium"),
    openInterestBase: reader.nonNegative(context["openInterest"], "openInterest"),
    volume24hUsd: reader.nonNegative(context["dayNtlVlm"], "dayNtlVlm"),
    impactBidPrice: reader.positiveOrNull(impactBid, "impactPxs[0]"),
    impactAskPrice: reader.positiveOrNull(impactAsk, "impactPxs[1]"),
    arrivedAtMs,
  };
}
