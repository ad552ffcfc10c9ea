import crypto, { createHmac, randomBytes } from "node:crypto";
import { type Clock, SYSTEM_CLOCK } from "../domain/clock.ts";
import type { RequestError } from "../domain/errors.ts";
import type { IssuedKey } from "../domain/issued-key.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { keyIdOf } from "./key-text.ts";
import { PROCESS_ORIGIN_MS } from "./process-clock.ts";
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
  readonly stored: StoredKey;
}

/** A key as another thread is told of it: where its requests are counted goes with it. */
export interface SharedKey extends StoredKey {
  readonly expiresAtMs: number | null;
  readonly windowMemory: SharedArrayBuffer;
}

/** The keys of a ring, for the rings of other threads. */
export interface SharedKeys {
  readonly configured: readonly SharedKey[];
  /** Null while those that were issued have not been read. */
  readonly issued: readonly SharedKey[] | null;
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

/** How long the header that a valid key came in is kept after the key was looked up by its digest. */
const HEADER_KEPT_MS = 1_000;
/** A client can write its key's header in as many ways as it likes. */
const HEADERS_KEPT_MAX = 1_000;

const KEYS_UNREAD = { code: "unavailable", detail: "the issued keys have not been read yet" } as const;

const BEARER = /^bearer +(\S+) *$/i;

/** The token of an Authorization header, undefined when missing or malformed. */
export function bearerTokenOf(header: string): string | undefined {
  return BEARER.exec(header)?.[1];
}

interface RingKey extends ApiKey {
  readonly expiresAtMs: number | null;
}

type RingEntry = StoredKey & Partial<Omit<SharedKey, keyof StoredKey>>;

/**
 * Finds the key that a token stands for. An issued key's text names its id, so that one salt is tried; a configured
 * one is tried against every configured salt. Then the token's digest under a secret of this process is remembered, so
 * that a warm look-up is one hash and one map read. A busy client's look-up is one map read: the header that the key came
 * in is remembered too, but for a second at the longest, so that no clear text stays in memory.
 */
export class KeyRing {
  readonly #configured: readonly RingKey[];
  readonly #defaultRateLimitPerMinute: number;
  readonly #clock: Clock;
  readonly #seen = new Map<string, RingKey>();
  readonly #listeners: (() => void)[] = [];
  readonly #recent = new Map<string, RingKey>();
  readonly #processSecret = randomBytes(32).toString("hex");
  /** Null while they have not been read. */
  #issued: ReadonlyMap<string, RingKey> | null = null;
  #usedAtMs = new Map<string, number>();

  constructor(
    configured: readonly (StoredKey | SharedKey)[],
    defaultRateLimitPerMinute: number,
    clock: Clock = SYSTEM_CLOCK,
  ) {
    this.#defaultRateLimitPerMinute = defaultRateLimitPerMinute;
    this.#clock = clock;
    this.#configured = configured.map((entry) => this.#ringKey(entry));
  }

  /** What a ring on another thread needs to count the same requests: for its constructor and its replaceShared. */
  get shared(): SharedKeys {
    return {
      configured: this.#configured.map(sharedKeyOf),
      issued: this.#issued === null ? null : [...this.#issued.values()].map(sharedKeyOf),
    };
  }

  /** Whether no request can be let in. */
  get isEmpty(): boolean {
    return this.#configured.length === 0 && (this.#issued?.size ?? 0) === 0;
  }

  /** Headers that are remembered now. */
  get headersKept(): number {
    return this.#recent.size;
  }

  /**
   * The key in an Authorization header.
   *
   * Errors:  missing_key, invalid_key; unavailable where it may be one that was issued and these have not been read
   */
  presentedIn(header: string): Result<ApiKey, RequestError> {
    const recent = this.#recent.get(header);
    if (recent !== undefined) return this.#used(recent);
    const token = bearerTokenOf(header);
    if (token === undefined) return err({ code: "missing_key" });
    const key = this.#remembered(token);
    if (key !== undefined) this.#keepHeader(header, key);
    else if (this.#issued === null && keyIdOf(token) !== undefined) return err(KEYS_UNREAD);
    return this.#used(key);
  }

  /** What a key found earlier is now; undefined when it was revoked or has ended since. */
  current(found: ApiKey): ApiKey | undefined {
    const issued = this.#issued?.get(found.id);
    const key =
      issued?.stored.hashHex === found.stored.hashHex
        ? issued
        : this.#configured.find((configured) => configured === found);
    return key === undefined || this.#hasEnded(key) ? undefined : key;
  }

  /** A key was used without being looked up. */
  noteUse(key: ApiKey): void {
    if (this.#issued?.get(key.id) === key) this.#usedAtMs.set(key.id, this.#clock.nowMs());
  }

  /** Whom to tell after replaceIssued. */
  onReplaced(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Takes the place of what was issued before: a revoked key is unknown from here on, the others keep their counts. */
  replaceIssued(keys: readonly IssuedKey[]): void {
    const entries = keys
      .filter(({ revokedAtMs }) => revokedAtMs === null)
      .map(({ id, salt, hashHex, rateLimitPerMinute, expiresAtMs }) => {
        const limit = rateLimitPerMinute ?? this.#defaultRateLimitPerMinute;
        const former = this.#issued?.get(id)?.window;
        const windowMemory = former?.limit === limit ? former.memory : undefined;
        return {
          ...{ id, salt, hashHex, rateLimitPerMinute: limit, expiresAtMs },
          ...(windowMemory !== undefined && { windowMemory }),
        };
      });
    this.#replaceIssued(entries);
  }

  /** The same by what another thread's ring knows. */
  replaceShared(issued: SharedKeys["issued"]): void {
    if (issued !== null) this.#replaceIssued(issued);
  }

  /** When issued keys were last used, since the last call. */
  takeUse(): ReadonlyMap<string, number> {
    const used = this.#usedAtMs;
    this.#usedAtMs = new Map();
    return used;
  }

  /** What a ring on another thread has taken from its takeUse. */
  noteUses(lastUsedAtMs: ReadonlyMap<string, number>): void {
    for (const [id, usedAtMs] of lastUsedAtMs) {
      this.#usedAtMs.set(id, Math.max(usedAtMs, this.#usedAtMs.get(id) ?? usedAtMs));
    }
  }

  #replaceIssued(entries: readonly RingEntry[]): void {
    this.#issued = new Map(entries.map((entry) => [entry.id, this.#ringKey(entry)]));
    this.#seen.clear();
    this.#recent.clear();
    for (const listener of this.#listeners) listener();
  }

  #used(key: RingKey | undefined): Result<ApiKey, RequestError> {
    if (key === undefined || this.#hasEnded(key)) return err({ code: "invalid_key" });
    this.noteUse(key);
    return ok(key);
  }

  #keepHeader(header: string, key: RingKey): void {
    if (this.#recent.size === 0) setTimeout(() => this.#recent.clear(), HEADER_KEPT_MS).unref();
    if (this.#recent.size < HEADERS_KEPT_MAX) this.#recent.set(header, key);
  }

  #hasEnded({ expiresAtMs }: RingKey): boolean {
    return expiresAtMs !== null && this.#clock.nowMs() >= expiresAtMs;
  }

  #remembered(token: string): RingKey | undefined {
    // Not imported by its name: a Node.js without it would say that before process/node-version.ts says which ones will do.
    const digest = crypto.hash("sha256", this.#processSecret + token, "base64");
    const key = this.#seen.get(digest) ?? this.#recognised(token);
    if (key === undefined) return undefined;
    this.#seen.set(digest, key);
    return key;
  }

  #recognised(token: string): RingKey | undefined {
    const isOf = ({ stored }: RingKey): boolean => hashKey(stored.salt, token) === stored.hashHex;
    const named = this.#issued?.get(keyIdOf(token) ?? "");
    return named !== undefined && isOf(named) ? named : this.#configured.find(isOf);
  }

  #ringKey({ windowMemory, expiresAtMs = null, ...stored }: RingEntry): RingKey {
    const limit = stored.rateLimitPerMinute ?? this.#defaultRateLimitPerMinute;
    const window = new SlidingWindow(limit, PROCESS_ORIGIN_MS, windowMemory);
    return { id: stored.id, window, stored, expiresAtMs };
  }
}

function sharedKeyOf({ stored, window, expiresAtMs }: RingKey): SharedKey {
  return { ...stored, rateLimitPerMinute: window.limit, expiresAtMs, windowMemory: window.memory };
}
