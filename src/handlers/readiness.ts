import type { RequestError } from "../domain/errors.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";

const STARTING_RETRY_SECONDS = 2;

/** Why business endpoints cannot answer yet; undefined once the engine has been ready for the first time. */
export function startingErrorOf(snapshots: SnapshotStore): RequestError | undefined {
  return snapshots.hasBeenReady
    ? undefined
    : { code: "starting_up", retryAfterSeconds: STARTING_RETRY_SECONDS };
}
