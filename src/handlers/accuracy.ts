import type { AccuracyResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { accuracyBody } from "../response/accuracy-body.ts";
import type { AccuracyReport } from "../risk/backtest/accuracy-report.ts";

/** GET /v1/accuracy: the last report. Errors: unavailable before the first one, and while the record cannot be read. */
export function handleAccuracy(report: AccuracyReport | null): Result<AccuracyResponse, RequestError> {
  return report === null
    ? err({ code: "unavailable", detail: "the outcome record has not been read yet" })
    : ok(accuracyBody(report));
}
