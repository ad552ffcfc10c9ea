import type { HealthResponse } from "../contracts/generated/types.ts";
import { healthBody, type ServiceFacts } from "../response/health-body.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";

/** GET /health: the body, and whether it is the answer of a ready service. */
export function handleHealth(
  snapshots: SnapshotStore,
  service: ServiceFacts,
): { readonly isReady: boolean; readonly body: HealthResponse } {
  const body = healthBody(snapshots.status, service);
  return { isReady: body.ready, body };
}
