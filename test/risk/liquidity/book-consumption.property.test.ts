import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OrderBook } from "../../../src/domain/book.ts";
import type { Direction } from "../../../src/domain/trade.ts";
import { withoutLiquidity } from "../../../src/risk/liquidity/book-consumption.ts";
import { bookDepthOf, slippageOf, takenSideOf } from "../../../src/risk/liquidity/slippage.ts";
import { book, direction, magnitude } from "../../support/arbitraries.ts";
import { orderBook } from "../../support/builders.ts";

// Mutants killed by hand: the other side taken from; nothing taken; taken twice; the level that is used up kept; the
// whole last level dropped; the mid moved; the second order priced by the levels that are left alone; what was taken
// before forgotten.

const RELATIVE = 1e-9;
const sizeUsd = magnitude(1, 1e8);

describe("withoutLiquidity", () => {
  it("takes the best levels first, in part where the order ends", () => {
    const before = orderBook([[99, 10]], [[101, 1], [102, 2], [103, 5]]); // prettier-ignore

    const after = withoutLiquidity(before, 1, 101 + 102);

    expect([...after.asks.prices]).toEqual([102, 103]);
    expect(after.asks.sizesBase[0]).toBeCloseTo(1, 12);
    expect(after.asks.sizesBase[1]).toBe(5);
    expect(after.bids).toBe(before.bids);
    expect(after.midPrice).toBe(before.midPrice);
  });

  it("drops a level that is used up to the last coin", () => {
    const before = orderBook([[99, 10]], [[101, 1], [102, 2]]); // prettier-ignore

    expect([...withoutLiquidity(before, 1, 101).asks.prices]).toEqual([102]);
    expect([...withoutLiquidity(before, -1, 990).bids.prices]).toEqual([99]);

    const deep = orderBook([[99, 10]], [[101, 1], [102, 2], [103, 3], [104, 4]]); // prettier-ignore
    const left = withoutLiquidity(deep, 1, 101 + 204).asks;
    expect([...left.prices]).toEqual([103, 104]);
    expect([...left.sizesBase]).toEqual([3, 4]);
  });

  it("drops a level that is used up in parts, whatever their rounding leaves of it", () => {
    fc.assert(
      fc.property(
        magnitude(1, 1e6),
        magnitude(1e-3, 1e3),
        fc.integer({ min: 2, max: 9 }),
        (price, size, parts) => {
          const next = 1.01 * price;
          const before = orderBook([[0.99 * price, 1]], [[price, size], [next, 1]]); // prettier-ignore
          let after = before;
          for (let part = 0; part < parts; part++) after = withoutLiquidity(after, 1, (price * size) / parts);

          expect([...after.asks.prices]).toEqual([next]);
        },
      ),
    );
  });

  it("charges the smallest order the first price that is left, however much was taken before", () => {
    const market = { markPrice: 100, sigmaDay: 0.03, volume24hUsd: 1e9 };
    const before = orderBook([[99, 1e6]], [[101, 1e4], [103, 1e6]]); // prettier-ignore

    for (const takenUsd of [1.2e6, 5e6, 5e7]) {
      const after = withoutLiquidity(before, 1, takenUsd);

      for (const usd of [1e-11, 1e-8, 1e-3]) {
        expect(slippageOf({ ...market, book: after }, 1, usd).fillPrice).toBeCloseTo(103, 9);
      }
    }
  });

  it("leaves the last price of a side that was taken whole, and nothing to buy there", () => {
    const before = orderBook([[99, 10]], [[101, 1], [102, 2]]); // prettier-ignore

    const after = withoutLiquidity(before, 1, 1_000_000);

    expect([...after.asks.prices]).toEqual([102]);
    expect(after.asks.cumulativeUsd[0]).toBeLessThan(1e-6);
    expect(after.asks.cumulativeUsd[0]).toBeGreaterThan(0);
    expect(withoutLiquidity(before, 1, 0)).toBe(before);
  });

  it("takes exactly the order's worth of what is visible, from one side", () => {
    fc.assert(
      fc.property(book, direction, sizeUsd, (before, side, usd) => {
        const after = withoutLiquidity(before, side, usd);

        const beforeUsd = visibleUsd(before, side);
        const leftUsd = Math.max(0, beforeUsd - usd);
        expect(Math.abs(visibleUsd(after, side) - leftUsd)).toBeLessThanOrEqual(1e-8 * beforeUsd);
        expect(takenSideOf(after, -side as Direction)).toBe(takenSideOf(before, -side as Direction));
        expect(bookDepthOf(after).depth100BpsUsd).toBeLessThanOrEqual(
          bookDepthOf(before).depth100BpsUsd * (1 + RELATIVE),
        );
      }),
    );
  });

  it("does not care whether it is taken at once or in parts", () => {
    fc.assert(
      fc.property(book, direction, sizeUsd, sizeUsd, (before, side, first, second) => {
        const inParts = takenSideOf(
          withoutLiquidity(withoutLiquidity(before, side, first), side, second),
          side,
        );
        const atOnce = takenSideOf(withoutLiquidity(before, side, first + second), side);

        expect(inParts).toEqual(atOnce);
      }),
    );
  });

  it("makes the costs of a split order add up to the cost of the whole, beyond the visible book too", () => {
    const parts = fc.array(sizeUsd, { minLength: 2, maxLength: 8 });
    const facts = fc.record({ sigmaDay: magnitude(0.005, 0.3), volume24hUsd: magnitude(1e5, 1e10) });
    fc.assert(
      fc.property(book, direction, parts, facts, (before, side, sizes, { sigmaDay, volume24hUsd }) => {
        const market = (left: OrderBook) => ({
          book: left,
          markPrice: before.midPrice,
          sigmaDay,
          volume24hUsd,
        });
        let left = before;
        let coins = 0;
        let previousFill = side > 0 ? 0 : Infinity;
        for (const usd of sizes) {
          const { fillPrice } = slippageOf(market(left), side, usd);
          coins += usd / fillPrice;
          // Each part pays what the one before left.
          if (side > 0) expect(fillPrice).toBeGreaterThanOrEqual(previousFill * (1 - 1e-6));
          else expect(fillPrice).toBeLessThanOrEqual(previousFill * (1 + 1e-6));
          previousFill = fillPrice;
          left = withoutLiquidity(left, side, usd);
        }
        const totalUsd = sizes.reduce((sum, usd) => sum + usd, 0);

        expect(totalUsd / slippageOf(market(before), side, totalUsd).fillPrice / coins).toBeCloseTo(1, 6);
      }),
    );
  });

  it("prices no part of an order below the part before it, nor beyond what the exchange lets an order deviate", () => {
    const parts = fc.array(magnitude(1e4, 3e7), { minLength: 2, maxLength: 8 });
    const facts = fc.record({ sigmaDay: magnitude(0.01, 0.3), volume24hUsd: magnitude(1e5, 1e7) });
    fc.assert(
      fc.property(book, direction, parts, facts, (before, side, sizes, { sigmaDay, volume24hUsd }) => {
        const { midPrice } = before;
        let left = before;
        let previous = 0;
        for (const usd of sizes) {
          const market = { book: left, markPrice: midPrice, sigmaDay, volume24hUsd };
          const { costFraction } = slippageOf(market, side, usd);
          expect(costFraction).toBeGreaterThanOrEqual(previous - 1e-6);
          expect(costFraction).toBeLessThanOrEqual(0.95 + 1e-6);
          previous = costFraction;
          left = withoutLiquidity(left, side, usd);
        }
      }),
    );
  });
});

function visibleUsd(of: OrderBook, side: Direction): number {
  return takenSideOf(of, side).cumulativeUsd.at(-1) ?? 0;
}
