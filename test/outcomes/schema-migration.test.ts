import { sql } from "kysely";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { outcomesAfter, recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import type { RecordDatabase } from "../../src/outcomes/record-database.ts";
import { opened, outcomeWith, RECORD_BACKENDS } from "../support/record-backends.ts";

const POSTGRES = RECORD_BACKENDS.find(({ name }) => name === "postgres")!;

describe.skipIf(!POSTGRES.isAvailable)("the schema of a PostgreSQL database", () => {
  const open: RecordDatabase[] = [];
  afterEach(async () => {
    for (const database of open.splice(0)) await database.close();
  });
  const newUrl = async (): Promise<URL> => {
    const location = await POSTGRES.newLocation();
    return new URL(location.kind === "postgres" ? location.url : "");
  };
  const openedAt = async (url: URL): Promise<RecordDatabase> => {
    const database = await opened({ kind: "postgres", url: url.href });
    open.push(database);
    return database;
  };
  const execute = async (url: URL, ...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };

  it("is made within the time that a large record takes, and no other statement is given as much", async () => {
    const url = await newUrl();
    await execute(
      url,
      "create table given (command text, statement_timeout text)",
      `create function note_given() returns event_trigger language plpgsql as $$
        begin insert into given values (tg_tag, current_setting('statement_timeout')); end $$`,
      `create event trigger note on ddl_command_end execute function note_given()`,
    );

    const { queries } = await openedAt(url);

    const { rows } =
      await sql`select distinct command, statement_timeout from given order by command`.execute(queries);
    expect(rows).toEqual(
      ["ALTER TABLE", "CREATE INDEX", "CREATE TABLE"].map((command) => ({
        command,
        statement_timeout: "30min",
      })),
    );
    const usual = await sql`select current_setting('statement_timeout') as given`.execute(queries);
    expect(usual.rows).toEqual([{ given: "4s" }]);
  });

  it("is the connection's own, whatever other schemas keep under the same names", async () => {
    const url = await newUrl();
    await execute(url, "create schema ours", "create schema theirs");
    await execute(url, "create table theirs.schema_migrations (id text)");
    const ofOurs = new URL(url);
    ofOurs.searchParams.set("options", "-csearch_path=ours");

    const [ofPublic, ours] = [await openedAt(url), await openedAt(ofOurs)];
    await recordOutcomes(ours, [outcomeWith()], 1);

    expect(await outcomesAfter(ours.queries, 0, 10)).toHaveLength(1);
    expect(await outcomesAfter(ofPublic.queries, 0, 10)).toEqual([]);
  });
});
