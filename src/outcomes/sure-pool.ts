import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";

/**
 * The pool as the query builder sees it. A connection whose last word from the server is missing (a timeout of ours, a
 * break) is closed when it is given back: the server may still be at the statement, or in its transaction, which whoever
 * took the connection next would be in.
 */
export function surePool(pool: pg.Pool): PostgresPool {
  return {
    connect: async () => sureClient(await pool.connect()),
    end: () => pool.end(),
  };
}

function sureClient(client: pg.PoolClient): PostgresPoolClient {
  let isSure = true;
  const query = async (text: string, parameters: unknown[]): Promise<pg.QueryResult> => {
    try {
      return await client.query(text, parameters);
    } catch (cause) {
      // What the server itself says it has also ended.
      if (!(cause instanceof pg.DatabaseError)) isSure = false;
      throw cause;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient["query"],
    release: () => client.release(!isSure),
  };
}
