import type { WalletState } from "../domain/account.ts";

/** The longest that a fetch can have been under way, its retries included. */
const FETCH_MS_MAX = 10_000;

/**
 * Whether a state takes another's place: by the exchange's time, for a slow fetch must not undo what the stream brought
 * meanwhile. A kept state from which no fetch can still be under way yields to any: its time, if it is later, was wrong.
 */
export function supersedes(coming: WalletState, kept: WalletState): boolean {
  if (coming.exchangeTimeMs >= kept.exchangeTimeMs) return true;
  return Math.abs(coming.arrivedAtMs - kept.arrivedAtMs) > FETCH_MS_MAX;
}
