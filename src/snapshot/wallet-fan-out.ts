import type { WalletState } from "../domain/account.ts";
import type { ExchangeFailure } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import type { Result } from "../domain/result.ts";
import type { WalletSource } from "../domain/wallet-source.ts";
import { supersedes } from "./wallet-rules.ts";

/** What one thread's wallet store has learned, for the mirrors of it on other threads. */
export type WalletNews =
  | { readonly type: "wallet.read"; readonly state: WalletState; readonly knownAtMs: number }
  /** What was last told of these wallets was still so at these times. */
  | { readonly type: "wallets.confirmed"; readonly knownAtMs: ReadonlyMap<WalletAddress, number> };

/** A wallet source that also tells others what came from it, in the order in which its user hears of it. */
export class WalletFanOut implements WalletSource {
  readonly #source: WalletSource;
  readonly #tell: (news: WalletNews) => void;
  #watched: readonly WalletAddress[] = [];
  /** What a stream last brought of those that are watched. */
  #streamed: ReadonlyMap<WalletAddress, WalletState> = new Map();

  constructor(source: WalletSource, tell: (news: WalletNews) => void) {
    this.#source = source;
    this.#tell = tell;
  }

  async fetchWallet(wallet: WalletAddress): Promise<Result<WalletState, ExchangeFailure>> {
    const result = await this.#source.fetchWallet(wallet);
    const streamed = this.#streamed.get(wallet);
    // What a stream has overtaken its user does not keep, and who was not told of that stream's state must not, either.
    if (result.ok && (streamed === undefined || supersedes(result.value, streamed)))
      this.#tellOf(result.value);
    return result;
  }

  watchWallets(wallets: readonly WalletAddress[], onState: (state: WalletState) => void): void {
    this.#watched = wallets;
    const streamed = new Map([...this.#streamed].filter(([wallet]) => wallets.includes(wallet)));
    this.#streamed = streamed;
    this.#source.watchWallets(wallets, (state) => {
      streamed.set(state.wallet, state);
      onState(state);
      this.#tellOf(state);
    });
  }

  confirmedAtMs(wallet: WalletAddress): number | null {
    return this.#source.confirmedAtMs(wallet);
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  /** To be called from time to time: tells how far the streams have confirmed what they brought. */
  tellConfirmed(): void {
    const knownAtMs = new Map<WalletAddress, number>();
    for (const wallet of this.#watched) {
      const confirmedAtMs = this.#source.confirmedAtMs(wallet);
      if (confirmedAtMs !== null) knownAtMs.set(wallet, confirmedAtMs);
    }
    if (knownAtMs.size > 0) this.#tell({ type: "wallets.confirmed", knownAtMs });
  }

  #tellOf(state: WalletState): void {
    this.#tell({ type: "wallet.read", state, knownAtMs: state.arrivedAtMs });
  }
}
