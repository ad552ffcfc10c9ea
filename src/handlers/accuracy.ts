import type { AccuracyResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { accuracyBody } from "../response/accuracy-body.ts";
import type { AccuracyReport } from "../risk/backtest/accuracy-report.ts";
import { recordErrorOf } from "./outcomes-stats.ts";

/**
 * GET /v1/accuracy: the last report; undefined before the first, null while the record cannot be read.
 *
 * Errors:  unavailable without one
 */
export function handleAccuracy(
  report: AccuracyReport | null | undefined,
): Result<AccuracyResponse, RequestError> {
  return report ? ok(accuracyBody(report)) : err(recordErrorOf(report));
}
