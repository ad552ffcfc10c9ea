import { RATE_LIMIT_MAX } from "../domain/issued-key.ts";
import { isRecord, jsonValueOf } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";

/** A key as the keys file has it. */
export interface KeysFileEntry {
  readonly id: string;
  readonly salt: string;
  readonly hash: string;
  readonly rate_limit_per_minute?: number;
}

const NO_KEYS = 'must hold {"keys": [{"id", "salt", "hash", "rate_limit_per_minute"?}]}';

/** Each field of an entry: whether a value can be used, and what one is. */
const FIELDS: Readonly<
  Record<keyof KeysFileEntry, readonly [isUsable: (value: unknown) => boolean, expected: string]>
> = {
  // Wider than what `keys create` takes. SQLite cuts a text at a NUL, to what may be another key's id; PostgreSQL refuses it.
  id: [(value) => isText(value) && /^[^\p{Cc}\p{Cs}]+$/u.test(value), "a text without control characters"],
  salt: [isText, "a text"],
  hash: [(value) => isText(value) && /^[0-9a-f]{64}$/.test(value), "64 hexadecimal digits in lower case"],
  rate_limit_per_minute: [
    (value) => value === undefined || isRateLimit(value),
    `a whole number from 1 to ${RATE_LIMIT_MAX}`,
  ],
};

/**
 * The keys of the file's text, or which entry cannot be used and why. A field that there is not is refused as well: a
 * limit or an expiry that nobody reads is none.
 */
export function parseKeysFile(text: string): Result<readonly KeysFileEntry[], string> {
  const content = jsonValueOf(text);
  if (content === undefined) return err(`${NO_KEYS}: it is not JSON`);
  if (!isRecord(content) || !Array.isArray(content["keys"])) return err(NO_KEYS);
  const besideKeys = Object.keys(content).find((name) => name !== "keys");
  if (besideKeys !== undefined) return err(`${NO_KEYS}: it has an unknown field "${besideKeys}"`);
  const entries: readonly unknown[] = content["keys"];
  const keys: KeysFileEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const complaint = complaintOf(entry);
    if (complaint !== undefined) return err(`${NO_KEYS}: keys[${index}]${complaint}`);
    const key = entry as KeysFileEntry;
    if (keys.some(({ id }) => id === key.id)) return err(`holds the id "${key.id}" twice`);
    keys.push(key);
  }
  return ok(keys);
}

function complaintOf(entry: unknown): string | undefined {
  if (!isRecord(entry)) return " must be an object";
  const unknown = Object.keys(entry).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined) return ` has an unknown field "${unknown}"`;
  for (const [name, [isUsable, expected]] of Object.entries(FIELDS)) {
    if (!isUsable(entry[name])) return `.${name} must be ${expected}`;
  }
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isRateLimit(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= RATE_LIMIT_MAX;
}
