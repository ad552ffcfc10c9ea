import type { SheetDay } from "../risk/scenarios/sheet-day.ts";
import type { AssetView } from "../risk/asset-view.ts";
import type { AssetLifecycle, AssetSnapshot } from "./asset-snapshot.ts";

export interface Publication {
  readonly lifecycle: AssetLifecycle;
  readonly sequence: number;
  readonly publishedAtMs: number;
  readonly bookArrivedAtMs: number | null;
  readonly sheetDay: SheetDay | null;
}

/** The view as it may leave the engine: one frozen value. Holds: parts keep their identity. */
export function buildSnapshot(view: AssetView, publication: Publication): AssetSnapshot {
  return Object.freeze({ ...view, ...publication });
}
