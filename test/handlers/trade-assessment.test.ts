import { describe, expect, it, vi } from "vitest";
import { STEADY_CLOCK, SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import { ok } from "../../src/domain/result.ts";
import { loadWallet, marketTrustOf } from "../../src/handlers/trade-assessment.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../src/snapshot/wallet-store.ts";
import { assetContext, assetListing, BTC, NOW_MS, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";

/** A book that arrived so long before now, of which 10 s are fresh and 60 s are usable. */
const bookAgedMs = (ageMs: number) => ({ bookArrivedAtMs: NOW_MS - ageMs });

describe("marketTrustOf", () => {
  it("lets an exit through a market of any age, and never without saying that it is stale", () => {
    for (const [ageMs, isStale] of [
      [1_000, false],
      [20_000, true],
      [600_000, true],
    ] as const) {
      const { snapshots } = handlerDeps({ account: walletState(), snapshot: bookAgedMs(ageMs) });

      expect(marketTrustOf(snapshots.assetOf(BTC)!, "close", NOW_MS)).toEqual({ isUsable: true, isStale });
    }
  });

  it("lets an exit of an asset without readable margin terms through, and never without a flag", () => {
    const listing = assetListing({ isCloseOnly: true });
    const { snapshots } = handlerDeps({ account: walletState(), snapshot: { listing } });

    expect(marketTrustOf(snapshots.assetOf(BTC)!, "close", NOW_MS)).toEqual({
      isUsable: true,
      isStale: true,
    });
  });

  it("refuses an opening from the hard limit on only", () => {
    const isUsable = (ageMs: number) => {
      const { snapshots } = handlerDeps({ account: walletState(), snapshot: bookAgedMs(ageMs) });
      return marketTrustOf(snapshots.assetOf(BTC)!, "long", NOW_MS).isUsable;
    };

    expect([1_000, 59_000, 61_000].map(isUsable)).toEqual([true, true, false]);
  });

  it.each([
    ["no frame of a book came", { bookArrivedAtMs: null }, "no order book has been received"],
    [
      "neither a book nor a history came",
      { bookArrivedAtMs: null, lifecycle: "warming" },
      "no order book has been received",
    ],
    ["its history is missing", { lifecycle: "warming" }, "its history is still being read"],
    ["it was listed just now", { lifecycle: "listed" }, "its history is still being read"],
    ["its last book is old", bookAgedMs(61_000), "its market data is 61 s old"],
    [
      "its last mark is older than its book",
      { ...bookAgedMs(61_000), context: assetContext({ arrivedAtMs: NOW_MS - 75_000 }) },
      "its market data is 75 s old",
    ],
    [
      "its mark is far from its book",
      { context: assetContext({ markPrice: 80_000 }) },
      "its order book and its mark price are 25 % apart",
    ],
  ] as const)("says why an opening is refused when %s", (_name, snapshot, detail) => {
    const { snapshots } = handlerDeps({ account: walletState(), snapshot });

    expect(marketTrustOf(snapshots.assetOf(BTC)!, "long", NOW_MS)).toEqual({
      isUsable: false,
      refusal: { code: "market_unavailable", asset: "BTC", detail },
    });
  });
});

describe("loadWallet", () => {
  /** How long an order waits while the exchange is silent, of a wallet read a while ago. */
  const waitedMs = async (
    { readBeforeMs, heardBeforeMs }: { readBeforeMs: number; heardBeforeMs: number | null },
    limits: { hardMs?: number } = {},
  ): Promise<number> => {
    vi.useFakeTimers({ now: NOW_MS - readBeforeMs });
    let isSilent = false;
    const state = { ...walletState(), wallet: WALLET, arrivedAtMs: Date.now(), exchangeTimeMs: Date.now() };
    const source = {
      fetchWallet: () => (isSilent ? new Promise<never>(() => undefined) : Promise.resolve(ok(state))),
      watchWallets: () => undefined,
      confirmedAtMs: () => (heardBeforeMs === null ? null : NOW_MS - heardBeforeMs),
      close: () => Promise.resolve(),
    };
    const store = new WalletStore({
      ...WALLET_STORE_DEFAULTS,
      ...limits,
      source,
      clock: SYSTEM_CLOCK,
      steadyClock: STEADY_CLOCK,
    });
    await store.load(WALLET);
    isSilent = true;
    vi.setSystemTime(NOW_MS);
    let endedMs = Number.NaN;
    void loadWallet(store, WALLET, false).then(() => (endedMs = Date.now()));
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    return endedMs - NOW_MS;
  };

  it("waits a second for an order where the reader would answer with what it holds, and else as long as that waits", async () => {
    expect(await waitedMs({ readBeforeMs: 60_000, heardBeforeMs: null })).toBe(1_000);
    expect(await waitedMs({ readBeforeMs: 130_000, heardBeforeMs: null })).toBe(4_000);
    // A stream that brings nothing new says that the state still holds.
    expect(await waitedMs({ readBeforeMs: 600_000, heardBeforeMs: 6_000 })).toBe(1_000);
  });

  it("goes by the hard limit that the reader was given", async () => {
    expect(await waitedMs({ readBeforeMs: 60_000, heardBeforeMs: null }, { hardMs: 30_000 })).toBe(4_000);
    expect(await waitedMs({ readBeforeMs: 130_000, heardBeforeMs: null }, { hardMs: 150_000 })).toBe(1_000);
  });
});
