import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inTransaction, type RecordTables } from "../../src/outcomes/record-database.ts";
import { surePool } from "../../src/outcomes/sure-pool.ts";
import { RECORD_BACKENDS } from "../support/record-backends.ts";

// Mutants killed by hand: a connection given back whatever became of it; closed after an error of the server's.

const postgres = RECORD_BACKENDS.find(({ name }) => name === "postgres")!;

describe.skipIf(!postgres.isAvailable)("a pool of connections that the server has answered", () => {
  let pool: pg.Pool;
  let queries: Kysely<RecordTables>;

  beforeEach(async () => {
    const location = await postgres.newLocation();
    const connectionString = location.kind === "postgres" ? location.url : "";
    pool = new pg.Pool({ connectionString, max: 1, query_timeout: 200 });
    queries = new Kysely<RecordTables>({ dialect: new PostgresDialect({ pool: surePool(pool) }) });
  });
  afterEach(() => queries.destroy());

  const run = async (text: string): Promise<unknown> =>
    Object.values(
      (await queries.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text))).rows[0] ?? {},
    )[0];
  const begin = async (connection: Kysely<RecordTables>): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw("begin"));
  };
  const write = (text: string): Promise<unknown> =>
    inTransaction(queries, begin, (connection) => connection.executeQuery(CompiledQuery.raw(text)));

  it("closes one that is still at a statement, and nobody is in the transaction that it leaves", async () => {
    const before = await run("select pg_backend_pid()");

    await expect(write("select pg_sleep(30)")).rejects.toThrow("timeout");

    expect(pool.totalCount).toBe(0);
    expect(await run("select pg_backend_pid()")).not.toBe(before);
    // The time of a transaction's first statement is that of the one asked in, where there is none before it.
    expect(await run("select now() = statement_timestamp()")).toBe(true);
  });

  it("keeps one whose statement the server refuses", async () => {
    const before = await run("select pg_backend_pid()");

    await expect(write("select 1 / 0")).rejects.toThrow("division by zero");

    expect(await run("select pg_backend_pid()")).toBe(before);
    expect(await run("select now() = statement_timestamp()")).toBe(true);
  });
});
