import { type Generated, type Kysely, sql } from "kysely";

export interface OutcomesTable {
  readonly seq: Generated<number>;
  readonly trade_id: string;
  readonly asset: string;
  readonly action: string;
  readonly entry_price: number;
  readonly exit_price: number;
  readonly size_usd: number;
  readonly leverage: number;
  readonly risk_score_at_entry: number;
  readonly calibration_hash: string;
  readonly pnl_usd: number;
  readonly pnl_pct: number;
  readonly holding_period_hours: number;
  readonly fees_paid_usd: number | null;
  readonly funding_paid_usd: number | null;
  readonly recorded_at_ms: number;
  readonly reported_by: string | null;
  /** Null until the outcome is checked. */
  readonly price_finding: string | null;
  readonly var_99_fraction: number | null;
}

export interface CalibrationsTable {
  readonly calibration_hash: string;
  /** JSON of the curve that turns a probability into score points, {"at": [...], "value": [...]}. */
  readonly score_curve: string;
  readonly published_at_ms: number;
}

export interface ApiKeysTable {
  readonly key_id: string;
  readonly salt: string;
  readonly hash_hex: string;
  readonly rate_limit_per_minute: number | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number | null;
  readonly revoked_at_ms: number | null;
  readonly last_used_at_ms: number | null;
}

/** Counters that readers watch: a change says that what they hold is out of date. */
export interface RevisionsTable {
  readonly subject: RevisionSubject;
  readonly revision: number;
}

export type RevisionSubject = "keys" | "deletions" | "checks";

export interface RecordTables {
  readonly outcomes: OutcomesTable;
  readonly calibrations: CalibrationsTable;
  readonly api_keys: ApiKeysTable;
  readonly revisions: RevisionsTable;
}

export type RecordQueries = Kysely<RecordTables>;

/** One open database: queries, and the one way to write, which ends durable or not at all. */
export interface RecordDatabase {
  readonly name: "sqlite" | "postgres";
  readonly queries: RecordQueries;
  /**
   * Runs the writes of one transaction while no other writer is in one, and resolves once it is durable. A rejection
   * means that nothing can be promised: what was written is either gone or whole, never half.
   */
  write<T>(body: (queries: RecordQueries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Begin, body, commit on one connection; whatever fails is rolled back and thrown on. */
export async function inTransaction<T>(
  queries: RecordQueries,
  begin: (connection: RecordQueries) => Promise<void>,
  body: (queries: RecordQueries) => Promise<T>,
): Promise<T> {
  return queries.connection().execute(async (connection) => {
    await begin(connection);
    try {
      const value = await body(connection);
      await sql`commit`.execute(connection);
      return value;
    } catch (cause) {
      // A full disk or a lost connection has ended the transaction already; then there is nothing to roll back.
      await sql`rollback`.execute(connection).catch(() => undefined);
      throw cause;
    }
  });
}

/** Says to readers that what they hold of a subject is out of date. Inside a write. */
export async function bumpRevision(queries: RecordQueries, subject: RevisionSubject): Promise<void> {
  await queries
    .updateTable("revisions")
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("subject", "=", subject)
    .execute();
}

export async function revisionOf(queries: RecordQueries, subject: RevisionSubject): Promise<number> {
  const row = await queries
    .selectFrom("revisions")
    .select("revision")
    .where("subject", "=", subject)
    .executeTakeFirstOrThrow();
  return row.revision;
}
