import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssetLifecycle } from "../../src/snapshot/asset-snapshot.ts";
import { BOOK_AGE, MARK_AGE } from "../../src/risk/scoring/age-limits.ts";
import { freshnessOf, snapshotFreshness } from "../../src/snapshot/staleness.ts";
import { NOW_MS, orderBook } from "../support/builders.ts";

// Mutants killed by hand: soft and hard swapped; null counted as fresh; mark ignored; lifecycle ignored.

const LIFECYCLES: readonly AssetLifecycle[] = ["listed", "warming", "live", "stale", "delisted"];
const RANK = { fresh: 0, stale: 1, unusable: 2 };

const contextAt = (laterMs: number) => ({ arrivedAtMs: NOW_MS + laterMs, markPrice: 100 });

describe("freshnessOf", () => {
  it.each([
    [0, "fresh"],
    [10_000, "fresh"],
    [10_001, "stale"],
    [60_000, "stale"],
    [60_001, "unusable"],
    [null, "unusable"],
  ])("age %s ms is %s", (ageMs, expected) => {
    expect(freshnessOf(ageMs, BOOK_AGE.value)).toBe(expected);
  });
});

describe("snapshotFreshness", () => {
  it.each<[AssetLifecycle, number | null, number, string]>([
    ["live", 0, 0, "fresh"],
    ["live", 20_000, 0, "stale"],
    ["live", 0, 20_000, "stale"],
    ["live", 0, 61_000, "unusable"],
    ["live", null, 0, "unusable"],
    ["stale", 0, 0, "stale"],
    ["listed", 0, 0, "unusable"],
    ["warming", 0, 0, "unusable"],
    ["delisted", 0, 0, "unusable"],
  ])("%s with a book of %s ms and a mark of %s ms is %s", (lifecycle, bookAgeMs, markAgeMs, expected) => {
    const bookArrivedAtMs = bookAgeMs === null ? null : NOW_MS - bookAgeMs;
    const snapshot = { lifecycle, bookArrivedAtMs, book: null, context: contextAt(-markAgeMs) };

    expect(snapshotFreshness(snapshot, NOW_MS).overall).toBe(expected);
  });

  it.each([
    [5_000, "fresh"],
    [30_000, "stale"],
    [7_200_000, "unusable"],
  ])(
    "believes no more in what lies %s ms ahead, because the clock was set back, than in as old facts",
    (aheadMs, expected) => {
      for (const [book, mark] of [
        [aheadMs, 0],
        [0, aheadMs],
      ] as const) {
        const arrivals = { bookArrivedAtMs: NOW_MS + book, book: null, context: contextAt(mark) };
        expect(snapshotFreshness({ lifecycle: "live", ...arrivals }, NOW_MS).overall).toBe(expected);
      }
    },
  );

  it.each([
    [100, 0.01, "fresh"],
    [101.9, 0.01, "fresh"],
    [98, 0.01, "fresh"],
    [103, 0.01, "stale"],
    [97, 0.01, "stale"],
    // Half of a wide spread is no disagreement, the other half is.
    [104, 5, "fresh"],
    [106, 5, "stale"],
    // Quoted from 50 to 90, and from 25 to 75: the mark lies a tenth and a quarter of itself above.
    [70, 40, "stale"],
    [50, 50, "unusable"],
    // Quoted from 100 to 200.
    [150, 100, "fresh"],
    [150, 0.01, "unusable"],
    [10, 0.01, "unusable"],
    [1_000, 0.01, "unusable"],
  ])("a book around %s beside a mark of 100, quoted %s apart, is %s", (midPrice, spread, expected) => {
    const book = orderBook([[midPrice - spread / 2, 10]], [[midPrice + spread / 2, 10]]);
    const snapshot = {
      lifecycle: "live" as const,
      bookArrivedAtMs: NOW_MS,
      book,
      context: contextAt(0),
    };

    expect(snapshotFreshness(snapshot, NOW_MS).overall).toBe(expected);
  });

  it("never improves while nothing arrives, and no age is negative", () => {
    const arrival = fc.integer({ min: -MARK_AGE.value.hardMs * 2, max: 0 });
    fc.assert(
      fc.property(
        fc.constantFrom(...LIFECYCLES),
        arrival,
        arrival,
        fc.nat(200_000),
        (lifecycle, book, mark, later) => {
          const snapshot = {
            lifecycle,
            bookArrivedAtMs: NOW_MS + book,
            book: null,
            context: contextAt(mark),
          };

          const now = snapshotFreshness(snapshot, NOW_MS);
          const then = snapshotFreshness(snapshot, NOW_MS + later);

          expect(RANK[then.overall]).toBeGreaterThanOrEqual(RANK[now.overall]);
          expect(now.bookAgeMs).toBeGreaterThanOrEqual(0);
          expect(now.markAgeMs).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
