import type { OutcomesStatsResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { RecordsUnavailable } from "../outcomes/outcome-recorder.ts";
import { outcomesStatsBody } from "../response/outcomes-stats-body.ts";
import type { OutcomeStatistics } from "../risk/backtest/accuracy-report.ts";

export const RECORD_UNREADABLE: RequestError = {
  code: "unavailable",
  detail: "the outcome record cannot be read",
};

/** Where a handler asks what the record says now: every outcome acknowledged before the question is in the answer. */
export interface OutcomeStatisticsSource {
  statistics(): Promise<Result<OutcomeStatistics, RecordsUnavailable>>;
}

/** GET /v1/outcomes/stats. Errors: unavailable. */
export async function handleOutcomesStats(
  source: OutcomeStatisticsSource,
): Promise<Result<OutcomesStatsResponse, RequestError>> {
  const statistics = await source.statistics();
  return statistics.ok ? ok(outcomesStatsBody(statistics.value)) : err(RECORD_UNREADABLE);
}
