import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Outcome } from "../../src/domain/trade-outcome.ts";
import { type RecordLocation, openRecords } from "../../src/outcomes/record-location.ts";
import type { RecordDatabase } from "../../src/outcomes/record-database.ts";

/** A server whose databases the tests may create, from .ci/postgres; the PostgreSQL half is skipped without. */
const SERVER_URL = process.env["BREAKWATER_TEST_DATABASE_URL"] ?? "";
if (SERVER_URL === "") {
  console.info("BREAKWATER_TEST_DATABASE_URL is not set: the stores are tested on SQLite only");
}

export interface RecordBackend {
  readonly name: "sqlite" | "postgres";
  readonly isAvailable: boolean;
  /** A location that nothing has used yet. */
  newLocation(): Promise<RecordLocation>;
}

export const RECORD_BACKENDS: readonly RecordBackend[] = [
  {
    name: "sqlite",
    isAvailable: true,
    newLocation: () => Promise.resolve({ kind: "sqlite", path: newSqlitePath() }),
  },
  { name: "postgres", isAvailable: SERVER_URL !== "", newLocation: newPostgresLocation },
];

export function newSqlitePath(): string {
  return join(mkdtempSync(join(tmpdir(), "breakwater-records-")), "breakwater.db");
}

export async function opened(location: RecordLocation): Promise<RecordDatabase> {
  return openRecords(location, () => undefined);
}

/** An outcome that differs from others in its trade_id and in whatever the test says. */
export function outcomeWith(changes: Partial<Outcome> = {}): Outcome {
  return {
    tradeId: "t-1",
    asset: "BTC",
    action: "long",
    entryPrice: 97_411.8,
    exitPrice: 98_120,
    sizeUsd: 10_000,
    leverage: 5,
    riskScoreAtEntry: 13.4,
    calibrationHash: "calibration-a",
    pnlUsd: 72.7,
    pnlPct: 3.635,
    holdingPeriodHours: 6.5,
    feesPaidUsd: null,
    fundingPaidUsd: -1.2,
    reportedBy: "desk",
    ...changes,
  };
}

/** Takes the database from under whoever uses it. */
export async function dropPostgres(url: string): Promise<void> {
  await onServer(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER_URL });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function newPostgresLocation(): Promise<RecordLocation> {
  const name = `breakwater_${randomBytes(6).toString("hex")}`;
  await onServer(`create database ${name}`);
  const url = new URL(SERVER_URL);
  url.pathname = `/${name}`;
  return { kind: "postgres", url: url.href };
}
