import type { AssetContext } from "../domain/asset.ts";
import type { OrderBook } from "../domain/book.ts";
import { type AgeLimits, BOOK_AGE, BOOK_MARK_GAP, MARK_AGE } from "../risk/scoring/age-limits.ts";
import type { AssetLifecycle, AssetSnapshot } from "./asset-snapshot.ts";

export type Freshness = "fresh" | "stale" | "unusable";

/** Of what arrived, or was heard of. Ahead of a clock that was set back it is as far from now as one behind it. */
export function ageMsOf(atMs: number, nowMs: number): number {
  return Math.abs(nowMs - atMs);
}

/** How far facts of this age may be trusted; facts never received are unusable. */
export function freshnessOf(ageMs: number | null, limits: AgeLimits): Freshness {
  if (ageMs === null || ageMs > limits.hardMs) return "unusable";
  return ageMs > limits.softMs ? "stale" : "fresh";
}

export interface SnapshotFreshness {
  /** The worst of the book, the mark and the lifecycle: a lost feed is stale, an asset that is not warm yet unusable. */
  readonly overall: Freshness;
  readonly bookAgeMs: number | null;
  readonly markAgeMs: number;
  /** By how much the mark lies outside the quoted spread, as a fraction of the mark; 0 without a book. */
  readonly gapFraction: number;
}

/** How far a mark may be trusted by its age. */
export function markFreshness({ arrivedAtMs }: Pick<AssetContext, "arrivedAtMs">, nowMs: number): Freshness {
  return freshnessOf(ageMsOf(arrivedAtMs, nowMs), MARK_AGE.value);
}

/** Whether a mark is past its soft limit. */
export function isMarkStale(context: Pick<AssetContext, "arrivedAtMs">, nowMs: number): boolean {
  return markFreshness(context, nowMs) !== "fresh";
}

interface Aged extends Pick<AssetSnapshot, "lifecycle" | "bookArrivedAtMs" | "book"> {
  readonly context: Pick<AssetContext, "arrivedAtMs" | "markPrice">;
}

/**
 * What may be trusted of a snapshot at this moment, by the ages of its book and mark and by how well they agree.
 *
 * Holds:  never improves while nothing arrives and the clock goes on, unless it was set back behind what arrived; ages are
 *         not negative
 */
export function snapshotFreshness(snapshot: Aged, nowMs: number): SnapshotFreshness {
  const { lifecycle, bookArrivedAtMs, context } = snapshot;
  const bookAgeMs = bookArrivedAtMs === null ? null : ageMsOf(bookArrivedAtMs, nowMs);
  const markAgeMs = ageMsOf(context.arrivedAtMs, nowMs);
  const book = freshnessOf(bookAgeMs, BOOK_AGE.value);
  const mark = freshnessOf(markAgeMs, MARK_AGE.value);
  const feed = LIFECYCLE_FRESHNESS[lifecycle];
  const gapFraction = gapFractionOf(snapshot.book, context.markPrice);
  const { softFraction, hardFraction } = BOOK_MARK_GAP.value;
  const gap = gapFraction <= softFraction ? "fresh" : gapFraction <= hardFraction ? "stale" : "unusable";
  return { overall: worst(worst(worst(book, mark), feed), gap), bookAgeMs, markAgeMs, gapFraction };
}

function gapFractionOf(book: OrderBook | null, markPrice: number): number {
  if (book === null) return 0;
  const { bids, asks } = book;
  const belowUsd = (bids.prices[0] ?? 0) - markPrice;
  const aboveUsd = markPrice - (asks.prices[0] ?? Number.POSITIVE_INFINITY);
  return Math.max(0, belowUsd, aboveUsd) / markPrice;
}

/** Whether a book and a mark are so far apart that one of the two is wrong. */
export function areContradictory(book: OrderBook | null, markPrice: number): boolean {
  return gapFractionOf(book, markPrice) > BOOK_MARK_GAP.value.hardFraction;
}

const LIFECYCLE_FRESHNESS: Readonly<Record<AssetLifecycle, Freshness>> = {
  listed: "unusable",
  warming: "unusable",
  live: "fresh",
  stale: "stale",
  delisted: "unusable",
};

const SEVERITY: Readonly<Record<Freshness, number>> = { fresh: 0, stale: 1, unusable: 2 };

/** The worse of two. */
export function worst(a: Freshness, b: Freshness): Freshness {
  return SEVERITY[a] >= SEVERITY[b] ? a : b;
}
