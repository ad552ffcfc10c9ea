import type { Actor } from "xstate";
import type { AssetLifecycle } from "../snapshot/asset-snapshot.ts";
import { BOOK_AGE, MARK_AGE } from "../risk/scoring/age-limits.ts";
import { ageMsOf, freshnessOf } from "../snapshot/staleness.ts";
import type { assetMachine } from "./asset-machine.ts";
import type { AssetState } from "./asset-state.ts";

/** What the registry keeps of one asset. */
export interface AssetEntry {
  state: AssetState;
  actor: Actor<typeof assetMachine>;
  sequence: number;
  publishedAtMs: number;
  isDirty: boolean;
  regimeAtMs: number;
  restartsMs: number[];
}

export function lifecycleOf({ actor }: AssetEntry): AssetLifecycle {
  return actor.getSnapshot().value;
}

export function isFresh({ bookArrivedAtMs, context }: AssetState, nowMs: number): boolean {
  if (bookArrivedAtMs === null) return false;
  const book = freshnessOf(ageMsOf(bookArrivedAtMs, nowMs), BOOK_AGE.value);
  const mark = freshnessOf(ageMsOf(context.shown.arrivedAtMs, nowMs), MARK_AGE.value);
  return book === "fresh" && mark === "fresh";
}
