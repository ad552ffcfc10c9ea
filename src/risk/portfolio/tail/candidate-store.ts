import { LRUCache } from "lru-cache";
import type { WalletAddress } from "../../../domain/ids.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import { isLargeTrade } from "./large-trade.ts";
import type { TailArena } from "./tail-arena.ts";
import { createTailCandidates, forgetCandidates, type TailCandidates } from "./tail-candidates.ts";

/** A wallet of ten positions takes 0.13 MB, of twenty 0.22. */
const KEPT_MAX = 128;

/** The candidates of the wallets last asked about, or of a wallet and an asset it trades; of one size of sheet. */
export interface CandidateStore {
  readonly scenarios: number;
  readonly arena: TailArena;
  readonly byBook: LRUCache<string, TailCandidates>;
}

export function createCandidateStore(scenarios: number, arena: TailArena): CandidateStore {
  return { scenarios, arena, byBook: new LRUCache({ max: KEPT_MAX }) };
}

/**
 * Those of a wallet. After a trade that is large beside its book they are the traded asset's: the books after large trades
 * in two assets have little in common, and candidates of one would be dropped for the other's at every turn. What is new
 * takes over the memory, and nothing else, of the longest unused where all are taken.
 */
export function candidatesOf(
  wallet: WalletAddress,
  positions: readonly SheetPosition[],
  traded: SheetPosition | null,
  { scenarios, arena, byBook }: CandidateStore,
): TailCandidates {
  const key = traded !== null && isLargeTrade(traded, positions) ? `${wallet} ${traded.row}` : wallet;
  const known = byBook.get(key);
  if (known !== undefined) return known;
  const taken = byBook.size < KEPT_MAX ? undefined : byBook.pop();
  if (taken !== undefined) forgetCandidates(taken);
  const candidates = taken ?? createTailCandidates(scenarios, arena);
  byBook.set(key, candidates);
  return candidates;
}
