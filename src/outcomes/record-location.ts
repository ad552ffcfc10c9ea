import { causeText } from "../domain/cause-text.ts";
import type { RecordDatabase } from "./record-database.ts";
import { RecordsUnopened } from "./record-failures.ts";

/** Where the durable records are: one file, or a PostgreSQL database by its URL, which may hold a password. */
export type RecordLocation =
  | {
      readonly kind: "sqlite";
      readonly path: string;
      /** Was there before: where it is gone, none is made in its place. */
      readonly isKnown?: boolean;
    }
  | { readonly kind: "postgres"; readonly url: string };

/** Opens the database and brings its schema up to date; only its own driver is loaded. Errors: RecordsUnopened. */
export async function openRecords(
  location: RecordLocation,
  onConnectionLost: (cause: Error) => void,
): Promise<RecordDatabase> {
  try {
    if (location.kind === "sqlite") {
      const { openSqliteDatabase } = await import("./sqlite-database.ts");
      return await openSqliteDatabase(location.path, location.isKnown);
    }
    const { openPostgresDatabase } = await import("./postgres-database.ts");
    return await openPostgresDatabase(location.url, onConnectionLost);
  } catch (cause) {
    const name = location.kind === "sqlite" ? location.path : "BREAKWATER_DATABASE_URL";
    throw new RecordsUnopened(`${name}: ${causeText(cause)}`, { cause });
  }
}
