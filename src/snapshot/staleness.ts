import type { AssetContext } from "../domain/asset.ts";
import type { Calibrated } from "../domain/calibrated.ts";
import type { AssetLifecycle, AssetSnapshot } from "./asset-snapshot.ts";

export type Freshness = "fresh" | "stale" | "unusable";

export interface AgeLimits {
  /** Past it an answer is flagged and at best cautious. */
  readonly softMs: number;
  /** Past it there is no answer, exits excepted. */
  readonly hardMs: number;
}

export const BOOK_AGE: Calibrated<AgeLimits> = {
  value: { softMs: 10_000, hardMs: 60_000 },
  unit: "milliseconds since the newest frame arrived",
  source: "chosen: the slowest book subscription resends every 5.0-5.6 s, so 10 s is one frame missed",
  fittedOn: "cadence measured on the exchange's feed, 2026-09-24",
};

export const MARK_AGE: Calibrated<AgeLimits> = {
  value: { softMs: 10_000, hardMs: 60_000 },
  unit: "milliseconds since the context arrived",
  source: "chosen: contexts come about once a second, marks move every 3 s",
  fittedOn: "cadence measured on the exchange's feed, 2026-09-24",
};

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
}

interface Aged extends Pick<AssetSnapshot, "lifecycle" | "bookArrivedAtMs"> {
  readonly context: Pick<AssetContext, "arrivedAtMs">;
}

/**
 * What may be trusted of a snapshot at this moment, by the ages of its book and mark.
 *
 * Holds:  never improves while nothing arrives and the clock goes on; ages are not negative
 */
export function snapshotFreshness(snapshot: Aged, nowMs: number): SnapshotFreshness {
  const { lifecycle, bookArrivedAtMs, context } = snapshot;
  const bookAgeMs = bookArrivedAtMs === null ? null : ageMsOf(bookArrivedAtMs, nowMs);
  const markAgeMs = ageMsOf(context.arrivedAtMs, nowMs);
  const book = freshnessOf(bookAgeMs, BOOK_AGE.value);
  const mark = freshnessOf(markAgeMs, MARK_AGE.value);
  const feed = LIFECYCLE_FRESHNESS[lifecycle];
  return { overall: worst(worst(book, mark), feed), bookAgeMs, markAgeMs };
}

const LIFECYCLE_FRESHNESS: Readonly<Record<AssetLifecycle, Freshness>> = {
  listed: "unusable",
  warming: "unusable",
  live: "fresh",
  stale: "stale",
  delisted: "unusable",
};

const SEVERITY: Readonly<Record<Freshness, number>> = { fresh: 0, stale: 1, unusable: 2 };

function worst(a: Freshness, b: Freshness): Freshness {
  return SEVERITY[a] >= SEVERITY[b] ? a : b;
}
