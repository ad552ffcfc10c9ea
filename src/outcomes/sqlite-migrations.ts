import type { SchemaMigration } from "./schema-migration.ts";

/** AUTOINCREMENT: a sequence number is not used again after its row is deleted. */
export const SQLITE_MIGRATIONS: readonly SchemaMigration[] = [
  {
    name: "outcomes, calibrations, keys",
    statements: [
      `create table outcomes (
        seq integer primary key autoincrement,
        trade_id text not null unique,
        asset text not null,
        action text not null check (action in ('long', 'short', 'close')),
        entry_price real not null check (entry_price > 0),
        exit_price real not null check (exit_price > 0),
        size_usd real not null check (size_usd > 0),
        leverage real not null check (leverage > 0),
        risk_score_at_entry real not null check (risk_score_at_entry between 0 and 100),
        calibration_hash text not null,
        pnl_usd real not null,
        pnl_pct real not null,
        holding_period_hours real not null check (holding_period_hours >= 0),
        fees_paid_usd real,
        funding_paid_usd real,
        recorded_at_ms integer not null
      ) strict`,
      `create index outcomes_recorded_at on outcomes (recorded_at_ms)`,
      `create table calibrations (
        calibration_hash text primary key,
        score_curve text not null,
        published_at_ms integer not null
      ) strict`,
      `create table api_keys (
        key_id text primary key,
        salt text not null,
        hash_hex text not null,
        rate_limit_per_minute integer check (rate_limit_per_minute >= 1),
        created_at_ms integer not null,
        expires_at_ms integer,
        revoked_at_ms integer,
        last_used_at_ms integer
      ) strict`,
      `create table revisions (subject text primary key, revision integer not null) strict`,
      `insert into revisions (subject, revision) values ('keys', 0), ('deletions', 0)`,
    ],
  },
  {
    name: "who reported an outcome, and what the market says of it",
    statements: [
      `alter table outcomes add column reported_by text`,
      `alter table outcomes add column price_finding text check (price_finding in ('inside', 'outside', 'unknown'))`,
      `alter table outcomes add column var_99_fraction real`,
      `create index outcomes_unchecked on outcomes (seq) where price_finding is null`,
    ],
  },
  {
    name: "when checks were made",
    statements: [`insert into revisions (subject, revision) values ('checks', 0)`],
  },
];
