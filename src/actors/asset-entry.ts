import type { Actor } from "xstate";
import type { Ticker } from "../domain/ids.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";
import type { AssetLifecycle } from "../snapshot/asset-snapshot.ts";
import { BOOK_AGE } from "../risk/scoring/age-limits.ts";
import {
  ageMsOf,
  areContradictory,
  type Freshness,
  freshnessOf,
  markFreshness,
  worst,
} from "../snapshot/staleness.ts";
import type { assetMachine } from "./asset-machine.ts";
import type { AssetState } from "./asset-state.ts";

/** What the registry keeps of one asset. */
export interface AssetEntry {
  readonly state: AssetState;
  readonly actor: Actor<typeof assetMachine>;
  sequence: number;
  publishedAtMs: number;
  isDirty: boolean;
  regimeAtMs: number;
  restartsMs: number[];
}

/** An asset was started anew after an error, or given up after too many. */
export interface AssetRestart {
  readonly ticker: Ticker;
  readonly error: unknown;
  readonly isGivenUp: boolean;
  /** What it learned since it was last asked, with the hour under way: nobody else has it any more. */
  readonly learned: readonly LearnedHour[];
}

export function lifecycleOf({ actor }: AssetEntry): AssetLifecycle {
  return actor.getSnapshot().value;
}

/** What the ages of its book and mark say of an asset now; where no book has come yet, stale at best. */
export function freshnessAt({ bookArrivedAtMs, context }: AssetState, nowMs: number): Freshness {
  const book =
    bookArrivedAtMs === null ? "stale" : freshnessOf(ageMsOf(bookArrivedAtMs, nowMs), BOOK_AGE.value);
  return worst(book, markFreshness(context.shown, nowMs));
}

/**
 * Whether the market can be learned from. Measured again and again, the last moment before an outage would weigh as all
 * the hours of it; and one frame of another asset's book would be a market in stress, for hours.
 */
export function isMeasurable({ book, context }: AssetState, freshness: Freshness): boolean {
  return freshness !== "unusable" && !areContradictory(book, context.shown.markPrice);
}

/** What a failed asset learned since it was last asked, with the hour under way; nothing where it fails at that, too. */
export function learnedBy({ state }: AssetEntry): readonly LearnedHour[] {
  try {
    return state.takeLearned(true);
  } catch {
    return [];
  }
}
