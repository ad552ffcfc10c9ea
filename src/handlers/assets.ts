import type { AssetsResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { assetsBody } from "../response/assets-body.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { startingErrorOf } from "./readiness.ts";

/** GET /v1/assets. Errors: starting_up. */
export function handleAssets(snapshots: SnapshotStore): Result<AssetsResponse, RequestError> {
  const starting = startingErrorOf(snapshots);
  return starting === undefined ? ok(assetsBody(snapshots.assets())) : err(starting);
}
