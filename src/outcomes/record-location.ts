import { codeOf } from "../domain/cause-code.ts";
import { causeText } from "../domain/cause-text.ts";
import type { RecordDatabase } from "./record-database.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { openSqliteDatabase, UnusableFileError } from "./sqlite-database.ts";

/** Where the durable records are: one file, or a PostgreSQL database by its URL, which may hold a password. */
export type RecordLocation =
  { readonly kind: "sqlite"; readonly path: string } | { readonly kind: "postgres"; readonly url: string };

/** The records are out of reach; the message says which, without the URL, and why. */
class RecordsUnopened extends Error {
  override readonly name = "RecordsUnopened";
}

/** Opens the database and brings its schema up to date. Errors: RecordsUnopened. */
export async function openRecords(
  location: RecordLocation,
  onConnectionLost: (cause: Error) => void,
): Promise<RecordDatabase> {
  try {
    return location.kind === "sqlite"
      ? await openSqliteDatabase(location.path)
      : await openPostgresDatabase(location.url, onConnectionLost);
  } catch (cause) {
    const name = location.kind === "sqlite" ? location.path : "BREAKWATER_DATABASE_URL";
    throw new RecordsUnopened(`${name}: ${causeText(cause)}`, { cause });
  }
}

/**
 * Codes of what is wrong with the disk, the file, the server or the way to it, and not with a statement of ours: the
 * system's, SQLite's (https://www.sqlite.org/rescode.html), and PostgreSQL's classes 08, 53, 57 and 58.
 */
const OUTSIDE =
  /^(E[A-Z0-9]+|SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|READONLY)(_[A-Z]+)*|(08|5[378]).{3})$/;

/** Whether a sentence says all that there is to say of a failure of the records. */
export function isRecordsOutage(cause: unknown): boolean {
  if (cause instanceof RecordsUnopened || cause instanceof UnusableFileError) return true;
  return OUTSIDE.test(codeOf(cause) ?? "");
}

/** A failure as a log line has it: a cause outside in one sentence, anything else with its stack. */
export function recordsFailure(cause: unknown): { readonly detail: string } | { readonly err: unknown } {
  return isRecordsOutage(cause) ? { detail: causeText(cause) } : { err: cause };
}
