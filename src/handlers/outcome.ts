import { isOutcomeRequest } from "../contracts/generated/contract-validators.ts";
import type { OutcomeRequest, OutcomeResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import type { Outcome } from "../domain/trade-outcome.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { OutcomeRecorder } from "../outcomes/outcome-recorder.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { contractViolationOf } from "./contract-violation.ts";
import { spellingCheckOf } from "./field-names.ts";
import { startingErrorOf } from "./readiness.ts";

const OUTCOME_FIELDS = [
  "trade_id",
  "asset",
  "action",
  "entry_price",
  "exit_price",
  "size",
  "leverage",
  "risk_score_at_entry",
  "calibration_hash",
  "pnl_usd",
  "pnl_pct",
  "holding_period_hours",
  "fees_paid_usd",
  "funding_paid_usd",
] as const satisfies readonly (keyof OutcomeRequest)[];
const misspeltFieldOf = spellingCheckOf(OUTCOME_FIELDS);

const TEXTS_OF_ANY_SCRIPT = [
  "trade_id",
  "calibration_hash",
] as const satisfies readonly (keyof OutcomeRequest)[];

/** Half a character in UTF-16: no store keeps it, and no pattern that all validators compile can name it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const RECORDS_UNAVAILABLE: RequestError = {
  code: "unavailable",
  detail: "the outcome record cannot be reached: nothing was acknowledged, send it again",
};

export interface OutcomeDeps {
  readonly snapshots: SnapshotStore;
  readonly recorder: OutcomeRecorder;
}

/**
 * POST /v1/outcome. Resolves once the outcome is durable. `reportedBy` is the id of the key that asked.
 *
 * Errors:  invalid_field, misspelt_field, size_not_positive, unknown_asset (a delisted one is known), starting_up;
 *          conflict when the trade_id stands for other content; unavailable
 */
export async function handleOutcome(
  body: unknown,
  reportedBy: string | null,
  { snapshots, recorder }: OutcomeDeps,
): Promise<Result<OutcomeResponse, RequestError>> {
  const parsed = parseOutcome(body, reportedBy);
  if (!parsed.ok) return parsed;
  const outcome = parsed.value;
  if (snapshots.assetOf(outcome.asset) === undefined) {
    return err(startingErrorOf(snapshots) ?? { code: "unknown_asset", asset: outcome.asset });
  }
  const recorded = await recorder.record(outcome);
  if (!recorded.ok) return err(RECORDS_UNAVAILABLE);
  if (recorded.value === "conflict") {
    return err({
      code: "conflict",
      detail: `trade_id ${outcome.tradeId} is recorded with other content`,
    });
  }
  return ok({ status: "recorded", trade_id: outcome.tradeId });
}

/** The body if it is a report. Errors: invalid_field, misspelt_field, size_not_positive. */
function checkedReport(body: unknown): Result<OutcomeRequest, RequestError> {
  const misspelt = misspeltFieldOf(body);
  if (misspelt !== undefined) return err(misspelt);
  if (!isOutcomeRequest(body)) return err(contractViolationOf(isOutcomeRequest.errors, body, Infinity));
  const halved = TEXTS_OF_ANY_SCRIPT.find((field) => LONE_SURROGATE.test(body[field]));
  if (halved !== undefined) {
    return err({ code: "invalid_field", field: halved, expected: "text without lone surrogates" });
  }
  return ok(body);
}

/** The report without the fields that the contract ignores. Errors: invalid_field, misspelt_field, size_not_positive. */
export function outcomeReportOf(body: unknown): Result<OutcomeRequest, RequestError> {
  const report = checkedReport(body);
  if (!report.ok) return report;
  const { value } = report;
  const known = OUTCOME_FIELDS.filter((field) => field in value).map((field) => [field, value[field]]);
  return ok(Object.fromEntries(known) as OutcomeRequest);
}

/** The report as it is kept. Errors: invalid_field, misspelt_field, size_not_positive. */
export function parseOutcome(body: unknown, reportedBy: string | null): Result<Outcome, RequestError> {
  const report = checkedReport(body);
  if (!report.ok) return report;
  const request = report.value;
  return ok({
    tradeId: request.trade_id,
    asset: request.asset,
    action: request.action,
    entryPrice: request.entry_price,
    exitPrice: request.exit_price,
    sizeUsd: request.size,
    leverage: request.leverage,
    riskScoreAtEntry: request.risk_score_at_entry,
    calibrationHash: request.calibration_hash,
    pnlUsd: request.pnl_usd,
    pnlPct: request.pnl_pct,
    holdingPeriodHours: request.holding_period_hours,
    feesPaidUsd: request.fees_paid_usd ?? null,
    fundingPaidUsd: request.funding_paid_usd ?? null,
    reportedBy,
  });
}
