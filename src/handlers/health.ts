import type { HealthResponse } from "../contracts/generated/types.ts";
import { healthBody, type ServiceFacts } from "../response/health-body.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";

/** GET /health. */
export function handleHealth(snapshots: SnapshotStore, service: ServiceFacts): HealthResponse {
  return healthBody(snapshots.status, service);
}
