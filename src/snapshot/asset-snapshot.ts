import type { SheetDay } from "../risk/scenarios/sheet-day.ts";
import type { AssetView } from "../risk/asset-view.ts";

/** Where an asset stands: only live and stale ones have been warm, a delisted one keeps its last facts. */
export type AssetLifecycle = "listed" | "warming" | "live" | "stale" | "delisted";

/** Whether an asset's history is not read to its end yet. */
export function isBeingRead(lifecycle: AssetLifecycle): boolean {
  return lifecycle === "listed" || lifecycle === "warming";
}

/** One asset as a request may see it, with what decides whether it may be trusted. Frozen; replaced whole. */
export interface AssetSnapshot extends AssetView {
  readonly lifecycle: AssetLifecycle;
  /** Grows by one with every publication of this asset in one engine run. */
  readonly sequence: number;
  readonly publishedAtMs: number;
  /** Arrival of the newest frame in the book; null before the first. */
  readonly bookArrivedAtMs: number | null;
  /** The asset's row of the joint scenarios at its sigma now, for the reader's sheet; null before the first draw. */
  readonly sheetDay: SheetDay | null;
}

/** The view as it may leave the engine: one frozen value. Holds: parts keep their identity. */
export function buildSnapshot(
  view: AssetView,
  publication: Omit<AssetSnapshot, keyof AssetView>,
): AssetSnapshot {
  return Object.freeze({ ...view, ...publication });
}

/**
 * The snapshot with some of its parts replaced. One literal makes them all, so that whatever reads assets meets one
 * hidden class; spreads of spreads have one each (DECISIONS 50).
 */
export function withParts(snapshot: AssetSnapshot, parts: Partial<AssetSnapshot>): AssetSnapshot {
  const whole: AssetSnapshot = {
    listing: snapshot.listing,
    marginSchedule: snapshot.marginSchedule,
    context: snapshot.context,
    book: snapshot.book,
    bookStatistics: snapshot.bookStatistics,
    openInterest: snapshot.openInterest,
    funding: snapshot.funding,
    volatility: snapshot.volatility,
    tails: snapshot.tails,
    liquidityRegime: snapshot.liquidityRegime,
    drawdown: snapshot.drawdown,
    stressShocks: snapshot.stressShocks,
    sheetRow: snapshot.sheetRow,
    historyHours: snapshot.historyHours,
    isNewListing: snapshot.isNewListing,
    lifecycle: snapshot.lifecycle,
    sequence: snapshot.sequence,
    publishedAtMs: snapshot.publishedAtMs,
    bookArrivedAtMs: snapshot.bookArrivedAtMs,
    sheetDay: snapshot.sheetDay,
  };
  return Object.freeze(Object.assign(whole, parts));
}
