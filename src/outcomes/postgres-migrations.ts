import type { SchemaMigration } from "./schema-migration.ts";

/** The columns of the SQLite schema, step by step, in PostgreSQL's types. */
export const POSTGRES_MIGRATIONS: readonly SchemaMigration[] = [
  {
    name: "outcomes, calibrations, keys",
    statements: [
      `create table outcomes (
        seq bigint generated always as identity primary key,
        trade_id text not null unique,
        asset text not null,
        action text not null check (action in ('long', 'short', 'close')),
        entry_price double precision not null check (entry_price > 0),
        exit_price double precision not null check (exit_price > 0),
        size_usd double precision not null check (size_usd > 0),
        leverage double precision not null check (leverage > 0),
        risk_score_at_entry double precision not null check (risk_score_at_entry between 0 and 100),
        calibration_hash text not null,
        pnl_usd double precision not null,
        pnl_pct double precision not null,
        holding_period_hours double precision not null check (holding_period_hours >= 0),
        fees_paid_usd double precision,
        funding_paid_usd double precision,
        recorded_at_ms bigint not null
      )`,
      `create index outcomes_recorded_at on outcomes (recorded_at_ms)`,
      `create table calibrations (
        calibration_hash text primary key,
        score_curve text not null,
        published_at_ms bigint not null
      )`,
      `create table api_keys (
        key_id text primary key,
        salt text not null,
        hash_hex text not null,
        rate_limit_per_minute integer check (rate_limit_per_minute >= 1),
        created_at_ms bigint not null,
        expires_at_ms bigint,
        revoked_at_ms bigint,
        last_used_at_ms bigint
      )`,
      `create table revisions (subject text primary key, revision bigint not null)`,
      `insert into revisions (subject, revision) values ('keys', 0), ('deletions', 0)`,
    ],
  },
  {
    name: "who reported an outcome, and what the market says of it",
    statements: [
      `alter table outcomes add column reported_by text`,
      `alter table outcomes add column price_finding text check (price_finding in ('inside', 'outside', 'unknown'))`,
      `alter table outcomes add column var_99_fraction double precision`,
      `create index outcomes_unchecked on outcomes (seq) where price_finding is null`,
    ],
  },
  {
    name: "when checks were made",
    statements: [`insert into revisions (subject, revision) values ('checks', 0)`],
  },
];
