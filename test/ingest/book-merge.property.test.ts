import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BookFrame, BookLevels, BookSide, BookSource } from "../../src/domain/book.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { bucketNearEdge, mergeBook } from "../../src/ingest/book-merge.ts";
import type { OracleLevel } from "../oracle/merged-book.ts";
import { mergedFine, withCoarse } from "../oracle/merged-book.ts";

// Mutants tried: order by arrival instead of exchange time; an older view's levels kept inside the newer one's reach
// (>= for >); the boundary bucket added whole; added negative; the near edge one step too far; a bucket laid out from its
// near edge though the fine levels reach into it; each part at its far edge; ask sums taken over bid sizes; cumulative
// USD without the price. Each fails below.

/** Prices are whole ticks between 1000 and 10 000, so that a bucket of three figures is exactly ten ticks. */
const BUCKET_TICKS = 10;

interface View {
  readonly timeMs: number;
  readonly bids: readonly OracleLevel[];
  readonly asks: readonly OracleLevel[];
}

const side = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 1000 })), {
  minLength: 1,
  maxLength: 20,
  size: "max",
});

/** A book as it was at some time around a mid that wanders, so that older views overlap and cross newer ones. */
const view: fc.Arbitrary<View> = fc
  .record({
    mid: fc.integer({ min: 5000, max: 5040 }),
    timeMs: fc.integer({ min: 1, max: 5 }),
    down: side,
    up: side,
  })
  .map(({ mid, timeMs, down, up }) => ({ timeMs, bids: walk(mid, down, -1), asks: walk(mid, up, 1) }));

const parts = fc.record({
  touch: fc.option(view, { nil: undefined }),
  fast: fc.option(view, { nil: undefined }),
  slow: fc.option(view, { nil: undefined }),
  coarse: fc.option(view, { nil: undefined }),
});

type Parts = typeof parts extends fc.Arbitrary<infer P> ? P : never;

describe("mergeBook", () => {
  it("equals the definition, level by level", () => {
    fc.assert(
      fc.property(parts, (views) => {
        const book = merged(views);
        const fine = fineInOrder(views);
        if (fine.length === 0) {
          expect(book).toBeNull();
          return;
        }
        for (const [name, worsening] of [
          ["bids", -1],
          ["asks", 1],
        ] as const) {
          const buckets = bucketsOf(views.coarse?.[name] ?? [], worsening);
          const expected = withCoarse(
            mergedFine(
              fine.map((part) => part[name]),
              worsening,
            ),
            buckets,
            worsening,
          );
          const levels = levelsOf(book?.[name]);
          expect(levels).toHaveLength(expected.length);
          for (const [i, { tick, size }] of expected.entries()) {
            expect(levels[i]?.[0]).toBeCloseTo(tick, 8);
            expect(levels[i]?.[1]).toBeCloseTo(size, 8);
          }
        }
      }),
    );
  });

  it("is never crossed, sorted, positive, with right sums and mid", () => {
    fc.assert(
      fc.property(parts, (views) => {
        const book = merged(views);
        if (book === null) return;
        const [bid = Number.NaN, ask = Number.NaN] = [book.bids.prices[0], book.asks.prices[0]];
        expect(bid).toBeLessThan(ask);
        expect(book.midPrice).toBe((bid + ask) / 2);
        expectWellFormed(book.bids, -1);
        expectWellFormed(book.asks, 1);
      }),
    );
  });

  it("takes its best prices from the newest full-precision view", () => {
    fc.assert(
      fc.property(parts, (views) => {
        const book = merged(views);
        const [newest] = fineInOrder(views);
        expect(book?.bids.prices[0]).toBe(newest?.bids[0]?.tick);
        expect(book?.asks.prices[0]).toBe(newest?.asks[0]?.tick);
      }),
    );
  });

  it("never changes a level within the finer reach when a coarse view is added", () => {
    fc.assert(
      fc.property(parts, view, (views, coarse) => {
        const without = merged({ ...views, coarse: undefined });
        const withIt = merged({ ...views, coarse });
        if (without === null || withIt === null) return;
        const count = without.bids.prices.length;
        expect(levelsOf(withIt.bids).slice(0, count)).toEqual(levelsOf(without.bids));
        expect(levelsOf(withIt.asks).slice(0, without.asks.prices.length)).toEqual(levelsOf(without.asks));
      }),
    );
  });

  it("adds nothing when the coarse view shows the same book as the fine one", () => {
    fc.assert(
      fc.property(view, (same) => {
        const without = merged({ touch: undefined, fast: undefined, slow: same, coarse: undefined });
        const withIt = merged({ touch: undefined, fast: undefined, slow: same, coarse: same });
        expect(levelsOf(withIt?.bids)).toEqual(levelsOf(without?.bids));
        expect(levelsOf(withIt?.asks)).toEqual(levelsOf(without?.asks));
      }),
    );
  });

  it("holds as much as the coarse view when fine and coarse show the same deep book at once", () => {
    fc.assert(
      fc.property(view, fc.integer({ min: 1, max: 5 }), (deep, kept) => {
        const fast = { ...deep, bids: deep.bids.slice(0, kept), asks: deep.asks.slice(0, kept) };
        const book = merged({ touch: undefined, fast, slow: undefined, coarse: deep });
        const total = (levels: readonly OracleLevel[]): number =>
          levels.reduce((sum, { size }) => sum + size, 0);
        expect(book?.bids.cumulativeBase.at(-1)).toBeCloseTo(total(deep.bids), 8);
        expect(book?.asks.cumulativeBase.at(-1)).toBeCloseTo(total(deep.asks), 8);
      }),
    );
  });
});

describe("bucketNearEdge", () => {
  it("is one step of the third figure inwards, of the decade below at a power of ten on the ask side", () => {
    expect(bucketNearEdge(64_900, "bids", 3)).toBe(65_000);
    expect(bucketNearEdge(65_000, "asks", 3)).toBe(64_900);
    expect(bucketNearEdge(1000, "bids", 3)).toBe(1010);
    expect(bucketNearEdge(1000, "asks", 3)).toBe(999);
    expect(bucketNearEdge(0.186, "bids", 3)).toBeCloseTo(0.187, 12);
    expect(bucketNearEdge(0.001, "asks", 3)).toBeCloseTo(0.000999, 12);
  });
});

function walk(mid: number, steps: readonly (readonly [number, number])[], direction: 1 | -1): OracleLevel[] {
  let tick = mid;
  return steps.map(([step, size]) => ({ tick: (tick += direction * step), size }));
}

function bucketsOf(
  levels: readonly OracleLevel[],
  worsening: 1 | -1,
): { farTick: number; widthTicks: number; size: number }[] {
  const round = worsening === -1 ? Math.floor : Math.ceil;
  const sizes = new Map<number, number>();
  for (const { tick, size } of levels) {
    const farTick = round(tick / BUCKET_TICKS) * BUCKET_TICKS;
    sizes.set(farTick, (sizes.get(farTick) ?? 0) + size);
  }
  return [...sizes].map(([farTick, size]) => ({ farTick, widthTicks: BUCKET_TICKS, size }));
}

/** At one exchange time the deeper view is believed first. */
function fineInOrder(views: Parts): View[] {
  return [views.touch && top(views.touch), views.fast, views.slow]
    .filter((part) => part !== undefined)
    .sort((a, b) => b.timeMs - a.timeMs || b.bids.length - a.bids.length);
}

function top(part: View): View {
  return { ...part, bids: part.bids.slice(0, 1), asks: part.asks.slice(0, 1) };
}

function merged(views: Parts): ReturnType<typeof mergeBook> {
  const coarse = views.coarse && {
    timeMs: views.coarse.timeMs,
    bids: bucketsOf(views.coarse.bids, -1).map(({ farTick, size }) => ({ tick: farTick, size })),
    asks: bucketsOf(views.coarse.asks, 1).map(({ farTick, size }) => ({ tick: farTick, size })),
  };
  return mergeBook({
    touch: views.touch && frame(top(views.touch), "touch"),
    fast: views.fast && frame(views.fast, "fast"),
    slow: views.slow && frame(views.slow, "slow"),
    coarse: coarse && frame(coarse, "coarse"),
  });
}

function frame(part: View, source: BookSource): BookFrame {
  return {
    ticker: tickerOf("X"),
    source,
    exchangeTimeMs: part.timeMs,
    arrivedAtMs: 1000 - part.timeMs,
    bids: arrays(part.bids),
    asks: arrays(part.asks),
  };
}

function arrays(levels: readonly OracleLevel[]): BookLevels {
  return {
    prices: Float64Array.from(levels, ({ tick }) => tick),
    sizesBase: Float64Array.from(levels, ({ size }) => size),
  };
}

function levelsOf(book: BookSide | undefined): (readonly [number, number])[] {
  return [...(book?.prices ?? [])].map((price, i) => [price, book?.sizesBase[i] ?? Number.NaN] as const);
}

function expectWellFormed(book: BookSide, worsening: 1 | -1): void {
  let base = 0;
  let usd = 0;
  for (const [i, price] of book.prices.entries()) {
    const sizeBase = book.sizesBase[i] ?? Number.NaN;
    expect(sizeBase).toBeGreaterThan(0);
    if (i > 0) expect((price - (book.prices[i - 1] ?? Number.NaN)) * worsening).toBeGreaterThan(0);
    expect(book.cumulativeBase[i]).toBeCloseTo((base += sizeBase), 9);
    expect(book.cumulativeUsd[i]).toBeCloseTo((usd += sizeBase * price), 6);
  }
}
