import type { OutcomesStatsResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { RecordsUnavailable } from "../outcomes/outcome-recorder.ts";
import { outcomesStatsBody } from "../response/outcomes-stats-body.ts";
import type { AccuracyReport, OutcomeStatistics } from "../risk/backtest/accuracy-report.ts";

const NOT_READ_YET = "the outcome record has not been read yet";
const UNREADABLE = "the outcome record cannot be read";
const LATE = "the outcome record's statistics are not computed in time";

/** Why there is no answer from the record, by its last report. */
export function recordErrorOf(report: AccuracyReport | null | undefined): RequestError {
  const detail = report === undefined ? NOT_READ_YET : report === null ? UNREADABLE : LATE;
  return { code: "unavailable", detail };
}

/** Where a handler asks what the record says now: every outcome acknowledged before the question is in the answer. */
export interface OutcomeStatisticsSource {
  statistics(): Promise<Result<OutcomeStatistics, RecordsUnavailable>>;
  /** The last report; null while the record cannot be read, undefined before it was read first. */
  readonly accuracy: AccuracyReport | null | undefined;
}

/** GET /v1/outcomes/stats. Errors: unavailable. */
export async function handleOutcomesStats(
  source: OutcomeStatisticsSource,
): Promise<Result<OutcomesStatsResponse, RequestError>> {
  const statistics = await source.statistics();
  return statistics.ok ? ok(outcomesStatsBody(statistics.value)) : err(recordErrorOf(source.accuracy));
}
