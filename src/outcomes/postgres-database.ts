import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { POSTGRES_MIGRATIONS } from "./postgres-migrations.ts";
import {
  inTransaction,
  type RecordDatabase,
  type RecordQueries,
  type RecordTables,
} from "./record-database.ts";
import { isOutdated, migrate } from "./schema-migration.ts";
import { surePool } from "./sure-pool.ts";

const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 4_000;
/** A step of the schema may have to read a record of any size. */
const MIGRATION_STATEMENT_TIMEOUT_MS = 30 * 60_000;
/** How much longer this side waits: the server gives up first, so that the usual timeout is one that it knows of. */
const ANSWER_TIMEOUT_MS = 1_000;
/** A program that hangs, or whose machine is lost, in a write must not keep all others from writing. */
const IDLE_IN_WRITE_TIMEOUT_MS = 8_000;
const CONNECTIONS_MAX = 2;
/** A trade_id may have any character. SQL_ASCII keeps bytes as they come. */
const ENCODINGS: readonly string[] = ["UTF8", "SQL_ASCII"];
/** Any fixed number: the name of the lock that lets one writer at a time commit, in the order of its sequence. */
const WRITER_LOCK = 7_042_611_173;

/** The database has not every character: an outcome that it refuses fails all that share its commit. */
class UnusableEncodingError extends Error {
  override readonly name = "UnusableEncodingError";
}

/**
 * Opens a PostgreSQL database. One writer at a time over all programs: a reader that has seen sequence number n then
 * never finds a smaller one appearing later. Where the server's default is not to wait for the disk, these writes do.
 *
 * Errors:  UnusableEncodingError; NewerSchemaError; the driver's own when the server cannot be reached
 */
export async function openPostgresDatabase(
  url: string,
  onConnectionLost: (cause: Error) => void,
): Promise<RecordDatabase> {
  const database = databaseAt(url, STATEMENT_TIMEOUT_MS, onConnectionLost);
  try {
    await refuseEncoding(database.queries);
    if (await isOutdated(database, POSTGRES_MIGRATIONS)) {
      const patient = databaseAt(url, MIGRATION_STATEMENT_TIMEOUT_MS, onConnectionLost);
      await migrate(patient, POSTGRES_MIGRATIONS).finally(() => patient.close());
    }
  } catch (cause) {
    await database.close();
    throw cause;
  }
  return database;
}

function databaseAt(
  url: string,
  statementTimeoutMs: number,
  onConnectionLost: (cause: Error) => void,
): RecordDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_WRITE_TIMEOUT_MS,
    keepAlive: true,
    application_name: "breakwater",
    types: {
      // Counts, sequence numbers and milliseconds, all far below 2^53.
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8
          ? Number
          : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
    },
  });
  // A connection that breaks is replaced at the next query. Unheard, the event would end the program: the pool hears its
  // idle connections only, not one in a transaction between two statements.
  pool.on("connect", (client) => client.on("error", onConnectionLost));
  pool.on("error", () => undefined);
  const queries = new Kysely<RecordTables>({ dialect: new PostgresDialect({ pool: surePool(pool) }) });
  return {
    name: "postgres",
    queries,
    write: (body) => inTransaction(queries, begin, (connection) => lockedFor(connection, body)),
    close: () => queries.destroy(),
  };
}

async function refuseEncoding(queries: RecordQueries): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(queries);
  const encoding = rows[0]!.server_encoding;
  if (ENCODINGS.includes(encoding)) return;
  throw new UnusableEncodingError(
    `the database's encoding is ${encoding}, which lacks characters that a trade_id may have: create it with encoding 'UTF8'`,
  );
}

async function begin(connection: RecordQueries): Promise<void> {
  await sql`begin`.execute(connection);
}

/**
 * Runs the body as the only writer, its commit waiting for the disk at least. Inside what is rolled back: waiting for
 * the lock may fail.
 */
async function lockedFor<T>(
  connection: RecordQueries,
  body: (queries: RecordQueries) => Promise<T>,
): Promise<T> {
  await sql`
    select
      pg_advisory_xact_lock(${sql.lit(WRITER_LOCK)}),
      case current_setting('synchronous_commit') when 'off'
        then set_config('synchronous_commit', 'on', true) end`.execute(connection);
  return body(connection);
}
