import { parentPort, workerData } from "node:worker_threads";
import type { LogLevel } from "../config.ts";
import { SYSTEM_CLOCK } from "../domain/clock.ts";
import type { IssuedKey } from "../domain/issued-key.ts";
import type { Outcome } from "../domain/trade-outcome.ts";
import type { RecordVerdict } from "../outcomes/outcome-table.ts";
import type { RecordDatabase } from "../outcomes/record-database.ts";
import { recordsFailure } from "../outcomes/record-failures.ts";
import { openRecords, type RecordLocation } from "../outcomes/record-location.ts";
import { createLogger } from "../process/logger.ts";
import { RecordsKeeper } from "./records-keeper.ts";

export interface RecordsThreadData {
  readonly location: RecordLocation;
  readonly retentionDays: number | null;
  readonly logLevel: LogLevel;
}

export type RecordsRequest =
  | { readonly type: "record"; readonly id: number; readonly outcome: Outcome }
  | { readonly type: "keys.used"; readonly lastUsedAtMs: ReadonlyMap<string, number> }
  | { readonly type: "stop" };

export type RecordsReply =
  /** A null verdict: not recorded as far as is known. */
  | { readonly type: "recorded"; readonly id: number; readonly verdict: RecordVerdict | null }
  | { readonly type: "keys"; readonly keys: readonly IssuedKey[] }
  | { readonly type: "writable"; readonly isWritable: boolean }
  /** Said once a second by a thread whose records are open: opening may take longer than a thread may be silent. */
  | { readonly type: "alive" };

const SPEAK_EVERY_MS = 1_000;

/** Worker entry: durable writes wait for the disk, and no answer may wait with them. */
if (parentPort !== null) {
  const parent = parentPort;
  const { location, retentionDays, logLevel } = workerData as RecordsThreadData;
  const logger = createLogger(logLevel);
  const reply = (message: RecordsReply): void => parent.postMessage(message);
  const open = async (): Promise<RecordDatabase> => {
    const database = await openRecords(location, (cause) =>
      logger.warn(
        { event: "records.connection_lost", ...recordsFailure(cause) },
        "a database connection was lost",
      ),
    );
    setInterval(() => reply({ type: "alive" }), SPEAK_EVERY_MS).unref();
    return database;
  };
  const keeper = new RecordsKeeper({
    open,
    retentionDays,
    clock: SYSTEM_CLOCK,
    logger,
    onKeys: (keys) => reply({ type: "keys", keys }),
    onWritable: (isWritable) => reply({ type: "writable", isWritable }),
  });
  parent.on("message", (request: RecordsRequest) => {
    switch (request.type) {
      case "record": {
        const { id } = request;
        keeper.record(request.outcome).then(
          (verdict) => reply({ type: "recorded", id, verdict }),
          () => reply({ type: "recorded", id, verdict: null }),
        );
        return;
      }
      case "keys.used":
        keeper.noteKeyUse(request.lastUsedAtMs);
        return;
      case "stop":
        void keeper.close().finally(() => parent.close());
    }
  });
}
