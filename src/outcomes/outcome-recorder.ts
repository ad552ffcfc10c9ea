import type { Outcome } from "../domain/trade-outcome.ts";
import type { Result } from "../domain/result.ts";
import type { RecordVerdict } from "./outcome-table.ts";

/** The records cannot be reached, or do not answer in time; nothing is promised about what was asked. */
export interface RecordsUnavailable {
  readonly code: "records_unavailable";
}

/** Where a handler hands an outcome to be kept. */
export interface OutcomeRecorder {
  /** Resolves once the outcome is durable, never before. */
  record(outcome: Outcome): Promise<Result<RecordVerdict, RecordsUnavailable>>;
}
