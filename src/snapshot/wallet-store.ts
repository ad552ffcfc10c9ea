import { LRUCache } from "lru-cache";
import type { WalletState } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import type { ExchangeFailure } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { WalletSource } from "../domain/wallet-source.ts";

export interface WalletReading {
  readonly state: WalletState;
  readonly ageMs: number;
  /** Older than a fresh state may be, because a newer one could not be had. */
  readonly isStale: boolean;
}

export interface WalletStoreOptions {
  readonly source: WalletSource;
  readonly clock: Clock;
  /** A state this young is answered with as it is. */
  readonly freshMs: number;
  /** A state this old is not answered with at all. */
  readonly hardMs: number;
  /** Longest wait for a state, the exchange's own retries included. */
  readonly timeoutMs: number;
  readonly walletsMax: number;
  /** Wallets streamed at a time; the exchange limits the users an address may follow. */
  readonly streamedMax: number;
}

export const WALLET_STORE_DEFAULTS = {
  freshMs: 5_000,
  hardMs: 120_000,
  timeoutMs: 4_000,
  walletsMax: 10_000,
  streamedMax: 10,
} as const satisfies Omit<WalletStoreOptions, "source" | "clock">;

/** Uses halve in weight after this long, so that a wallet of this morning does not keep its stream. */
const HEAT_HALF_LIFE_MS = 60_000;
/** A wallet asked for once is not worth a subscription. */
const STREAM_HEAT_MIN = 2;
const RANKING_PERIOD_MS = 5_000;

interface WalletEntry {
  state: WalletState | null;
  pending: Promise<Result<WalletState, ExchangeFailure>> | null;
  heat: number;
  heatAtMs: number;
}

/**
 * Wallet states on the reading side: the hottest wallets are streamed, the rest fetched when asked for, once however
 * many ask. What cannot be renewed is served as stale until its hard limit.
 *
 * Holds:  at most walletsMax states; at most streamedMax streams; at most one fetch per wallet at a time
 */
export class WalletStore {
  readonly #options: WalletStoreOptions;
  readonly #entries: LRUCache<WalletAddress, WalletEntry>;
  #streamed: ReadonlySet<WalletAddress> = new Set();
  #rankedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: WalletStoreOptions) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.walletsMax });
  }

  /** A fresh state if there is one, without waiting: the warm path. */
  peek(wallet: WalletAddress, nowMs: number): WalletReading | undefined {
    this.#warm(wallet, nowMs);
    const reading = this.#readingOf(wallet, nowMs);
    return reading?.isStale === false ? reading : undefined;
  }

  /** A fresh state, fetched if need be; the last one within the hard limit, marked stale, when it cannot be had. */
  async load(wallet: WalletAddress): Promise<Result<WalletReading, ExchangeFailure>> {
    const nowMs = this.#options.clock.nowMs();
    const fresh = this.#readingOf(wallet, nowMs);
    if (fresh?.isStale === false) return ok(fresh);
    const fetched = await this.#withinTimeout(this.#fetchOnce(wallet, nowMs));
    const last = this.#readingOf(wallet, this.#options.clock.nowMs());
    if (last !== undefined) return ok(last);
    return fetched.ok ? ok({ state: fetched.value, ageMs: 0, isStale: false }) : fetched;
  }

  close(): void {
    this.#options.source.close();
    this.#entries.clear();
  }

  #readingOf(wallet: WalletAddress, nowMs: number): WalletReading | undefined {
    const state = this.#entries.get(wallet)?.state ?? null;
    if (state === null) return undefined;
    const ageMs = Math.max(0, nowMs - state.arrivedAtMs);
    if (ageMs > this.#options.hardMs) return undefined;
    return { state, ageMs, isStale: ageMs > this.#options.freshMs };
  }

  #fetchOnce(wallet: WalletAddress, nowMs: number): Promise<Result<WalletState, ExchangeFailure>> {
    const entry = this.#entryOf(wallet, nowMs);
    entry.pending ??= this.#options.source
      .fetchWallet(wallet)
      .catch((error: unknown) => err({ code: "unreachable" as const, detail: String(error) }))
      .then((result) => {
        entry.pending = null;
        if (result.ok) this.#keep(result.value);
        return result;
      });
    return entry.pending;
  }

  #keep(state: WalletState): void {
    const entry = this.#entryOf(state.wallet, state.arrivedAtMs);
    // A slow fetch must not undo what the stream brought meanwhile.
    if (entry.state === null || entry.state.exchangeTimeMs <= state.exchangeTimeMs) entry.state = state;
  }

  async #withinTimeout(
    fetched: Promise<Result<WalletState, ExchangeFailure>>,
  ): Promise<Result<WalletState, ExchangeFailure>> {
    const { timeoutMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<Result<WalletState, ExchangeFailure>>((resolve) => {
      const failure: ExchangeFailure = { code: "timeout", detail: `no wallet state within ${timeoutMs} ms` };
      timer = setTimeout(() => resolve(err(failure)), timeoutMs);
    });
    const result = await Promise.race([fetched, expired]);
    clearTimeout(timer);
    return result;
  }

  #entryOf(wallet: WalletAddress, nowMs: number): WalletEntry {
    const known = this.#entries.get(wallet);
    if (known !== undefined) return known;
    const entry: WalletEntry = { state: null, pending: null, heat: 0, heatAtMs: nowMs };
    this.#entries.set(wallet, entry);
    return entry;
  }

  #warm(wallet: WalletAddress, nowMs: number): void {
    const entry = this.#entryOf(wallet, nowMs);
    entry.heat = heatAt(entry, nowMs) + 1;
    entry.heatAtMs = nowMs;
    if (nowMs - this.#rankedAtMs < RANKING_PERIOD_MS) return;
    this.#rankedAtMs = nowMs;
    this.#streamHottest(nowMs);
  }

  #streamHottest(nowMs: number): void {
    const ranked = [...this.#entries.entries()]
      .map(([address, entry]) => ({ address, heat: heatAt(entry, nowMs) }))
      .filter(({ heat }) => heat >= STREAM_HEAT_MIN)
      .sort((a, b) => b.heat - a.heat)
      .slice(0, this.#options.streamedMax);
    const hottest = new Set(ranked.map(({ address }) => address));
    const isSame = hottest.size === this.#streamed.size && [...hottest].every((w) => this.#streamed.has(w));
    if (isSame) return;
    this.#streamed = hottest;
    this.#options.source.watchWallets([...hottest], (state) => this.#keep(state));
  }
}

function heatAt(entry: WalletEntry, nowMs: number): number {
  return entry.heat * 2 ** (-(nowMs - entry.heatAtMs) / HEAT_HALF_LIFE_MS);
}
