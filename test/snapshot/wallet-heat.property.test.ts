import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WalletAddress } from "../../src/domain/ids.ts";
import { COLD, type RankedWallet, WalletHeat } from "../../src/snapshot/wallet-heat.ts";
import { walletNumber } from "../support/builders.ts";

// Mutants killed by hand: heat that does not cool; the coolest streamed instead of the hottest; a wallet used once
// streamed; more than the maximum; equals that take turns; changes within the period; a free stream taken only after
// it, by a wallet used once, or again by one that has it; a cold stream kept; the newest of the hottest let in twice, or
// in no order; the oldest of them let go instead of the coolest.

const STREAMS_MAX = 3;
const HALF_LIFE_MS = 60_000;
const PERIOD_MS = 5_000;

/** Mostly a crowd that is busy at once, sometimes a pause in which streams go cold. */
const pauseMs = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 1_500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 100_000 }) },
);
const uses = fc.array(fc.record({ who: fc.nat({ max: 6 }), afterMs: pauseMs }), {
  maxLength: 200,
  size: "max",
});

describe("WalletHeat", () => {
  it("streams what the rule says, computed slowly over all wallets", () => {
    fc.assert(
      fc.property(uses, (steps) => {
        const heat = new WalletHeat(STREAMS_MAX);
        const known = Array.from({ length: 7 }, (_, n) => rankedNumber(n));
        const usedAtMs = new Map<WalletAddress, number[]>();
        let expected: WalletAddress[] = [];
        let streamed: readonly WalletAddress[] = [];
        let changedAtMs = -Infinity;
        let nowMs = Date.UTC(2026, 0, 1);
        for (const { who, afterMs } of steps) {
          nowMs += afterMs;
          const { wallet } = known[who]!;
          usedAtMs.set(wallet, [...(usedAtMs.get(wallet) ?? []), nowMs]);
          const takesFree =
            expected.length < STREAMS_MAX &&
            !expected.includes(wallet) &&
            heatByDefinition(usedAtMs.get(wallet)!, nowMs) >= 2;
          if (nowMs - changedAtMs >= PERIOD_MS || takesFree) {
            changedAtMs = nowMs;
            expected = streamedByDefinition(expected, usedAtMs, nowMs);
          }

          streamed = heat.use(known[who]!, nowMs) ?? streamed;

          expect([...streamed].sort()).toEqual([...expected].sort());
        }
      }),
    );
  });

  it("does not let equally hot wallets take turns", () => {
    const heat = new WalletHeat(STREAMS_MAX);
    const known = Array.from({ length: 9 }, (_, n) => rankedNumber(n));
    let changes = 0;
    for (let round = 0; round < 200; round++) {
      for (let n = 0; n < 9; n++) if (heat.use(known[n]!, round * 1_000 + n) !== undefined) changes++;
    }
    expect(changes).toBe(STREAMS_MAX);
  });

  it("is not impressed by a crowd that comes once", () => {
    const heat = new WalletHeat(STREAMS_MAX);
    let nowMs = 0;
    for (let n = 0; n < 10_000; n++) expect(heat.use(rankedNumber(n), nowMs++)).toBeUndefined();
    const seventh = rankedNumber(7);
    for (let i = 0; i < 2; i++) expect(heat.use(seventh, nowMs++)).toBeUndefined();
    expect(heat.use(seventh, nowMs)).toEqual([walletNumber(7)]);
  });

  it("looks at the hottest only, however many were ever used", () => {
    const heat = new WalletHeat(STREAMS_MAX);
    let looks = 0;
    for (let n = 0; n < 1_000; n++) {
      let rank = COLD;
      const watched: RankedWallet = {
        wallet: walletNumber(n),
        get rank() {
          looks++;
          return rank;
        },
        set rank(value) {
          rank = value;
        },
      };
      heat.use(watched, n, 4);
    }
    looks = 0;

    heat.use(rankedNumber(1_000), 1_000 + PERIOD_MS);

    expect(looks).toBeLessThan(100);
  });

  it("gives a free stream to a wallet that is asked about for the third time, and a taken one after a while", () => {
    const heat = new WalletHeat(STREAMS_MAX);
    let nowMs = 0;
    for (let n = 0; n < STREAMS_MAX; n++) {
      const ranked = rankedNumber(n);
      expect([1, 2].map(() => heat.use(ranked, nowMs++))).toEqual([undefined, undefined]);
      expect(heat.use(ranked, nowMs++)).toEqual(Array.from({ length: n + 1 }, (_, i) => walletNumber(i)));
    }
    const late = rankedNumber(STREAMS_MAX);
    for (let i = 0; i < 20; i++) expect(heat.use(late, nowMs++)).toBeUndefined();

    expect(heat.use(late, nowMs + PERIOD_MS)).toContain(walletNumber(STREAMS_MAX));
  });

  it("lets go of a wallet that is forgotten, and takes it back when it is hot again", () => {
    const heat = new WalletHeat(STREAMS_MAX);
    const [forgotten, again, other] = [rankedNumber(1), rankedNumber(1), rankedNumber(2)];
    heat.use(forgotten, 0, 8);
    expect(heat.use(other, PERIOD_MS, 8)).toEqual([walletNumber(1), walletNumber(2)]);

    forgotten.rank = COLD;
    expect(heat.use(other, 2 * PERIOD_MS)).toEqual([walletNumber(2)]);
    expect(heat.use(again, 3 * PERIOD_MS)).toBeUndefined();
    expect(heat.use(again, 4 * PERIOD_MS, 3)).toEqual([walletNumber(2), walletNumber(1)]);
  });
});

/** The rule over everything that was ever used. */
function streamedByDefinition(
  before: readonly WalletAddress[],
  usedAtMs: ReadonlyMap<WalletAddress, readonly number[]>,
  nowMs: number,
): WalletAddress[] {
  const heatOf = (wallet: WalletAddress): number => heatByDefinition(usedAtMs.get(wallet) ?? [], nowMs);
  const ranked = [...usedAtMs.keys()].sort((a, b) => heatOf(b) - heatOf(a));
  const kept = before.filter((wallet) => heatOf(wallet) >= 2);
  for (const wallet of ranked.slice(0, STREAMS_MAX)) {
    if (kept.includes(wallet) || heatOf(wallet) < 2) continue;
    if (kept.length === STREAMS_MAX) {
      const coolest = kept.reduce((a, b) => (heatOf(b) < heatOf(a) ? b : a));
      if (heatOf(wallet) < 2 * heatOf(coolest)) break;
      kept.splice(kept.indexOf(coolest), 1);
    }
    kept.push(wallet);
  }
  return kept;
}

function heatByDefinition(usedAtMs: readonly number[], nowMs: number): number {
  return usedAtMs.reduce((sum, atMs) => sum + 0.5 ** ((nowMs - atMs) / HALF_LIFE_MS), 0);
}

function rankedNumber(n: number): RankedWallet {
  return { wallet: walletNumber(n), rank: COLD };
}
