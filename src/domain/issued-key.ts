/** A key's requests of the last 60 seconds are remembered one by one, eight bytes each. */
export const RATE_LIMIT_MAX = 10_000_000;

/** An API key as the store keeps it: never the key itself. hashHex = HMAC-SHA256(salt, key). */
export interface IssuedKey {
  /** Part of the key's text, so that a presented key names the one row it can match. */
  readonly id: string;
  readonly salt: string;
  readonly hashHex: string;
  /** Requests in any 60 seconds; null is the service's default. */
  readonly rateLimitPerMinute: number | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** To within the time between two writes of it, see docs/keys.md. */
  readonly lastUsedAtMs: number | null;
}
