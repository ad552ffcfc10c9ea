import { causeText } from "../domain/cause-text.ts";
import type { RecordDatabase } from "./record-database.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

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

/** A failure as a log line has it: a cause outside in one sentence, anything else with its stack. */
export function recordsFailure(cause: unknown): { readonly detail: string } | { readonly err: unknown } {
  return cause instanceof RecordsUnopened ? { detail: cause.message } : { err: cause };
}
