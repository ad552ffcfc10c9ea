import { LRUCache } from "lru-cache";
import type { WalletAddress } from "../../../domain/ids.ts";
import type { TailArena } from "./tail-arena.ts";
import { createTailCandidates, forgetCandidates, type TailCandidates } from "./tail-candidates.ts";

/** A wallet of ten positions takes 0.13 MB, of twenty 0.22. */
const WALLETS_MAX = 128;

/** The candidates of the wallets last asked about; of one size of sheet. */
export interface CandidateStore {
  readonly scenarios: number;
  readonly arena: TailArena;
  readonly byWallet: LRUCache<WalletAddress, TailCandidates>;
}

export function createCandidateStore(scenarios: number, arena: TailArena): CandidateStore {
  return { scenarios, arena, byWallet: new LRUCache({ max: WALLETS_MAX }) };
}

/** Those of a wallet; one that is new takes over the memory, and nothing else, of the longest unused where all are taken. */
export function candidatesOf(
  wallet: WalletAddress,
  { scenarios, arena, byWallet }: CandidateStore,
): TailCandidates {
  const known = byWallet.get(wallet);
  if (known !== undefined) return known;
  const taken = byWallet.size < WALLETS_MAX ? undefined : byWallet.pop();
  if (taken !== undefined) forgetCandidates(taken);
  const candidates = taken ?? createTailCandidates(scenarios, arena);
  byWallet.set(wallet, candidates);
  return candidates;
}
