import type { AssetCounts } from "../snapshot/engine-status.ts";
import { type AssetEntry, lifecycleOf } from "./asset-entry.ts";

/** How many assets are in each state of their lifecycle, and how many lack what. */
export function assetCountsOf(entries: Iterable<AssetEntry>): AssetCounts {
  const counts = { listed: 0, warming: 0, live: 0, stale: 0, delisted: 0, withoutModel: 0, closeOnly: 0 };
  for (const entry of entries) {
    const lifecycle = lifecycleOf(entry);
    counts[lifecycle]++;
    if (lifecycle !== "delisted" && entry.state.listing.isCloseOnly) counts.closeOnly++;
    const hasBeenWarm = lifecycle === "live" || lifecycle === "stale";
    if (hasBeenWarm && entry.state.volatility.model === null) counts.withoutModel++;
  }
  return counts;
}

/** Share of the listed assets' 24 h volume whose asset is live; 0 without any. */
export function liveVolumeShareOf(entries: Iterable<AssetEntry>): number {
  let live = 0;
  let total = 0;
  for (const entry of entries) {
    const lifecycle = lifecycleOf(entry);
    if (lifecycle === "delisted") continue;
    const { volume24hUsd } = entry.state.context;
    total += volume24hUsd;
    if (lifecycle === "live") live += volume24hUsd;
  }
  return total > 0 ? live / total : 0;
}
