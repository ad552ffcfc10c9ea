import type { RecordDatabase } from "./record-database.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

/** Where the durable records are: one file, or a PostgreSQL database by its URL, which may hold a password. */
export type RecordLocation =
  { readonly kind: "sqlite"; readonly path: string } | { readonly kind: "postgres"; readonly url: string };

/** Opens the database and brings its schema up to date. Errors: those of the two kinds of database. */
export function openRecords(
  location: RecordLocation,
  onConnectionLost: (cause: Error) => void,
): Promise<RecordDatabase> {
  return location.kind === "sqlite"
    ? openSqliteDatabase(location.path)
    : openPostgresDatabase(location.url, onConnectionLost);
}
