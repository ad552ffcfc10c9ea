import type { WalletAddress } from "../domain/ids.ts";
import { OnwardClock } from "../domain/onward-clock.ts";

/** Uses halve in weight after this long, so that a wallet of this morning does not keep its stream. */
const HALF_LIFE_MS = 60_000;
/** A wallet asked for once is not worth a subscription. */
const HEAT_MIN = 2;
/** How often a stream may pass from one wallet to another; a free one is taken at once. */
const PERIOD_MS = 5_000;
/** A newcomer takes a stream over when it is this many half-lives hotter: twice as hot, so that equals do not take turns. */
const LEAD = 1;

/** A wallet with its heat, held by whoever knows the wallet. */
export interface RankedWallet {
  readonly wallet: WalletAddress;
  /** log2(heat) + time / half-life; COLD before the first use, and again when its holder forgets it. */
  rank: number;
}

export const COLD = Number.NEGATIVE_INFINITY;

/**
 * Which wallets are worth a stream. Heat is kept as a rank, log2(heat) + time / half-life: cooling lowers all alike, so
 * ranks never change but by use, and the hottest few are known exactly without sorting the rest.
 *
 * Holds:  work per use is proportional to the streams, not to the wallets; nothing is kept of a wallet but of the hottest
 */
export class WalletHeat {
  readonly #streamsMax: number;
  /** At most streamsMax. */
  readonly #hottest: RankedWallet[] = [];
  #streamed: readonly RankedWallet[] = [];
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  /** Set back a day, a rank of before would stand for more heat than there are numbers for, and never cool. */
  readonly #clock = new OnwardClock({ nowMs: () => this.#usedAtMs });

  constructor(streamsMax: number) {
    this.#streamsMax = streamsMax;
  }

  /** Counts uses. The wallets to be streamed from now on, when they are others than before. */
  use(used: RankedWallet, usedAtMs: number, uses = 1): readonly WalletAddress[] | undefined {
    this.#usedAtMs = usedAtMs;
    const nowMs = this.#clock.nowMs();
    used.rank = Math.log2(uses + heatOf(used, nowMs)) + nowMs / HALF_LIFE_MS;
    this.#admit(used);
    if (nowMs - this.#changedAtMs < PERIOD_MS && !this.#takesFreeStream(used, nowMs)) return undefined;
    this.#changedAtMs = nowMs;
    return this.#restream(nowMs);
  }

  #takesFreeStream(used: RankedWallet, nowMs: number): boolean {
    if (this.#streamed.length === this.#streamsMax || this.#streamed.includes(used)) return false;
    return heatOf(used, nowMs) >= HEAT_MIN;
  }

  #admit(used: RankedWallet): void {
    if (this.#hottest.includes(used)) return;
    this.#hottest.push(used);
    if (this.#hottest.length > this.#streamsMax) remove(this.#hottest, coolest(this.#hottest));
  }

  /** Keeps what is streamed and still warm, fills what is free, and lets a newcomer in where it leads. */
  #restream(nowMs: number): readonly WalletAddress[] | undefined {
    const isWarm = (ranked: RankedWallet): boolean => heatOf(ranked, nowMs) >= HEAT_MIN;
    const streams = this.#streamed.filter(isWarm);
    const newcomers = this.#hottest.filter((ranked) => !streams.includes(ranked) && isWarm(ranked));
    for (const newcomer of newcomers.sort((a, b) => b.rank - a.rank)) {
      if (streams.length === this.#streamsMax) {
        const last = coolest(streams);
        if (newcomer.rank < last.rank + LEAD) break;
        remove(streams, last);
      }
      streams.push(newcomer);
    }
    const before = this.#streamed;
    if (streams.length === before.length && streams.every((ranked) => before.includes(ranked)))
      return undefined;
    this.#streamed = streams;
    return streams.map(({ wallet }) => wallet);
  }
}

function heatOf({ rank }: RankedWallet, nowMs: number): number {
  return 2 ** (rank - nowMs / HALF_LIFE_MS);
}

function coolest(ranked: readonly RankedWallet[]): RankedWallet {
  return ranked.reduce((found, other) => (other.rank < found.rank ? other : found));
}

function remove(from: RankedWallet[], ranked: RankedWallet): void {
  from.splice(from.indexOf(ranked), 1);
}
