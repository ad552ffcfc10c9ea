import { LRUCache } from "lru-cache";
import type { WalletState } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import type { ExchangeFailure } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { SharedCalls } from "../domain/shared-calls.ts";
import { withinMs } from "../domain/within-ms.ts";
import type { WalletNews } from "./wallet-fan-out.ts";
import { heardAgeMs, lastReadingOf, notReadWithin, readingOf, supersedes } from "./wallet-rules.ts";
import type { WalletReader, WalletReading, WalletStore, WalletStoreOptions } from "./wallet-store.ts";

/** What the mirrored store says when it is asked: its newest state, however old, and why there is none younger. */
export interface WalletAnswer {
  readonly newest: { readonly state: WalletState; readonly knownAtMs: number } | null;
  readonly failure: ExchangeFailure | null;
}

export interface WalletMirrorOptions extends Pick<
  WalletStoreOptions,
  "freshMs" | "hardMs" | "walletsMax" | "steadyClock"
> {
  readonly clock: Clock;
  /** Has the mirrored store load the wallet; an answer always comes. */
  readonly ask: (wallet: WalletAddress) => Promise<WalletAnswer>;
}

/** All that is known of a wallet, so that a request looks it up once. */
interface MirrorEntry {
  readonly wallet: WalletAddress;
  /** Since they were last taken. */
  uses: number;
  state: WalletState | null;
  knownAtMs: number;
  /** When that was heard of, by the steady clock. */
  heardAtMs: number;
}

/**
 * Another thread's WalletStore as this thread reads it: what that one keeps it is told, what it does not hold fresh it
 * asks that one for. So the exchange is asked once for all threads, and all are answered from the same states.
 *
 * Holds:  the rules of age are those of WalletStore; at most walletsMax states; at most one question per wallet at a time
 */
export class WalletMirror implements WalletReader {
  readonly #options: WalletMirrorOptions;
  readonly #entries: LRUCache<WalletAddress, MirrorEntry>;
  /** Beside the entries, of which the one that is asked for may be forgotten meanwhile. */
  readonly #questions = new SharedCalls<WalletAddress, WalletAnswer>();
  #used: MirrorEntry[] = [];

  constructor(options: WalletMirrorOptions) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.walletsMax });
  }

  accept(news: WalletNews): void {
    if (news.type === "wallet.read") this.#keep(news.state, news.knownAtMs);
    else for (const [wallet, knownAtMs] of news.knownAtMs) this.#confirm(wallet, knownAtMs);
  }

  peek(wallet: WalletAddress, nowMs: number): WalletReading | undefined {
    const entry = this.#entryOf(wallet);
    if (entry.uses++ === 0) this.#used.push(entry);
    const reading = this.#readingOf(entry, nowMs);
    return reading?.isStale === false ? reading : undefined;
  }

  /** Asks, also for what is fresh here: whoever loads has peeked. An answer always comes, if need be after the wait. */
  async load(wallet: WalletAddress, waitMsMax?: number): Promise<Result<WalletReading, ExchangeFailure>> {
    const question = this.#questions.share(wallet, () => this.#ask(wallet));
    const { failure } = await (waitMsMax === undefined
      ? question
      : withinMs(question, waitMsMax, () => ({ newest: null, failure: notReadWithin(waitMsMax) })));
    const last = this.#readingOf(this.#entryOf(wallet), this.#options.clock.nowMs());
    if (last !== undefined) return ok(last);
    return err(failure ?? { code: "timeout", detail: "the wallet's state is older than it may be" });
  }

  lastKnown(wallet: WalletAddress): WalletReading | null {
    return lastReadingOf(this.#entries.get(wallet)?.state ?? null, this.#options.clock.nowMs());
  }

  isAnswerable(wallet: WalletAddress): boolean {
    const entry = this.#entries.get(wallet);
    return entry !== undefined && this.#readingOf(entry, this.#options.clock.nowMs()) !== undefined;
  }

  /** How often each wallet was asked for since the last call: the mirrored store decides by it whom to stream. */
  takeUses(): ReadonlyMap<WalletAddress, number> {
    const uses = new Map<WalletAddress, number>();
    for (const entry of this.#used) {
      // Twice where a wallet was forgotten and asked for again.
      uses.set(entry.wallet, (uses.get(entry.wallet) ?? 0) + entry.uses);
      entry.uses = 0;
    }
    this.#used = [];
    return uses;
  }

  #readingOf({ state, knownAtMs, heardAtMs }: MirrorEntry, nowMs: number): WalletReading | undefined {
    if (state === null) return undefined;
    const ageMs = heardAgeMs(knownAtMs, nowMs, this.#options.steadyClock.nowMs() - heardAtMs);
    return readingOf(state, ageMs, this.#options);
  }

  async #ask(wallet: WalletAddress): Promise<WalletAnswer> {
    const answer = await this.#options.ask(wallet);
    if (answer.newest !== null) this.#keep(answer.newest.state, answer.newest.knownAtMs);
    return answer;
  }

  #keep(state: WalletState, knownAtMs: number): void {
    const entry = this.#entryOf(state.wallet);
    if (entry.state !== null && !supersedes(state, entry.state)) return;
    entry.state = state;
    this.#hear(entry, knownAtMs);
  }

  #confirm(wallet: WalletAddress, knownAtMs: number): void {
    const entry = this.#entries.peek(wallet);
    if (entry !== undefined) this.#hear(entry, knownAtMs);
  }

  /** What was heard of before a clock was set back counts no longer. */
  #hear(entry: MirrorEntry, knownAtMs: number): void {
    const isAhead = entry.knownAtMs > this.#options.clock.nowMs();
    if (knownAtMs < entry.knownAtMs && !isAhead) return;
    entry.knownAtMs = knownAtMs;
    entry.heardAtMs = this.#options.steadyClock.nowMs();
  }

  #entryOf(wallet: WalletAddress): MirrorEntry {
    const known = this.#entries.get(wallet);
    if (known !== undefined) return known;
    const [knownAtMs, heardAtMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const entry = { wallet, uses: 0, state: null, knownAtMs, heardAtMs };
    this.#entries.set(wallet, entry);
    return entry;
  }
}

/** What the mirrored store answers a mirror. */
export async function walletAnswerOf(
  wallets: WalletStore,
  wallet: WalletAddress,
  clock: Clock,
): Promise<WalletAnswer> {
  const loaded = await wallets.load(wallet);
  if (loaded.ok) {
    const { state, ageMs } = loaded.value;
    return { newest: { state, knownAtMs: clock.nowMs() - ageMs }, failure: null };
  }
  const last = wallets.lastKnown(wallet);
  return {
    newest: last === null ? null : { state: last.state, knownAtMs: last.state.arrivedAtMs },
    failure: loaded.error,
  };
}
