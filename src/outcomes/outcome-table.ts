import type { Selectable } from "kysely";
import type { Outcome, RecordedOutcome } from "../domain/trade-outcome.ts";
import type { TradeAction } from "../domain/trade.ts";
import { checkOf } from "./outcome-checks.ts";
import {
  bumpRevision,
  type OutcomesTable,
  type RecordDatabase,
  type RecordQueries,
} from "./record-database.ts";

/** "conflict": the trade_id is recorded with other content. Recording the same content again is "recorded". */
export type RecordVerdict = "recorded" | "conflict";

/** Rows of one INSERT: 16 parameters each, below the 32,766 that SQLite takes. */
export const OUTCOMES_PER_COMMIT_MAX = 512;
const DELETIONS_PER_COMMIT = 5_000;

/**
 * Records outcomes in one durable write, in order. What is already there stays as it is.
 *
 * Shapes:  at most OUTCOMES_PER_COMMIT_MAX outcomes; one verdict each
 * Holds:   after "recorded", the store holds this content under this trade_id once, whatever is killed when
 */
export async function recordOutcomes(
  database: RecordDatabase,
  outcomes: readonly Outcome[],
  nowMs: number,
): Promise<readonly RecordVerdict[]> {
  if (outcomes.length === 0) return [];
  return database.write(async (queries) => {
    await queries
      .insertInto("outcomes")
      .values(
        outcomes.map((outcome) => ({
          ...contentOf(outcome),
          recorded_at_ms: nowMs,
          reported_by: outcome.reportedBy,
        })),
      )
      .onConflict((conflict) => conflict.column("trade_id").doNothing())
      .execute();
    // Which rows are new and which were there is one question: what stands under the trade_id now?
    const stored = await queries
      .selectFrom("outcomes")
      .selectAll()
      .where(
        "trade_id",
        "in",
        outcomes.map(({ tradeId }) => tradeId),
      )
      .execute();
    const keyOf = new Map(stored.map((row) => [row.trade_id, contentKey(outcomeOf(row))]));
    return outcomes.map((outcome) =>
      keyOf.get(outcome.tradeId) === contentKey(outcome) ? "recorded" : "conflict",
    );
  });
}

/** The next outcomes of the record, in its order. */
export async function outcomesAfter(
  queries: RecordQueries,
  sequence: number,
  limit: number,
): Promise<readonly RecordedOutcome[]> {
  return (await pageAfter(queries, sequence, limit).execute()).map(recordedOf);
}

/** The trade recorded under a sequence number; null where none is. */
export async function tradeIdAt(queries: RecordQueries, sequence: number): Promise<string | null> {
  const row = await queries
    .selectFrom("outcomes")
    .select("trade_id")
    .where("seq", "=", sequence)
    .executeTakeFirst();
  return row?.trade_id ?? null;
}

/** What statistics read of an outcome; they read every outcome at a start, so not the other half of its columns. */
export type CountedOutcome = Pick<
  RecordedOutcome,
  | "sequence"
  | "action"
  | "sizeUsd"
  | "leverage"
  | "riskScoreAtEntry"
  | "calibrationHash"
  | "pnlUsd"
  | "pnlPct"
  | "recordedAtMs"
  | "reportedBy"
  | "check"
>;

/** The next outcomes of the record, in its order, for statistics. */
export async function countedAfter(
  queries: RecordQueries,
  sequence: number,
  limit: number,
): Promise<readonly CountedOutcome[]> {
  const rows = await queries
    .selectFrom("outcomes")
    .select(["seq", "action", "size_usd", "leverage", "risk_score_at_entry", "calibration_hash", "pnl_usd"])
    .select(["pnl_pct", "recorded_at_ms", "reported_by", "price_finding", "var_99_fraction"])
    .where("seq", ">", sequence)
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    sequence: row.seq,
    action: row.action as TradeAction,
    ...scoredOf(row),
    recordedAtMs: row.recorded_at_ms,
    reportedBy: row.reported_by,
    check: checkOf(row),
  }));
}

/** The next outcomes of the record that no check was made of yet, recorded within these times. */
export async function uncheckedAfter(
  queries: RecordQueries,
  sequence: number,
  { fromMs, beforeMs }: { readonly fromMs: number; readonly beforeMs: number },
  limit: number,
): Promise<readonly RecordedOutcome[]> {
  const page = pageAfter(queries, sequence, limit)
    .where("recorded_at_ms", ">=", fromMs)
    .where("recorded_at_ms", "<", beforeMs)
    .where("price_finding", "is", null);
  return (await page.execute()).map(recordedOf);
}

/** Deletes what was recorded before a time, a bounded number in one write; returns how many, and whether there may be more. */
export async function deleteOutcomesBefore(
  database: RecordDatabase,
  beforeMs: number,
): Promise<{ readonly deleted: number; readonly isMore: boolean }> {
  return database.write(async (queries) => {
    const old = queries
      .selectFrom("outcomes")
      .select("seq")
      .where("recorded_at_ms", "<", beforeMs)
      .limit(DELETIONS_PER_COMMIT);
    const { numDeletedRows } = await queries
      .deleteFrom("outcomes")
      .where("seq", "in", old)
      .executeTakeFirst();
    if (numDeletedRows > 0n) await bumpRevision(queries, "deletions");
    const deleted = Number(numDeletedRows);
    return { deleted, isMore: deleted === DELETIONS_PER_COMMIT };
  });
}

type ServiceColumn = "seq" | "recorded_at_ms" | "reported_by" | "price_finding" | "var_99_fraction";

/** What the reporter said, by which reports are compared. */
function contentOf(outcome: Outcome): Omit<Selectable<OutcomesTable>, ServiceColumn> {
  return {
    trade_id: outcome.tradeId,
    asset: outcome.asset,
    action: outcome.action,
    entry_price: outcome.entryPrice,
    exit_price: outcome.exitPrice,
    size_usd: outcome.sizeUsd,
    leverage: outcome.leverage,
    risk_score_at_entry: outcome.riskScoreAtEntry,
    calibration_hash: outcome.calibrationHash,
    pnl_usd: outcome.pnlUsd,
    pnl_pct: outcome.pnlPct,
    holding_period_hours: outcome.holdingPeriodHours,
    fees_paid_usd: outcome.feesPaidUsd,
    funding_paid_usd: outcome.fundingPaidUsd,
  };
}

type ScoredColumn =
  "size_usd" | "leverage" | "risk_score_at_entry" | "calibration_hash" | "pnl_usd" | "pnl_pct";

/** What was scored, and what came of it. */
function scoredOf(
  row: Pick<Selectable<OutcomesTable>, ScoredColumn>,
): Pick<Outcome, "sizeUsd" | "leverage" | "riskScoreAtEntry" | "calibrationHash" | "pnlUsd" | "pnlPct"> {
  return {
    sizeUsd: row.size_usd,
    leverage: row.leverage,
    riskScoreAtEntry: row.risk_score_at_entry,
    calibrationHash: row.calibration_hash,
    pnlUsd: row.pnl_usd,
    pnlPct: row.pnl_pct,
  };
}

function outcomeOf(row: Selectable<OutcomesTable>): Outcome {
  return {
    tradeId: row.trade_id,
    asset: row.asset,
    // The column's check holds it to the three actions.
    action: row.action as TradeAction,
    entryPrice: row.entry_price,
    exitPrice: row.exit_price,
    ...scoredOf(row),
    holdingPeriodHours: row.holding_period_hours,
    feesPaidUsd: row.fees_paid_usd,
    fundingPaidUsd: row.funding_paid_usd,
    reportedBy: row.reported_by,
  };
}

function recordedOf(row: Selectable<OutcomesTable>): RecordedOutcome {
  return { ...outcomeOf(row), sequence: row.seq, recordedAtMs: row.recorded_at_ms, check: checkOf(row) };
}

/** Equal for outcomes of equal content. JSON writes doubles exactly, and -0 as 0. */
function contentKey(outcome: Outcome): string {
  return JSON.stringify(Object.values(contentOf(outcome)));
}

function pageAfter(queries: RecordQueries, sequence: number, limit: number) {
  return queries.selectFrom("outcomes").selectAll().where("seq", ">", sequence).orderBy("seq").limit(limit);
}
