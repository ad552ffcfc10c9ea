import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { storedKeyOf } from "../http/key-ring.ts";

/** Makes an API key: shows it once, and the entry to put into the file that BREAKWATER_KEYS_FILE names. */
const { values } = parseArgs({ options: { id: { type: "string", default: `key-${Date.now()}` } } });
const key = `bw_${randomBytes(32).toString("base64url")}`;
const { id, salt, hashHex } = storedKeyOf(values.id, key);
console.log(`key (shown once): ${key}`);
console.log(`entry for the keys file: ${JSON.stringify({ id, salt, hash: hashHex })}`);
