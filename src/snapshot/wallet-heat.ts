import { LRUCache } from "lru-cache";
import type { WalletAddress } from "../domain/ids.ts";

/** Uses halve in weight after this long, so that a wallet of this morning does not keep its stream. */
const HALF_LIFE_MS = 60_000;
/** A wallet asked for once is not worth a subscription. */
const HEAT_MIN = 2;
/** How often the streamed set may change. */
const PERIOD_MS = 5_000;
/** A newcomer takes a stream over when it is this many half-lives hotter: twice as hot, so that equals do not take turns. */
const LEAD = 1;

/**
 * Which wallets are worth a stream. Heat is kept as a rank, log2(heat) + time / half-life: cooling lowers all alike, so
 * ranks never change but by use, and the hottest few are known exactly without sorting the rest.
 *
 * Holds:  work per use is proportional to the streams, not to the wallets; at most walletsMax ranks
 */
export class WalletHeat {
  readonly #streamsMax: number;
  readonly #ranks: LRUCache<WalletAddress, number>;
  /** The hottest wallets with their ranks, at most streamsMax. */
  readonly #hottest = new Map<WalletAddress, number>();
  #streamed: ReadonlySet<WalletAddress> = new Set();
  #changedAtMs = Number.NEGATIVE_INFINITY;

  constructor(streamsMax: number, walletsMax: number) {
    this.#streamsMax = streamsMax;
    this.#ranks = new LRUCache({ max: walletsMax });
  }

  /** Counts uses. The wallets to be streamed from now on, when they are others than before. */
  use(wallet: WalletAddress, nowMs: number, uses = 1): readonly WalletAddress[] | undefined {
    const heat = uses + heatOf(this.#ranks.get(wallet), nowMs);
    const rank = Math.log2(heat) + nowMs / HALF_LIFE_MS;
    this.#ranks.set(wallet, rank);
    this.#admit(wallet, rank);
    if (nowMs - this.#changedAtMs < PERIOD_MS) return undefined;
    this.#changedAtMs = nowMs;
    return this.#restream(nowMs);
  }

  #admit(wallet: WalletAddress, rank: number): void {
    this.#hottest.set(wallet, rank);
    if (this.#hottest.size > this.#streamsMax) this.#hottest.delete(coolest(this.#hottest));
  }

  /** Keeps what is streamed and still warm, fills what is free, and lets a newcomer in where it leads. */
  #restream(nowMs: number): readonly WalletAddress[] | undefined {
    const isWarm = (rank: number | undefined): rank is number => heatOf(rank, nowMs) >= HEAT_MIN;
    const streams = new Map<WalletAddress, number>();
    for (const wallet of this.#streamed) {
      const rank = this.#ranks.peek(wallet);
      if (isWarm(rank)) streams.set(wallet, rank);
    }
    const newcomers = [...this.#hottest].filter(([wallet, rank]) => !streams.has(wallet) && isWarm(rank));
    for (const [wallet, rank] of newcomers.sort(([, a], [, b]) => b - a)) {
      if (streams.size === this.#streamsMax) {
        const last = coolest(streams);
        if (rank < streams.get(last)! + LEAD) break;
        streams.delete(last);
      }
      streams.set(wallet, rank);
    }
    const isSame =
      streams.size === this.#streamed.size && [...streams.keys()].every((w) => this.#streamed.has(w));
    if (isSame) return undefined;
    this.#streamed = new Set(streams.keys());
    return [...this.#streamed];
  }
}

function heatOf(rank: number | undefined, nowMs: number): number {
  return rank === undefined ? 0 : 2 ** (rank - nowMs / HALF_LIFE_MS);
}

function coolest(ranks: ReadonlyMap<WalletAddress, number>): WalletAddress {
  let found: WalletAddress | undefined;
  let lowest = Infinity;
  for (const [wallet, rank] of ranks) {
    if (found !== undefined && rank >= lowest) continue;
    found = wallet;
    lowest = rank;
  }
  return found!;
}
