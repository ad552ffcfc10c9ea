import type { AssetView } from "../risk/asset-view.ts";
import type { AssetSnapshot } from "./asset-snapshot.ts";

/** The view as it may leave the engine: one frozen value. Holds: parts keep their identity. */
export function buildSnapshot(
  view: AssetView,
  publication: Omit<AssetSnapshot, keyof AssetView>,
): AssetSnapshot {
  return Object.freeze({ ...view, ...publication });
}
