import { createHmac, hash, randomBytes } from "node:crypto";
import { SlidingWindow } from "./rate-limit.ts";

/** A key as it may be stored: never the key itself. hashHex = HMAC-SHA256(salt, key). */
export interface StoredKey {
  readonly id: string;
  readonly salt: string;
  readonly hashHex: string;
  /** Requests in any 60 seconds; the service's default when absent. */
  readonly rateLimitPerMinute?: number;
}

/** A key that has been presented and found valid, with its own window. */
export interface ApiKey {
  readonly id: string;
  readonly window: SlidingWindow;
}

/** HMAC-SHA256(salt, key) in hex. The keys are 256-bit random, so a fast hash is the right one. */
export function hashKey(salt: string, key: string): string {
  return createHmac("sha256", salt).update(key).digest("hex");
}

/** An in-memory entry for a key given in clear by configuration; the clear text is not kept. */
export function storedKeyOf(id: string, key: string): StoredKey {
  const salt = randomBytes(16).toString("hex");
  return { id, salt, hashHex: hashKey(salt, key) };
}

const BEARER = /^bearer +(\S+) *$/i;

/** The token of an Authorization header, undefined when missing or malformed. */
export function bearerTokenOf(header: string): string | undefined {
  return BEARER.exec(header)?.[1];
}

/**
 * Finds the key that a token stands for. The first time it tries every stored salt; then the token's digest under
 * a secret of this process is remembered, so that a warm look-up is one hash and one map read, and no clear text
 * stays in memory.
 */
export class KeyRing {
  readonly #stored: readonly StoredKey[];
  readonly #keys = new Map<string, ApiKey>();
  readonly #seen = new Map<string, ApiKey>();
  readonly #processSecret = randomBytes(32).toString("hex");

  constructor(stored: readonly StoredKey[], defaultRateLimitPerMinute: number) {
    this.#stored = stored;
    for (const key of stored) {
      const limit = key.rateLimitPerMinute ?? defaultRateLimitPerMinute;
      this.#keys.set(key.id, { id: key.id, window: new SlidingWindow(limit) });
    }
  }

  find(token: string): ApiKey | undefined {
    const digest = hash("sha256", this.#processSecret + token, "base64");
    const seen = this.#seen.get(digest);
    if (seen !== undefined) return seen;
    for (const stored of this.#stored) {
      if (hashKey(stored.salt, token) !== stored.hashHex) continue;
      const key = this.#keys.get(stored.id);
      if (key !== undefined) this.#seen.set(digest, key);
      return key;
    }
    return undefined;
  }
}
