import type { AssetListing, MarginTier } from "../../domain/asset.ts";
import type { ParseError, Parsed, WireRecord } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";

/** Margin table ids below this that are not listed are one tier whose leverage is the id; none was recorded listed. */
const LISTED_TABLE_ID_MIN = 50;
/** The lowest leverage that an asset was recorded with: 124 of 223 on 2025-12-13. */
const MAX_LEVERAGE_LOWEST = 3;

/** Tiers by the id of their table. */
export type MarginTables = ReadonlyMap<number, readonly MarginTier[]>;

export type MarginTerms = Pick<AssetListing, "maxLeverage" | "marginTiers">;

/** Tables that make no sense are left out, and with them the terms of the assets that need them. */
export function readMarginTables(value: unknown): {
  readonly tables: MarginTables;
  readonly rejected: ParseError[];
} {
  const tables = new Map<number, readonly MarginTier[]>();
  const reader = new FieldReader();
  const rows = reader.finish(reader.list(value, "marginTables"));
  if (!rows.ok) return { tables, rejected: [rows.error] };
  const rejected: ParseError[] = [];
  for (const [i, row] of rows.value.entries()) {
    const own = new FieldReader();
    const parsed = own.finish(readMarginTable(own, row, `marginTables[${String(i)}]`));
    if (parsed.ok) tables.set(...parsed.value);
    else rejected.push(parsed.error);
  }
  return { tables, rejected };
}

/** The margin terms of an asset's row: what the exchange says, or the strictest they may be and what was wrong with them. */
export function marginTermsOf(
  asset: WireRecord,
  tables: MarginTables,
): MarginTerms & { readonly fault: ParseError | null } {
  const terms = readMarginTerms(asset, tables);
  return terms.ok
    ? { ...terms.value, fault: null }
    : { ...strictestTerms(asset, tables), fault: terms.error };
}

function readMarginTerms(asset: WireRecord, tables: MarginTables): Parsed<MarginTerms> {
  const reader = new FieldReader();
  const tableId = reader.positiveCount(asset["marginTableId"], "marginTableId");
  const tiers = tiersOf(tableId, tables);
  if (tiers === undefined) reader.fail("mismatch", "marginTableId", tableId);
  const saidMaxLeverage = reader.positiveCount(asset["maxLeverage"], "maxLeverage");
  // Both say the same of every asset recorded; where they do not, the lower asks for more margin.
  const maxLeverage = Math.min(saidMaxLeverage, tiers?.[0]?.maxLeverage ?? saidMaxLeverage);
  const marginTiers = (tiers ?? []).map((tier) => ({
    ...tier,
    maxLeverage: Math.min(tier.maxLeverage, maxLeverage),
  }));
  return reader.finish({ maxLeverage, marginTiers });
}

/**
 * The terms of an asset of which only some can be read, or none: maintenance is that of the largest positions, for which
 * no recorded table goes below half of an asset's leverage.
 */
function strictestTerms(asset: WireRecord, tables: MarginTables): MarginTerms {
  const tableId = readableCount(asset["marginTableId"]);
  const tiers = tableId === null ? undefined : tiersOf(tableId, tables);
  const maxLeverage = readableCount(asset["maxLeverage"]) ?? tiers?.[0]?.maxLeverage ?? MAX_LEVERAGE_LOWEST;
  return { maxLeverage, marginTiers: [{ notionalLowerUsd: 0, maxLeverage: maxLeverage / 2 }] };
}

function readableCount(value: unknown): number | null {
  const reader = new FieldReader();
  const count = reader.finish(reader.positiveCount(value, "count"));
  return count.ok ? count.value : null;
}

function tiersOf(tableId: number, tables: MarginTables): readonly MarginTier[] | undefined {
  const implied = tableId < LISTED_TABLE_ID_MIN ? [{ notionalLowerUsd: 0, maxLeverage: tableId }] : undefined;
  return tables.get(tableId) ?? implied;
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
