import { sql } from "kysely";
import type { RecordDatabase, RecordQueries } from "./record-database.ts";

/** One step of a database's schema. Never edited once released: a change is a further step. */
export interface SchemaMigration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** The database was written by a later version of this program. */
class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/** Where there is a row of it, there is a table of versions: in PostgreSQL one that this connection's search path finds. */
const VERSIONS_TABLE = {
  sqlite: sql`select 1 from sqlite_master where name = 'schema_migrations'`,
  postgres: sql`select 1 where to_regclass('schema_migrations') is not null`,
};

/** Whether a database lacks steps. Errors: NewerSchemaError. */
export async function isOutdated(
  { name, queries }: Pick<RecordDatabase, "name" | "queries">,
  migrations: readonly SchemaMigration[],
): Promise<boolean> {
  return ((await appliedVersion(name, queries, migrations)) ?? 0) < migrations.length;
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
    const applied = await appliedVersion(database.name, queries, migrations);
    // Not "if not exists": that takes the right to create where there is nothing to be created any more.
    if (applied === null) {
      await sql`create table schema_migrations (version integer primary key, name text not null)`.execute(
        queries,
      );
    }
    for (const [index, { name, statements }] of migrations.entries()) {
      const version = index + 1;
      if (version <= (applied ?? 0)) continue;
      for (const statement of statements) await sql.raw(statement).execute(queries);
      await sql`insert into schema_migrations (version, name) values (${version}, ${name})`.execute(queries);
    }
  });
}

/** The last step that was applied, 0 where none was; null without a table of them. Errors: NewerSchemaError. */
async function appliedVersion(
  name: RecordDatabase["name"],
  queries: RecordQueries,
  migrations: readonly SchemaMigration[],
): Promise<number | null> {
  if ((await VERSIONS_TABLE[name].execute(queries)).rows.length === 0) return null;
  const { rows } = await sql<{
    version: number;
  }>`select version from schema_migrations order by version`.execute(queries);
  const applied = rows.at(-1)?.version ?? 0;
  if (applied <= migrations.length) return applied;
  throw new NewerSchemaError(
    `the database is at schema version ${applied}, this program knows ${migrations.length}: run the newer program`,
  );
}
