import type { AccuracyResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { accuracyBody } from "../response/accuracy-body.ts";
import type { AccuracyReport } from "../risk/backtest/accuracy-report.ts";
import { RECORD_UNREADABLE } from "./outcomes-stats.ts";

/**
 * GET /v1/accuracy: the last report; undefined before the first, null while the record cannot be read.
 *
 * Errors:  unavailable without one
 */
export function handleAccuracy(
  report: AccuracyReport | null | undefined,
): Result<AccuracyResponse, RequestError> {
  if (report === undefined) {
    return err({ code: "unavailable", detail: "the outcome record has not been read yet" });
  }
  return report === null ? err(RECORD_UNREADABLE) : ok(accuracyBody(report));
}
