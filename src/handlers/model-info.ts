import type { ModelInfoResponse } from "../contracts/generated/types.ts";
import { modelInfoBody } from "../response/model-info-body.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";

/** GET /v1/model-info. Answers while starting too: constants need no market. */
export function handleModelInfo(snapshots: SnapshotStore, engineVersion: string): ModelInfoResponse {
  return modelInfoBody(engineVersion, snapshots.status, snapshots.models);
}
