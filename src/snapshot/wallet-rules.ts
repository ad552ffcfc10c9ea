import type { WalletState } from "../domain/account.ts";
import type { ExchangeFailure } from "../domain/errors.ts";
import { ageMsOf } from "./staleness.ts";
import type { WalletReading, WalletStoreOptions } from "./wallet-store.ts";

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

/**
 * The age of what was heard of, milliseconds: by the machine's clock, which counts its sleep, but no less than what has
 * passed by a steady one. Set back, the former comes by the time of hearing once more, and would take it for now.
 */
export function heardAgeMs(heardAtMs: number, nowMs: number, passedMs: number): number {
  return Math.max(ageMsOf(heardAtMs, nowMs), Math.floor(passedMs));
}

/** A state as it may be answered with at an age; undefined past the hard limit. */
export function readingOf(
  state: WalletState,
  ageMs: number,
  { freshMs, hardMs }: Pick<WalletStoreOptions, "freshMs" | "hardMs">,
): WalletReading | undefined {
  return ageMs > hardMs ? undefined : { state, ageMs, isStale: ageMs > freshMs };
}

/** The last state however old, marked stale: for an exit, which knows its position better from it than from nothing. */
export function lastReadingOf(state: WalletState | null, nowMs: number): WalletReading | null {
  return state === null ? null : { state, ageMs: ageMsOf(state.arrivedAtMs, nowMs), isStale: true };
}

/** Why there is no state where somebody waited for one. */
export function notReadWithin(waitedMs: number): ExchangeFailure {
  return { code: "timeout", detail: `no wallet state within ${waitedMs} ms` };
}
