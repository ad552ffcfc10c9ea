import { pipeline } from "node:stream/promises";
import { DAY_MS } from "../domain/bar.ts";
import { causeText } from "../domain/cause-text.ts";
import { SYSTEM_CLOCK } from "../domain/clock.ts";
import { type IssuedKey, RATE_LIMIT_MAX } from "../domain/issued-key.ts";
import { storedKeyOf } from "../http/key-ring.ts";
import { isKeyId, newKeyText } from "../http/key-text.ts";
import { createKey, issuedKeys, revokeKey } from "../outcomes/key-table.ts";
import type { RecordDatabase } from "../outcomes/record-database.ts";
import { CommandFailure, parsedArguments, runCommand } from "./command-failure.ts";
import { withConfiguredRecords } from "./configured-records.ts";

const USAGE = `usage: npm run --silent keys -- create --id ID [--rate REQUESTS_PER_MINUTE] [--expires-days DAYS] [--for-file]
       npm run --silent keys -- list
       npm run --silent keys -- revoke --id ID

Keys live in the database that the service uses (BREAKWATER_DATA_DIR, BREAKWATER_DATABASE_URL); a running service
follows within a second. --for-file stores nothing and prints an entry for the file that BREAKWATER_KEYS_FILE names.`;

/** Far longer than any key is used, and still a date. */
const EXPIRES_DAYS_MAX = 1_000_000;

interface Options {
  readonly id?: string | undefined;
  readonly rate?: string | undefined;
  readonly "expires-days"?: string | undefined;
  readonly "for-file"?: boolean | undefined;
}

interface Verb {
  /** Those that it takes. */
  readonly options: readonly string[];
  readonly run: (options: Options) => Promise<void>;
}

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ["create", { options: ["id", "rate", "expires-days", "for-file"], run: create }],
  ["list", { options: [], run: () => withConfiguredRecords(list) }],
  ["revoke", { options: ["id"], run: revoke }],
]);

/** Creates, lists and revokes API keys. A key is shown once, when it is created; only its hash is kept. */
await runCommand(async () => {
  const { values, positionals } = parsedArguments(
    {
      allowPositionals: true,
      options: {
        id: { type: "string" },
        rate: { type: "string" },
        "expires-days": { type: "string" },
        "for-file": { type: "boolean" },
      },
    },
    USAGE,
  );
  const [name = "", ...more] = positionals;
  const verb = VERBS.get(name);
  if (verb === undefined || more.length > 0) throw new CommandFailure(USAGE);
  if (!Object.keys(values).every((option) => verb.options.includes(option))) throw new CommandFailure(USAGE);
  await verb.run(values);
});

async function create(options: Options): Promise<void> {
  const id = idOf(options);
  const rateLimitPerMinute = wholeNumberOf("--rate", options.rate, RATE_LIMIT_MAX);
  const expiresDays = wholeNumberOf("--expires-days", options["expires-days"], EXPIRES_DAYS_MAX);
  const text = newKeyText(id);
  const { salt, hashHex } = storedKeyOf(id, text);
  if (options["for-file"] === true) {
    if (expiresDays !== null) throw new CommandFailure("an entry of a keys file does not expire");
    const limit = rateLimitPerMinute === null ? {} : { rate_limit_per_minute: rateLimitPerMinute };
    console.log(`key (shown once): ${text}`);
    console.log(`entry for the keys file: ${JSON.stringify({ id, salt, hash: hashHex, ...limit })}`);
    return;
  }
  const nowMs = SYSTEM_CLOCK.nowMs();
  const key: IssuedKey = {
    id,
    salt,
    hashHex,
    rateLimitPerMinute,
    createdAtMs: nowMs,
    expiresAtMs: expiresDays === null ? null : nowMs + expiresDays * DAY_MS,
    revokedAtMs: null,
    lastUsedAtMs: null,
  };
  await withConfiguredRecords(
    async (database) => {
      if (!(await createKey(database, key))) {
        throw new CommandFailure(`the id ${id} is taken; a revoked one is not used again`);
      }
    },
    { areMade: true },
  );
  try {
    // console.log would not say that nobody reads it, and nothing else knows the key.
    await pipeline([`key (shown once): ${text}\n`], process.stdout, { end: false });
  } catch (cause) {
    const lost = `the key ${id} is in force, but cannot be shown: ${causeText(cause)}`;
    throw new CommandFailure(`${lost}; revoke it and create another`, { cause });
  }
}

async function list(database: RecordDatabase): Promise<void> {
  const nowMs = SYSTEM_CLOCK.nowMs();
  const rows = (await issuedKeys(database.queries)).map((key) => [
    key.id,
    stateOf(key, nowMs),
    key.rateLimitPerMinute === null ? "default" : String(key.rateLimitPerMinute),
    timeOf(key.createdAtMs),
    timeOf(key.expiresAtMs),
    timeOf(key.lastUsedAtMs),
  ]);
  const table = [["id", "state", "rate/min", "created", "expires", "last used"], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
  }
}

async function revoke(options: Options): Promise<void> {
  const id = idOf(options);
  await withConfiguredRecords(async (database) => {
    if (!(await revokeKey(database, id, SYSTEM_CLOCK.nowMs()))) {
      throw new CommandFailure(`no key in force has the id ${id}`);
    }
    console.log(`revoked: ${id}`);
  });
}

function idOf({ id }: Options): string {
  if (id === undefined || !isKeyId(id)) {
    throw new CommandFailure("--id must be 1 to 40 lower-case letters, digits and dashes");
  }
  return id;
}

function wholeNumberOf(name: string, text: string | undefined, highest: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > highest) {
    throw new CommandFailure(`${name} must be a whole number from 1 to ${highest}, got "${text}"`);
  }
  return number;
}

function stateOf(key: IssuedKey, nowMs: number): string {
  if (key.revokedAtMs !== null) return "revoked";
  return key.expiresAtMs !== null && nowMs >= key.expiresAtMs ? "expired" : "in force";
}

function timeOf(timeMs: number | null): string {
  return timeMs === null ? "-" : new Date(timeMs).toISOString();
}
