import { describe, expect, it } from "vitest";
import {
  bookDepthOf,
  fillPriceOf,
  levelReaching,
  slippageOf,
  type SlippageMarket,
  takenSideOf,
} from "../../../src/risk/liquidity/slippage.ts";
import { notionalAtSlippageUsd } from "../../../src/risk/liquidity/slippage-limit.ts";
import { walkByDefinition } from "../../oracle/book-walk.ts";
import { bookSide, orderBook } from "../../support/builders.ts";
import { recordedBooks } from "../../support/recorded-books.ts";
import { hasSharedData, sharedJson } from "../../support/shared-data.ts";
import { forEachVector, vectorMismatches } from "../../support/vectors.ts";

const BOOK = orderBook(
  [
    [99.9, 4],
    [99.7, 12],
    [99.2, 30],
    [98, 60],
  ],
  [
    [100.1, 5],
    [100.2, 10],
    [100.5, 20],
    [101, 50],
  ],
);
const MARKET: SlippageMarket = { book: BOOK, markPrice: 100, sigmaDay: 0.04, volume24hUsd: 1e6 };

describe("slippageOf", () => {
  it("pays the first two levels for 1000 USD", () => {
    // 500.5 USD at 100.1, the other 499.5 at 100.2
    const bought = slippageOf(MARKET, 1, 1000);

    expect(bought.fillPrice).toBeCloseTo(100.1499250375, 9);
    expect(bought.costFraction * 1e4).toBeCloseTo(14.99250375, 7);
    expect(bought.midPrice).toBe(100);
  });

  it("sells down, at a positive cost", () => {
    const sold = slippageOf(MARKET, -1, 3000);

    expect(sold.fillPrice).toBeCloseTo(99.4918427, 6);
    expect(sold.costFraction * 1e4).toBeCloseTo(50.81572613, 7);
  });

  it("costs half the spread for nothing", () => {
    expect(slippageOf(MARKET, 1, 0)).toMatchObject({ fillPrice: 100.1 });
    expect(slippageOf(MARKET, 1, 0).costFraction).toBeCloseTo(0.001, 12);
  });

  it("prices what the book does not hold beyond its last level", () => {
    const bought = slippageOf(MARKET, 1, 9000);

    // The visible 8562.5 USD average 100.7353; the rest pays more than 101.
    expect(bought.fillPrice).toBeGreaterThan((100.735294117647 * 8562.5 + 101 * 437.5) / 9000 - 1e-3);
    expect(bought.fillPrice).toBeLessThan(101);
  });

  it("leaves the depth curve where it is no longer believed: 5 % from mid", () => {
    // 1000 USD at every tenth of a percent to 1 %: what lies up to 5 % goes with the distance to the power of 1.25.
    const levels = Array.from({ length: 10 }, (_, i) => 100 + (i + 1) / 10);
    const asks = bookSide(levels.map((price) => [price, 1000 / price]));
    const visibleBase = levels.reduce((sum, price) => sum + 1000 / price, 0);
    const curveUsd = 10_000 * (5 ** 1.25 - 1);
    const curvePercent = (5 ** 2.25 - 1) / (1.8 * (5 ** 1.25 - 1));

    const bought = slippageOf({ ...MARKET, book: { ...BOOK, asks } }, 1, 10_000 + curveUsd + 2500);

    // The last 2500 USD are a four-hundredth of the day's volume: an impact of a twentieth of 4 %.
    const base = visibleBase + curveUsd / (100 + curvePercent) + 2500 / 105.2;
    expect(bought.fillPrice).toBeCloseTo((10_000 + curveUsd + 2500) / base, 10);
  });

  it("goes on from a single level as from the last of many", () => {
    const asks = bookSide([[100.1, 1000 / 100.1]]);

    const bought = slippageOf({ ...MARKET, book: { ...BOOK, asks } }, 1, 3000);

    // Up to a tenth of a percent from mid 1000 USD, to the power of 1.25 of the distance 3000.
    const curvePercent = (0.1 * (3 ** 1.8 - 1)) / (1.8 * 2);
    expect(bought.fillPrice).toBeCloseTo(3000 / (1000 / 100.1 + 2000 / (100 + curvePercent)), 10);
  });

  it("is no better beyond a level than there, be it further away than an order may be", () => {
    const asks = bookSide([[250, 1]]);

    expect(slippageOf({ ...MARKET, book: { ...BOOK, asks } }, 1, 1e6).fillPrice).toBeCloseTo(250, 9);
  });

  it("stays finite and positive for an order a thousand times the book", () => {
    const sold = slippageOf(MARKET, -1, 1e8);

    expect(sold.fillPrice).toBeGreaterThan(0);
    expect(sold.costFraction).toBeGreaterThan(0.3);
    expect(sold.costFraction).toBeLessThan(0.96);
  });

  it("fails towards caution without a book: 5 % is where the pricing starts", () => {
    const blind = slippageOf({ ...MARKET, book: null }, 1, 1000);

    expect(blind.midPrice).toBe(100);
    expect(blind.costFraction).toBeCloseTo(0.05 + 0.04 * Math.sqrt(1000 / 1e6), 12);
  });
});

describe("bookDepthOf", () => {
  it("sums both sides within 50 and 100 bps, bounds included, and leans to the heavier side", () => {
    const depth = bookDepthOf(BOOK);
    const bid50 = 99.9 * 4 + 99.7 * 12;
    const ask50 = 100.1 * 5 + 100.2 * 10 + 100.5 * 20;

    expect(depth.depth50BpsUsd).toBeCloseTo(bid50 + ask50, 8);
    expect(depth.depth100BpsUsd).toBeCloseTo(bid50 + 99.2 * 30 + ask50 + 101 * 50, 8);
    expect(depth.imbalance).toBeCloseTo((bid50 - ask50) / (bid50 + ask50), 12);
    expect(depth.spreadFraction).toBeCloseTo(0.002, 12);
  });

  it("counts a price at the bound, however that is rounded", () => {
    for (let tenths = 1; tenths <= 200; tenths++) {
      // Exact decimals, each the double next to it.
      const [bid, mid, ask] = [(995 * tenths) / 10_000, tenths / 10, (1005 * tenths) / 10_000];
      const book = { ...orderBook([[bid, 1]], [[ask, 1]]), midPrice: mid };
      expect(bookDepthOf(book).depth50BpsUsd).toBeCloseTo(2 * mid, 9);
    }
  });

  it("is balanced at 0 when nothing is near", () => {
    expect(bookDepthOf(orderBook([[90, 1]], [[110, 1]]))).toMatchObject({ depth50BpsUsd: 0, imbalance: 0 });
  });

  it("has no spread where a side is empty", () => {
    const oneSided = [{ asks: bookSide([]) }, { bids: bookSide([]) }];
    expect(oneSided.map((side) => bookDepthOf({ ...BOOK, ...side }).spreadFraction)).toEqual([0, 0]);
  });
});

describe("levelReaching", () => {
  it("is the first level with which there is enough, the number of levels where there never is", () => {
    const { asks } = BOOK;
    const levels = [0, 500.5, 500.6, 1502.5, 8562.5, 8563].map((usd) => levelReaching(asks, usd));

    expect(levels).toEqual([0, 0, 1, 1, 3, 4]);
  });
});

describe("notionalAtSlippageUsd", () => {
  it("is 0 inside the half spread and the whole side when all of it is within", () => {
    expect(notionalAtSlippageUsd(BOOK, 1, 0.0009)).toBe(0);
    expect(notionalAtSlippageUsd(BOOK, 1, 0.01)).toBeCloseTo(8562.5, 9);
  });
});

describe("oracle vectors", () => {
  forEachVector("book_walk", (vector) => {
    const input = vector.input as { asks: [number, number][]; bids: [number, number][]; size_usd: number };
    const book = orderBook(input.bids, input.asks);
    const walked = (direction: 1 | -1): object => {
      const filledUsd = Math.min(input.size_usd, takenSideOf(book, direction).cumulativeUsd.at(-1)!);
      const averagePrice = fillPriceOf({ ...MARKET, book }, direction, filledUsd);
      return {
        filled_usd: filledUsd,
        unfilled_usd: input.size_usd - filledUsd,
        avg_price: averagePrice,
        slippage_bps: (1e4 * direction * (averagePrice - book.midPrice)) / book.midPrice,
      };
    };

    expect(vectorMismatches(vector, { mid: book.midPrice, buy: walked(1), sell: walked(-1) })).toEqual([]);
  });
});

describe.skipIf(!hasSharedData)("recorded books", () => {
  it.each(["BTC", "ETH", "SOL", "WLFI"])("walks %s as the definition does, at every size", (coin) => {
    for (const book of recordedBooks(coin, 400)) {
      for (const direction of [1, -1] as const) {
        const side = takenSideOf(book, direction);
        const wholeUsd = side.cumulativeUsd.at(-1)!;
        for (const share of [1e-6, 0.01, 0.2, 0.5, 0.999, 1]) {
          const { filledUsd, filledBase } = walkByDefinition(side, share * wholeUsd);
          const fillPrice = fillPriceOf({ ...MARKET, book }, direction, share * wholeUsd);
          expect((fillPrice * filledBase) / filledUsd).toBeCloseTo(1, 9);
        }
      }
    }
  });

  it("extrapolates the 20 finest levels of BTC to what the coarser view of the same instant shows", () => {
    const bookOf = (file: string) => {
      const wire = sharedJson(`exchange_fixtures/${file}`) as { levels: { px: string; sz: string }[][] };
      const side = (i: number) =>
        wire.levels[i]!.map(({ px, sz }): [number, number] => [Number(px), Number(sz)]);
      return orderBook(side(0), side(1));
    };
    const fine = bookOf("l2book_btc_nsf5_m5.json");
    const coarse = bookOf("l2book_btc_nsf4.json");
    const market = (book: SlippageMarket["book"]): SlippageMarket => ({
      book,
      markPrice: fine.midPrice,
      sigmaDay: 0.03,
      volume24hUsd: 3e9,
    });
    for (const direction of [1, -1] as const) {
      const notionalUsd = 1.2 * takenSideOf(fine, direction).cumulativeUsd.at(-1)!;
      const guessed = slippageOf(market(fine), direction, notionalUsd);
      const shown = slippageOf(market(coarse), direction, notionalUsd);

      expect(guessed.costFraction / shown.costFraction).toBeGreaterThan(0.3);
      expect(guessed.costFraction / shown.costFraction).toBeLessThan(3);
    }
  });
});
