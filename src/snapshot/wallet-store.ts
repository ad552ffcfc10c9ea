import { LRUCache } from "lru-cache";
import type { WalletState } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import type { ExchangeFailure } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { SharedCalls } from "../domain/shared-calls.ts";
import type { WalletSource } from "../domain/wallet-source.ts";
import { withinMs } from "../domain/within-ms.ts";
import { ageMsOf } from "./staleness.ts";
import { COLD, type RankedWallet, WalletHeat } from "./wallet-heat.ts";
import { heardAgeMs, lastReadingOf, notReadWithin, readingOf, supersedes } from "./wallet-rules.ts";

export interface WalletReading {
  readonly state: WalletState;
  readonly ageMs: number;
  /** Older than a fresh state may be, because a newer one could not be had. */
  readonly isStale: boolean;
}

export interface WalletStoreOptions {
  readonly source: WalletSource;
  readonly clock: Clock;
  /** A state is not young again when the other clock, set back, comes by its time once more. */
  readonly steadyClock: Clock;
  /** A state this young is answered with as it is. */
  readonly freshMs: number;
  /** A state this old is not answered with at all. */
  readonly hardMs: number;
  /** Longest wait for a state, the exchange's own retries included. */
  readonly timeoutMs: number;
  readonly walletsMax: number;
  /** Wallets streamed at a time; the exchange limits the users an address may follow. */
  readonly streamedMax: number;
  /** Told of what a source threw, which its callers take for an exchange that cannot be reached. */
  readonly onThrown?: (cause: unknown) => void;
}

export const WALLET_STORE_DEFAULTS = {
  freshMs: 5_000,
  hardMs: 120_000,
  timeoutMs: 4_000,
  walletsMax: 10_000,
  streamedMax: 10,
} as const satisfies Omit<WalletStoreOptions, "source" | "clock" | "steadyClock">;

/** All that is known of a wallet, so that a request looks it up once. */
interface WalletEntry extends RankedWallet {
  state: WalletState | null;
  /** By the steady clock. */
  keptAtMs: number;
}

/** What a request reads wallets from. */
export type WalletReader = Pick<WalletStore, "peek" | "load" | "lastKnown" | "isAnswerable">;

/**
 * Wallet states on the reading side: the hottest wallets are streamed, the rest fetched when asked for, once however
 * many ask. What cannot be renewed is served as stale until its hard limit. A streamed state is as old as the last sign
 * of life of its stream, so a quiet wallet is not fetched again.
 *
 * Holds:  work per call does not grow with the wallets known; at most walletsMax states; at most streamedMax streams; at most one fetch per wallet at a time
 */
export class WalletStore {
  readonly #options: WalletStoreOptions;
  readonly #entries: LRUCache<WalletAddress, WalletEntry>;
  /** Beside the entries, of which the one that is asked for may be forgotten meanwhile. */
  readonly #fetches = new SharedCalls<WalletAddress, Result<WalletState, ExchangeFailure>>();
  readonly #heat: WalletHeat;

  constructor(options: WalletStoreOptions) {
    this.#options = options;
    this.#heat = new WalletHeat(options.streamedMax);
    this.#entries = new LRUCache({
      max: options.walletsMax,
      dispose: (entry) => {
        entry.rank = COLD;
      },
    });
  }

  /** A fresh state if there is one, without waiting: the warm path. */
  peek(wallet: WalletAddress, nowMs: number): WalletReading | undefined {
    const entry = this.#entryOf(wallet);
    this.#use(entry, nowMs, 1);
    const reading = this.#readingOf(entry, nowMs);
    return reading?.isStale === false ? reading : undefined;
  }

  /** Counts uses, those on other threads included, by which it is decided whom to stream. */
  noteUse(wallet: WalletAddress, nowMs: number, uses = 1): void {
    this.#use(this.#entryOf(wallet), nowMs, uses);
  }

  /**
   * A fresh state, fetched if need be; the last one within the hard limit, marked stale, when it cannot be had, or not
   * in as long as the caller waits.
   */
  async load(
    wallet: WalletAddress,
    waitMsMax: number = this.#options.timeoutMs,
  ): Promise<Result<WalletReading, ExchangeFailure>> {
    const nowMs = this.#options.clock.nowMs();
    const fresh = this.#readingOf(this.#entryOf(wallet), nowMs);
    if (fresh?.isStale === false) return ok(fresh);
    const fetch = this.#fetches.share(wallet, () => this.#fetch(wallet));
    const waitMs = Math.min(waitMsMax, this.#options.timeoutMs);
    const fetched = await withinMs(fetch, waitMs, () => err(notReadWithin(waitMs)));
    const last = this.#readingOf(this.#entryOf(wallet), this.#options.clock.nowMs());
    if (last !== undefined) return ok(last);
    return fetched.ok ? ok({ state: fetched.value, ageMs: 0, isStale: false }) : fetched;
  }

  lastKnown(wallet: WalletAddress): WalletReading | null {
    return lastReadingOf(this.#entries.get(wallet)?.state ?? null, this.#options.clock.nowMs());
  }

  /** Whether it holds a state within the hard limit, with which a load answers when the exchange does not. */
  isAnswerable(wallet: WalletAddress): boolean {
    const entry = this.#entries.get(wallet);
    return entry !== undefined && this.#readingOf(entry, this.#options.clock.nowMs()) !== undefined;
  }

  async close(): Promise<void> {
    this.#entries.clear();
    await this.#options.source.close();
  }

  #use(entry: WalletEntry, nowMs: number, uses: number): void {
    const hottest = this.#heat.use(entry, nowMs, uses);
    if (hottest !== undefined) this.#options.source.watchWallets(hottest, (state) => this.#keep(state));
  }

  #readingOf({ wallet, state, keptAtMs }: WalletEntry, nowMs: number): WalletReading | undefined {
    if (state === null) return undefined;
    const arrivedAgeMs = heardAgeMs(state.arrivedAtMs, nowMs, this.#options.steadyClock.nowMs() - keptAtMs);
    const confirmedAgeMs = ageMsOf(this.#options.source.confirmedAtMs(wallet) ?? 0, nowMs);
    return readingOf(state, Math.min(arrivedAgeMs, confirmedAgeMs), this.#options);
  }

  async #fetch(wallet: WalletAddress): Promise<Result<WalletState, ExchangeFailure>> {
    const { source, onThrown } = this.#options;
    const result = await source.fetchWallet(wallet).catch((cause: unknown) => {
      onThrown?.(cause);
      return err({ code: "unreachable" as const, detail: String(cause) });
    });
    if (result.ok) this.#keep(result.value);
    return result;
  }

  #keep(state: WalletState): void {
    const entry = this.#entryOf(state.wallet);
    if (entry.state !== null && !supersedes(state, entry.state)) return;
    entry.state = state;
    entry.keptAtMs = this.#options.steadyClock.nowMs();
  }

  #entryOf(wallet: WalletAddress): WalletEntry {
    const known = this.#entries.get(wallet);
    if (known !== undefined) return known;
    const entry: WalletEntry = { wallet, rank: COLD, state: null, keptAtMs: Number.NEGATIVE_INFINITY };
    this.#entries.set(wallet, entry);
    return entry;
  }
}
