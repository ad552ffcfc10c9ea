import type { CalibrationHealthResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { calibrationHealthBody } from "../response/calibration-health-body.ts";
import { type AssetHealth, calibrationHealthOf } from "../risk/backtest/calibration-findings.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { startingErrorOf } from "./readiness.ts";

/** GET /v1/calibration/health: every asset that can be traded. Errors: starting_up. */
export function handleCalibrationHealth(
  snapshots: SnapshotStore,
  nowMs: number,
): Result<CalibrationHealthResponse, RequestError> {
  const starting = startingErrorOf(snapshots);
  if (starting !== undefined) return err(starting);
  const assets = snapshots
    .assets()
    .filter(({ lifecycle }) => lifecycle !== "delisted")
    .map(({ listing }): AssetHealth => ({
      asset: listing.ticker,
      diagnostics: snapshots.diagnosticsOf(listing.ticker) ?? null,
    }));
  const computed = assets.flatMap(({ diagnostics }) =>
    diagnostics === null ? [] : [diagnostics.computedAtMs],
  );
  const computedAtMs = computed.length === 0 ? nowMs : Math.max(...computed);
  return ok(calibrationHealthBody(calibrationHealthOf(assets), computedAtMs));
}
