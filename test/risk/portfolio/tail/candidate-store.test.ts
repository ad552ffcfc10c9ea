import { describe, expect, it } from "vitest";
import { candidatesOf, createCandidateStore } from "../../../../src/risk/portfolio/tail/candidate-store.ts";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";
import { addCandidate } from "../../../../src/risk/portfolio/tail/tail-candidates.ts";
import { walletNumber } from "../../../support/builders.ts";

// Mutants killed: a wallet's candidates made anew for every question, one wallet too many kept, none let go, the first that
// came let go instead of the longest unused; what a wallet had handed to another.

const WALLETS_MAX = 128;

describe("candidatesOf", () => {
  it("keeps what a wallet had, of the wallets last asked about", () => {
    const store = createCandidateStore(16, new TailArena());
    const first = Array.from({ length: WALLETS_MAX }, (_, n) => candidatesOf(walletNumber(n), store));

    expect(candidatesOf(walletNumber(0), store)).toBe(first[0]);
    candidatesOf(walletNumber(WALLETS_MAX), store);

    expect(store.byWallet.size).toBe(WALLETS_MAX);
    expect(candidatesOf(walletNumber(0), store)).toBe(first[0]);
    expect(candidatesOf(walletNumber(2), store)).toBe(first[2]);
    expect(candidatesOf(walletNumber(1), store)).not.toBe(first[1]);
  });

  it("gives a new wallet nothing of the one whose memory it takes over", () => {
    const store = createCandidateStore(16, new TailArena());
    const taken = candidatesOf(walletNumber(0), store);
    addCandidate(3, taken);
    for (let n = 1; n < WALLETS_MAX; n++) candidatesOf(walletNumber(n), store);

    const found = candidatesOf(walletNumber(WALLETS_MAX), store);

    expect(found).toBe(taken);
    expect(found.count).toBe(0);
    expect(found.slots.every((slot) => slot === 0)).toBe(true);
    expect(candidatesOf(walletNumber(0), store)).not.toBe(taken);
  });
});
