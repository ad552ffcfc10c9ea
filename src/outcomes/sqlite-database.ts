import { existsSync, realpathSync, statSync } from "node:fs";
import { Kysely, SqliteDialect } from "kysely";
import Database from "libsql";
import { codeOf } from "../domain/cause-code.ts";
import { inTransaction, type RecordDatabase, type RecordTables } from "./record-database.ts";
import { UnusableFileError } from "./record-failures.ts";
import { migrate } from "./schema-migration.ts";
import { SQLITE_MIGRATIONS } from "./sqlite-migrations.ts";

/** How long a writer waits for another program (a key command) to leave its transaction. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 5;

/**
 * Opens the embedded database, or creates it, in a folder that is there, unless it is known. Calls block their thread;
 * durable commits belong into one of their own.
 *
 * Write-ahead log with synchronous FULL: a commit returns after its fsync. A torn tail of the log, the trace of a kill
 * or a power cut, is cut off at open; damage to the file itself is found by quick_check and refused, untouched.
 *
 * Errors:  UnusableFileError, of a write also when the file or its log was removed or replaced; NewerSchemaError; the
 *          driver's own when the path cannot be opened
 */
export async function openSqliteDatabase(path: string, isKnown = false): Promise<RecordDatabase> {
  if (isKnown) refuseGone(path);
  let file = durableFile(path);
  try {
    refuseDamage(file, path);
  } catch (cause) {
    file.close();
    throw cause;
  }
  const driver = { prepare: (text: string) => file.prepare(text), close: () => file.close() };
  const queries = new Kysely<RecordTables>({ dialect: new SqliteDialect({ database: driver }) });
  const identity = identityOf(path);
  const log = logOf(path);
  /** Of the log, which holds what the file does not have yet; null until a write has made sure of it. */
  let logIdentity: string | null = null;
  /** Opened without the right to write, a file is only read, and stays so when the right is given. */
  let isReadOnly = false;
  const begin = async (): Promise<void> => {
    if (isReadOnly) {
      const former = file;
      file = durableFile(path);
      former.close();
      isReadOnly = false;
    }
    await beginImmediate(file);
    logIdentity ??= identityOf(log);
  };
  const database: RecordDatabase = {
    name: "sqlite",
    queries,
    write: async (body) => {
      refuseReplaced(path, identity);
      if (logIdentity !== null) refuseReplaced(log, logIdentity);
      try {
        return await inTransaction(queries, begin, body);
      } catch (cause) {
        if (codeOf(cause)?.startsWith("SQLITE_READONLY") === true) isReadOnly = true;
        throw cause;
      }
    },
    close: async () => {
      if (file.open) emptyLog(file);
      await queries.destroy();
    },
  };
  try {
    await migrate(database, SQLITE_MIGRATIONS);
  } catch (cause) {
    await database.close();
    throw cause;
  }
  return database;
}

/**
 * The driver leaves the last checkpoint to the collection of its statements; a copied file should be whole. Where the
 * disk has no room for it everything stays in the log, as durable as it was, and a close is no place to fail for that.
 */
function emptyLog(file: Database.Database): void {
  try {
    file.exec("pragma wal_checkpoint(truncate)");
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError)) throw cause;
  }
}

/**
 * Takes the write lock first: a read that later turned into a write would fail instead of waiting. The waiting is done
 * here and not in the driver, which would block its thread, and with it another connection of this thread that holds
 * the lock. By exec: a prepared "begin" that was refused stays in progress until it is collected, and forbids commits.
 */
async function beginImmediate(file: Database.Database): Promise<void> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS;
  file.exec("pragma busy_timeout = 0");
  try {
    for (;;) {
      try {
        file.exec("begin immediate");
        return;
      } catch (cause) {
        if (!isBusy(cause) || performance.now() > deadlineMs) throw cause;
      }
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
    }
  } finally {
    file.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Database.SqliteError && cause.code.startsWith("SQLITE_BUSY");
}

/** Errors: UnusableFileError; the driver's own. */
function durableFile(path: string): Database.Database {
  refuseLogAlone(path);
  const file = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    setDurable(file, path);
    return file;
  } catch (cause) {
    file.close();
    throw cause;
  }
}

function setDurable(file: Database.Database, path: string): void {
  pragma(file, `busy_timeout = ${BUSY_TIMEOUT_MS}`);
  pragma(file, "journal_mode = WAL");
  pragma(file, "synchronous = FULL");
  const mode = pragma(file, "journal_mode");
  const synchronous = pragma(file, "synchronous");
  if (mode !== "wal" || synchronous !== 2) {
    throw new UnusableFileError(
      `${path} offers no durable write-ahead log (journal_mode ${String(mode)}, synchronous ${String(synchronous)}): use a local disk`,
    );
  }
}

/** What is recorded in an empty file in its place would be lost when it is put back, and keys that it has be refused. */
function refuseGone(path: string): void {
  if (bytesOf(path) > 0) return;
  throw new UnusableFileError(`${path} is gone or empty: put it back, or restart to begin a new one`);
}

/** SQLite begins anew where there is no file or an empty one, and empties the log, whose commits the file may lack. */
function refuseLogAlone(path: string): void {
  const log = logOf(path);
  // In this order: another program that is just making both has written the file before its log. A byte is as none to SQLite.
  if (bytesOf(log) === 0 || bytesOf(path) > 1) return;
  throw new UnusableFileError(
    `${path} is gone or empty, but its log ${log} is not, and would be emptied: put the file back, or move the log away`,
  );
}

/** What is written to a file that has no name any more is gone when it is closed. */
function refuseReplaced(path: string, identity: string | null): void {
  if (identityOf(path) === identity) return;
  throw new UnusableFileError(
    `${path} was removed or replaced while it was open: what is written to it now would be lost, put it back or restart`,
  );
}

/** Beside the file itself, where the path is a link to it. */
function logOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}-wal`;
}

/** None where the path names no file. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Of the file that a path names; null when it names none. */
function identityOf(path: string): string | null {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? null : `${status.dev}:${status.ino}`;
}

function refuseDamage(file: Database.Database, path: string): void {
  const finding = pragma(file, "quick_check(1)");
  if (finding !== "ok") throw new UnusableFileError(`${path} is damaged: ${String(finding)}`);
}

/** The first column of the first row. */
function pragma(file: Database.Database, source: string): unknown {
  const rows = file.prepare(`PRAGMA ${source}`).all() as Readonly<Record<string, unknown>>[];
  return Object.values(rows[0] ?? {})[0];
}
