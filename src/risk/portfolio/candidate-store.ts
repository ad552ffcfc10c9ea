import type { WalletAddress } from "../../domain/ids.ts";
import { createTailCandidates, type TailCandidates } from "./tail-candidates.ts";

/** A wallet of ten positions takes 0.13 MB, of twenty 0.22. */
const WALLETS_MAX = 128;

/** The candidates of the wallets last asked about; of one size of sheet. */
export interface CandidateStore {
  readonly scenarios: number;
  /** Longest unused first. */
  readonly byWallet: Map<WalletAddress, TailCandidates>;
}

export function createCandidateStore(scenarios: number): CandidateStore {
  return { scenarios, byWallet: new Map() };
}

export function candidatesOf(wallet: WalletAddress, { scenarios, byWallet }: CandidateStore): TailCandidates {
  const known = byWallet.get(wallet);
  if (known === undefined && byWallet.size >= WALLETS_MAX) {
    byWallet.delete(byWallet.keys().next().value!);
  }
  const candidates = known ?? createTailCandidates(scenarios);
  byWallet.delete(wallet);
  byWallet.set(wallet, candidates);
  return candidates;
}
