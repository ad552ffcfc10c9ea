import type { Selectable } from "kysely";
import { HOUR_MS } from "../domain/bar.ts";
import type { IssuedKey } from "../domain/issued-key.ts";
import {
  type ApiKeysTable,
  bumpRevision,
  type RecordDatabase,
  type RecordQueries,
} from "./record-database.ts";

/** Stores a new key; false when the id is taken, by a revoked key too. */
export async function createKey(database: RecordDatabase, key: IssuedKey): Promise<boolean> {
  return database.write(async (queries) => {
    const { numInsertedOrUpdatedRows } = await queries
      .insertInto("api_keys")
      .values({
        key_id: key.id,
        salt: key.salt,
        hash_hex: key.hashHex,
        rate_limit_per_minute: key.rateLimitPerMinute,
        created_at_ms: key.createdAtMs,
        expires_at_ms: key.expiresAtMs,
        revoked_at_ms: key.revokedAtMs,
        last_used_at_ms: key.lastUsedAtMs,
      })
      .onConflict((conflict) => conflict.column("key_id").doNothing())
      .executeTakeFirst();
    const isNew = (numInsertedOrUpdatedRows ?? 0n) > 0n;
    if (isNew) await bumpRevision(queries, "keys");
    return isNew;
  });
}

/** Ends a key for good; false when no such key is in force. */
export async function revokeKey(database: RecordDatabase, id: string, nowMs: number): Promise<boolean> {
  return database.write(async (queries) => {
    const { numUpdatedRows } = await queries
      .updateTable("api_keys")
      .set({ revoked_at_ms: nowMs })
      .where("key_id", "=", id)
      .where("revoked_at_ms", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await bumpRevision(queries, "keys");
    return numUpdatedRows > 0n;
  });
}

/** Every key ever issued, oldest first. */
export async function issuedKeys(queries: RecordQueries): Promise<readonly IssuedKey[]> {
  const rows = await queries
    .selectFrom("api_keys")
    .selectAll()
    .orderBy("created_at_ms")
    .orderBy("key_id")
    .execute();
  return rows.map(keyOf);
}

/**
 * A use that stands this much ahead of the one noted was noted by a clock that has been set back since: notes come
 * seconds late at most.
 */
const AHEAD_MS_MAX = HOUR_MS;

/** Notes when keys were last used; moves a time back only where a wrong clock had noted it, and is no change of the keys. */
export async function noteKeyUse(
  database: RecordDatabase,
  lastUsedAtMs: ReadonlyMap<string, number>,
): Promise<void> {
  await database.write(async (queries) => {
    for (const [id, usedAtMs] of lastUsedAtMs) {
      await queries
        .updateTable("api_keys")
        .set({ last_used_at_ms: usedAtMs })
        .where("key_id", "=", id)
        .where((row) =>
          row.or([
            row("last_used_at_ms", "is", null),
            row("last_used_at_ms", "<", usedAtMs),
            row("last_used_at_ms", ">", usedAtMs + AHEAD_MS_MAX),
          ]),
        )
        .execute();
    }
  });
}

function keyOf(row: Selectable<ApiKeysTable>): IssuedKey {
  return {
    id: row.key_id,
    salt: row.salt,
    hashHex: row.hash_hex,
    rateLimitPerMinute: row.rate_limit_per_minute,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
  };
}
