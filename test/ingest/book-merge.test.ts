import { describe, expect, it } from "vitest";
import type { BookFrame, BookSource, OrderBook } from "../../src/domain/book.ts";
import { parseBook } from "../../src/exchange/hyperliquid/parse-book.ts";
import { mergeBook } from "../../src/ingest/book-merge.ts";
import { sideDepthUsd, slippageFractionOf, type SlippageMarket } from "../../src/risk/liquidity/slippage.ts";
import { hasSharedData, sharedJson } from "../support/shared-data.ts";

describe.skipIf(!hasSharedData)("mergeBook on BTC at four resolutions of one instant", () => {
  const fine = (): BookFrame => recorded("nsf5", "slow");
  const mergedWith = (name: string, significantFigures: number): OrderBook => {
    const book = mergeBook({ slow: fine(), coarse: recorded(name, "coarse") }, significantFigures);
    if (book === null) throw new Error("no book");
    return book;
  };

  it("reaches 3 bps alone, 30 with four figures, 300 with three", () => {
    const alone = mergeBook({ slow: fine() });
    expect(reachBps(alone)).toBeCloseTo(3, 1);
    expect(reachBps(mergedWith("nsf4", 4)) / 30).toBeCloseTo(1, 1);
    expect(reachBps(mergedWith("nsf3", 3)) / 300).toBeCloseTo(1, 1);
  });

  it("holds what the coarse book holds: 114 and 375 M USD", () => {
    expect(depthUsd(mergedWith("nsf4", 4)) / 1e6).toBeCloseTo(114, 0);
    expect(depthUsd(mergedWith("nsf3", 3)) / 1e6).toBeCloseTo(375, 0);
  });

  it.each(["bids", "asks"] as const)(
    "prices and measures %s as the finer views of the instant show",
    (side) => {
      const book = mergedWith("nsf3", 3);
      const truth = mergeBook({ slow: fine(), coarse: recorded("nsf4", "coarse") }, 4)!;
      const market = (of: OrderBook): SlippageMarket => ({
        book: of,
        markPrice: of.midPrice,
        sigmaDay: null,
        volume24hUsd: 0,
      });
      const direction = side === "asks" ? 1 : -1;
      for (const notionalUsd of [1e6, 5e6, 1e7, 2e7, 3e7, 4e7]) {
        const estimated = slippageFractionOf(market(book), direction, notionalUsd);
        const shown = slippageFractionOf(market(truth), direction, notionalUsd);
        expect(estimated / shown).toBeGreaterThan(0.95);
        expect(estimated / shown).toBeLessThan(1.2);
      }
      for (const fraction of [0.001, 0.002, 0.0028]) {
        const share = sideDepthUsd(book, direction, fraction) / sideDepthUsd(truth, direction, fraction);
        expect(share).toBeGreaterThan(0.9);
        expect(share).toBeLessThan(1.15);
      }
    },
  );

  it("leaves the fine levels as they are and adds the rest of the bucket in which they end", () => {
    const book = mergedWith("nsf3", 3);
    const fineBids = fine().bids;
    const coarseBids = recorded("nsf3", "coarse").bids;
    const count = fineBids.prices.length;
    const inBucket = [...fineBids.prices].map((p, i) =>
      p >= 64_800 && p < 64_900 ? (fineBids.sizesBase[i] ?? 0) : 0,
    );

    expect([...book.bids.prices.slice(0, count)]).toEqual([...fineBids.prices]);
    const bucketEnd = book.bids.prices.findIndex((price) => price < 64_800);
    const added = [...book.bids.sizesBase.slice(count, bucketEnd)];
    expect(sumOf(added)).toBeCloseTo((coarseBids.sizesBase[1] ?? 0) - sumOf(inBucket), 9);
    expect(book.midPrice).toBe(64_900.5);
  });
});

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

function recorded(name: string, source: BookSource): BookFrame {
  const parsed = parseBook(sharedJson(`exchange_fixtures/l2book_btc_${name}.json`), source, 1);
  if (!parsed.ok || parsed.value === null) throw new Error(name);
  return parsed.value;
}

function depthUsd(book: OrderBook): number {
  return (book.bids.cumulativeUsd.at(-1) ?? 0) + (book.asks.cumulativeUsd.at(-1) ?? 0);
}

function reachBps(book: OrderBook | null): number {
  return (1 - (book?.bids.prices.at(-1) ?? 0) / (book?.midPrice ?? 1)) * 1e4;
}
