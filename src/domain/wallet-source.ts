import type { WalletState } from "./account.ts";
import type { ExchangeFailure } from "./errors.ts";
import type { WalletAddress } from "./ids.ts";
import type { Result } from "./result.ts";

/** Where wallet states come from, inside the exchange's weight and user limits. */
export interface WalletSource {
  /** One bounded read of the account. Unknown wallets are empty accounts, not errors. */
  fetchWallet(wallet: WalletAddress): Promise<Result<WalletState, ExchangeFailure>>;
  /** Replaces the set of streamed wallets; beyond the exchange's user limit the rest is ignored. */
  watchWallets(wallets: readonly WalletAddress[], onState: (state: WalletState) => void): void;
  /**
   * Latest moment at which the stream that carries this wallet was heard while it held the wallet's whole state: what
   * was last brought is then still so. Null when it is not streamed, or not whole.
   */
  confirmedAtMs(wallet: WalletAddress): number | null;
  /** Ends the stream and the connections that reads use. */
  close(): Promise<void>;
}
