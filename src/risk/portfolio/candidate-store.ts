import type { WalletAddress } from "../../domain/ids.ts";
import { createTailCandidates, forgetCandidates, type TailCandidates } from "./tail-candidates.ts";

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

/** Those of a wallet; one that is new takes over the memory, and nothing else, of the longest unused where all are taken. */
export function candidatesOf(wallet: WalletAddress, { scenarios, byWallet }: CandidateStore): TailCandidates {
  let candidates = byWallet.get(wallet);
  if (candidates !== undefined) {
    byWallet.delete(wallet);
  } else if (byWallet.size >= WALLETS_MAX) {
    const [longestUnused, taken] = byWallet.entries().next().value!;
    byWallet.delete(longestUnused);
    candidates = taken;
    forgetCandidates(candidates);
  }
  candidates ??= createTailCandidates(scenarios);
  byWallet.set(wallet, candidates);
  return candidates;
}
