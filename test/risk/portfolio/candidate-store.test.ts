import { describe, expect, it } from "vitest";
import { type WalletAddress, walletAddressOf } from "../../../src/domain/ids.ts";
import { candidatesOf, createCandidateStore } from "../../../src/risk/portfolio/candidate-store.ts";

// Mutants killed: a wallet's candidates made anew for every question, one wallet too many kept, none let go, the first that
// came let go instead of the longest unused.

const WALLETS_MAX = 128;

describe("candidatesOf", () => {
  it("keeps what a wallet had, of the wallets last asked about", () => {
    const store = createCandidateStore(16);
    const first = Array.from({ length: WALLETS_MAX }, (_, n) => candidatesOf(walletNumber(n), store));

    expect(candidatesOf(walletNumber(0), store)).toBe(first[0]);
    candidatesOf(walletNumber(WALLETS_MAX), store);

    expect(store.byWallet.size).toBe(WALLETS_MAX);
    expect(candidatesOf(walletNumber(0), store)).toBe(first[0]);
    expect(candidatesOf(walletNumber(2), store)).toBe(first[2]);
    expect(candidatesOf(walletNumber(1), store)).not.toBe(first[1]);
  });
});

function walletNumber(n: number): WalletAddress {
  return walletAddressOf(`0x${String(n).padStart(40, "0")}`)!;
}
