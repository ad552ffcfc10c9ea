import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  averagePriceOf,
  buildBook,
  type BookShape,
  takeFrom,
  touchOf,
  wireBook,
} from "../../src/simulator/simulated-book.ts";
import { magnitude } from "../support/arbitraries.ts";

/** Markets from 0.0001 to 200,000 USD, from razor-thin to very deep, with prices just around powers of ten as well. */
const shape: fc.Arbitrary<BookShape> = fc
  .record({
    seed: fc.integer(),
    timeMs: fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
    midPrice: fc.oneof(
      magnitude(1e-3, 2e5),
      fc
        .tuple(fc.integer({ min: -3, max: 5 }), magnitude(0.99, 1.01))
        .map(([power, near]) => near * 10 ** power),
    ),
    halfSpreadFraction: magnitude(1e-6, 0.02),
    bidDepth50Usd: magnitude(100, 1e8),
    askDepth50Usd: magnitude(100, 1e8),
  })
  .map((drawn) => ({ ...drawn, szDecimals: drawn.midPrice > 1000 ? 4 : drawn.midPrice > 10 ? 2 : 0 }));
const runs = { numRuns: 60 };

/** The exchange's rule, on the text that goes over the wire. */
function obeysTickRule(price: string, szDecimals: number): boolean {
  const [whole, fraction = ""] = price.replace(/\.0$/, "").split(".");
  if (fraction === "") return true;
  const figures = `${whole}${fraction}`.replace(/^0+/, "").length;
  return figures <= 5 && fraction.length <= 6 - szDecimals;
}

/** Mutants seen to fail here: bids bucketed upwards. */
describe("the ladder", () => {
  it("is never crossed or locked, strictly ordered, on the price grid, with sizes in whole lots", () => {
    fc.assert(
      fc.property(shape, (market) => {
        const book = buildBook(market);
        expect(book.bids.prices[0]!).toBeLessThan(book.asks.prices[0]!);
        expect({ bid: book.bids.prices[0], ask: book.asks.prices[0] }).toEqual(touchOf(market));
        const [bids, asks] = wireBook("X", book, {}).levels;
        for (const { px, sz } of [...bids, ...asks]) {
          expect(obeysTickRule(px, market.szDecimals), px).toBe(true);
          expect(Number(sz)).toBeGreaterThan(0);
          expect(sz.replace(/\.0$/, "").split(".")[1]?.length ?? 0).toBeLessThanOrEqual(market.szDecimals);
        }
        for (const [side, outward] of [
          [book.bids, -1],
          [book.asks, 1],
        ] as const) {
          for (let i = 1; i < side.prices.length; i++)
            expect(outward * (side.prices[i]! - side.prices[i - 1]!)).toBeGreaterThan(0);
        }
      }),
      runs,
    );
  });

  it("has two prices at its touch where the mid is on the grid or below its first tick", () => {
    const touchAt = (midPrice: number, halfSpreadFraction: number, szDecimals: number) =>
      touchOf({
        seed: 5,
        timeMs: 0,
        midPrice,
        halfSpreadFraction,
        szDecimals,
        bidDepth50Usd: 1e6,
        askDepth50Usd: 1e6,
      });

    expect(touchAt(100, 0, 2)).toEqual({ bid: 100, ask: 100.01 });
    expect(touchAt(0.004, 1e-4, 4)).toEqual({ bid: 0.01, ask: 0.02 });
  });

  it("reaches at least 300 bps and holds about the asked depth within 50 bps", () => {
    const market = {
      seed: 5,
      timeMs: 1_795_190_832_000,
      szDecimals: 4,
      midPrice: 3051.13,
      halfSpreadFraction: 2e-5,
      bidDepth50Usd: 4e7,
      askDepth50Usd: 2e7,
    };
    const depths = Array.from({ length: 40 }, (_, i) => {
      const { bids } = buildBook({ ...market, seed: i });
      expect(bids.prices.at(-1)!).toBeLessThan(0.97 * market.midPrice);
      return bids.prices.reduce(
        (sum, price, level) => sum + (price > 0.995 * market.midPrice ? price * bids.sizes[level]! : 0),
        0,
      );
    });
    const mean = depths.reduce((sum, usd) => sum + usd, 0) / depths.length;
    expect(mean / 4e7).toBeGreaterThan(0.9);
    expect(mean / 4e7).toBeLessThan(1.1);
  });

  it("gives the same levels when built only as far as a notional needs", () => {
    fc.assert(
      fc.property(shape, magnitude(100, 1e6), (market, usd) => {
        const [whole, near] = [buildBook(market), buildBook(market, usd)];
        expect(whole.bids.prices.slice(0, near.bids.prices.length)).toEqual(near.bids.prices);
        expect(whole.asks.sizes.slice(0, near.asks.sizes.length)).toEqual(near.asks.sizes);
        expect(averagePriceOf(near.asks, usd * 0.999)).toBe(averagePriceOf(whole.asks, usd * 0.999));
      }),
      runs,
    );
  });

  it("prices a notional as taking its base size does", () => {
    fc.assert(
      fc.property(shape, magnitude(100, 1e5), (market, usd) => {
        const { asks } = buildBook(market);
        const average = averagePriceOf(asks, usd);
        if (average === undefined) return;
        // Within the best level the average is its price, but for the rounding of a division.
        expect(average).toBeGreaterThanOrEqual(asks.prices[0]! * (1 - 1e-12));
        expect(takeFrom(asks, usd / average).averagePrice / average).toBeCloseTo(1, 9);
      }),
      runs,
    );
  });
});

describe("views of one instant", () => {
  const views = [
    { nSigFigs: 2 },
    { nSigFigs: 3 },
    { nSigFigs: 4 },
    { nSigFigs: 5 },
    { nSigFigs: 5, mantissa: 2 },
    { nSigFigs: 5, mantissa: 5 },
  ];

  it("rounds each price by its own digits: in finer steps below a power of ten", () => {
    const market = {
      seed: 3,
      timeMs: 1_795_190_832_000,
      szDecimals: 1,
      midPrice: 1.0035,
      halfSpreadFraction: 1e-3,
      bidDepth50Usd: 1e5,
      askDepth50Usd: 1e5,
    };
    const [bids] = wireBook("X", buildBook(market), { nSigFigs: 3 }).levels;
    const prices = bids.map(({ px }) => Number(px));

    expect(prices.slice(0, 4)).toEqual([1, 0.999, 0.998, 0.997]);
    expect(prices).toHaveLength(20);
  });

  it("buckets hold exactly the raw sizes and orders between their edges, bids downwards and asks upwards", () => {
    fc.assert(
      fc.property(shape, fc.constantFrom(...views), (market, view) => {
        const book = buildBook(market);
        const [bids, asks] = wireBook("X", book, view).levels;
        for (const [levels, side, outward] of [
          [bids, book.bids, -1],
          [asks, book.asks, 1],
        ] as const) {
          let from = 0;
          for (const { px, sz, n } of levels) {
            let [size, orders] = [0, 0];
            for (
              ;
              from < side.prices.length && outward * (side.prices[from]! - Number(px)) <= 1e-9 * Number(px);
              from++
            ) {
              size += side.sizes[from]!;
              orders += side.orderCounts[from]!;
            }
            expect(Number(sz) / size).toBeCloseTo(1, 9);
            expect(n).toBe(orders);
          }
          expect(levels.length).toBeLessThanOrEqual(20);
        }
        if (bids.length > 0 && asks.length > 0)
          expect(Number(bids[0]!.px)).toBeLessThanOrEqual(Number(asks[0]!.px));
      }),
      runs,
    );
  });

  it("show the fast feed as the first five levels of the slow one, and a spread only when aggregated", () => {
    fc.assert(
      fc.property(shape, (market) => {
        const book = buildBook(market);
        const [slow, fast] = [wireBook("X", book, {}), wireBook("X", book, { fast: true })];
        expect(fast.levels).toEqual(slow.levels.map((side) => side.slice(0, 5)));
        expect(fast.fast).toBe(true);
        expect(slow).not.toHaveProperty("spread");
        expect(wireBook("X", book, { nSigFigs: 4 })).toHaveProperty("spread");
      }),
      runs,
    );
  });

  it("step as the exchange's do on BTC near 84,000: 1, 2, 5, 10, 100, 1000", () => {
    const book = buildBook({
      seed: 1,
      timeMs: 0,
      szDecimals: 5,
      midPrice: 84_017.3,
      halfSpreadFraction: 6e-6,
      bidDepth50Usd: 6e7,
      askDepth50Usd: 6e7,
    });
    const steps = [views[3]!, views[4]!, views[5]!, views[2]!, views[1]!, views[0]!].map((view) => {
      const prices = wireBook("BTC", book, view).levels[0].map(({ px }) => Number(px));
      return Math.min(...prices.slice(1).map((price, i) => prices[i]! - price));
    });
    expect(steps).toEqual([1, 2, 5, 10, 100, 1000]);
  });
});
