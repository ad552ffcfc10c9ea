import { sql } from "kysely";
import type { RecordDatabase } from "./record-database.ts";

/** One step of a database's schema. Never edited once released: a change is a further step. */
export interface SchemaMigration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** The database was written by a later version of this program. */
class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/**
 * Brings a database up to date: the steps it lacks, in order, all in one write, so that a kill leaves it as it was and
 * two programs starting at once apply each step once. Errors: NewerSchemaError.
 */
export async function migrate(
  database: RecordDatabase,
  migrations: readonly SchemaMigration[],
): Promise<void> {
  await database.write(async (queries) => {
    // Not "if not exists": that takes the right to create where there is nothing to be created any more.
    const tables = await queries.introspection.getTables();
    if (!tables.some(({ name }) => name === "schema_migrations")) {
      await sql`create table schema_migrations (version integer primary key, name text not null)`.execute(
        queries,
      );
    }
    const { rows } = await sql<{
      version: number;
    }>`select version from schema_migrations order by version`.execute(queries);
    const applied = rows.at(-1)?.version ?? 0;
    if (applied > migrations.length) {
      throw new NewerSchemaError(
        `the database is at schema version ${applied}, this program knows ${migrations.length}: run the newer program`,
      );
    }
    for (const [index, { name, statements }] of migrations.entries()) {
      const version = index + 1;
      if (version <= applied) continue;
      for (const statement of statements) await sql.raw(statement).execute(queries);
      await sql`insert into schema_migrations (version, name) values (${version}, ${name})`.execute(queries);
    }
  });
}
