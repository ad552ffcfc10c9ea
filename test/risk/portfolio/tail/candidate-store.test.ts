import { describe, expect, it } from "vitest";
import type { SheetPosition } from "../../../../src/risk/portfolio/portfolio-losses.ts";
import {
  type CandidateStore,
  candidatesOf,
  createCandidateStore,
} from "../../../../src/risk/portfolio/tail/candidate-store.ts";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";
import { addCandidate, type TailCandidates } from "../../../../src/risk/portfolio/tail/tail-candidates.ts";
import { walletNumber } from "../../../support/builders.ts";

// Mutants killed: a wallet's candidates made anew for every question, one wallet too many kept, none let go, the first that
// came let go instead of the longest unused; what a wallet had handed to another; large trades in two assets given the same,
// a small one its asset's, two wallets' large trades in one asset the same.

const KEPT_MAX = 128;

function ofWallet(n: number, store: CandidateStore): TailCandidates {
  return candidatesOf(walletNumber(n), [], null, store);
}

describe("candidatesOf", () => {
  it("keeps what a wallet had, of the wallets last asked about", () => {
    const store = createCandidateStore(16, new TailArena());
    const first = Array.from({ length: KEPT_MAX }, (_, n) => ofWallet(n, store));

    expect(ofWallet(0, store)).toBe(first[0]);
    ofWallet(KEPT_MAX, store);

    expect(store.byBook.size).toBe(KEPT_MAX);
    expect(ofWallet(0, store)).toBe(first[0]);
    expect(ofWallet(2, store)).toBe(first[2]);
    expect(ofWallet(1, store)).not.toBe(first[1]);
  });

  it("gives a new wallet nothing of the one whose memory it takes over", () => {
    const store = createCandidateStore(16, new TailArena());
    const taken = ofWallet(0, store);
    addCandidate(3, taken);
    for (let n = 1; n < KEPT_MAX; n++) ofWallet(n, store);

    const found = ofWallet(KEPT_MAX, store);

    expect(found).toBe(taken);
    expect(found.count).toBe(0);
    expect(found.slots.every((slot) => slot === 0)).toBe(true);
    expect(ofWallet(0, store)).not.toBe(taken);
  });

  it("keeps those of books after a trade that is large beside them by the traded asset", () => {
    const store = createCandidateStore(16, new TailArena());
    const held = { row: 0, notionalUsdSigned: -1_000 };
    const after = (traded: SheetPosition, wallet = 0): TailCandidates =>
      candidatesOf(walletNumber(wallet), [held, traded], traded, store);
    const usual = ofWallet(0, store);

    const large = after({ row: 1, notionalUsdSigned: 400 });
    expect(after({ row: 1, notionalUsdSigned: -900 })).toBe(large);
    expect(after({ row: 2, notionalUsdSigned: 400 })).not.toBe(large);
    expect(after({ row: 1, notionalUsdSigned: 400 }, 1)).not.toBe(large);
    expect(large).not.toBe(usual);
    expect(after({ row: 1, notionalUsdSigned: 300 })).toBe(usual);
  });
});
