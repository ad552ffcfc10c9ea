import { describe, expect, it } from "vitest";
import type { Direction } from "../../../src/domain/trade.ts";
import {
  depthOf,
  type OrderLiquidity,
  orderLiquidityOf,
  slippageMarketOf,
} from "../../../src/risk/liquidity/order-liquidity.ts";
import type { AssetView } from "../../../src/risk/asset-view.ts";
import { bookSide, BTC, orderBook } from "../../support/builders.ts";
import { assetView, bookStatistics } from "../../support/market.ts";

describe("orderLiquidityOf", () => {
  it("compares both sides' depth within 1 % with what is usual", () => {
    const asset = assetView();
    const depth100BpsUsd = depthOf(asset)!.depth100BpsUsd;
    const usual = { ...asset, bookStatistics: bookStatistics({ medianDepthUsd: 2 * depth100BpsUsd }) };

    expect(depthRatioOf(usual)).toBe(0.5);
  });

  it.each([
    ["no book", { book: null }],
    ["no usual depth", { bookStatistics: null }],
  ])("claims no ratio with %s", (_what, changes) => {
    expect(depthRatioOf(assetView(BTC, changes))).toBeNull();
  });
});

describe("what an order takes of the book", () => {
  // Within 1 % of 100: 2 coins to buy, 3 to sell to; of 7 and 5 in all.
  const asset = assetView(BTC, {
    book: orderBook(
      [
        [99.9, 3],
        [90, 2],
      ],
      [
        [100.1, 2],
        [120, 5],
      ],
    ),
  });
  const takenBy = (direction: Direction, view: AssetView = asset): OrderLiquidity =>
    orderLiquidityOf(view, slippageMarketOf(view), depthOf(view), direction, 50);

  it("is a share of the side that it takes from", () => {
    expect(takenBy(1).bookShare).toBeCloseTo(50 / (2 * 100.1 + 5 * 120), 12);
    expect(takenBy(1).depthShare).toBeCloseTo(50 / (2 * 100.1), 12);
    expect(takenBy(-1).bookShare).toBeCloseTo(50 / (3 * 99.9 + 2 * 90), 12);
    expect(takenBy(-1).depthShare).toBeCloseTo(50 / (3 * 99.9), 12);
  });

  it("is more than there is where nothing is near, no level, or no book", () => {
    const far = assetView(BTC, { book: orderBook([[90, 1]], [[110, 1]]) });
    const empty = assetView(BTC, { book: { ...asset.book!, asks: bookSide([]) } });

    expect(takenBy(1, far)).toMatchObject({ depthShare: Infinity, bookShare: 50 / 110 });
    expect(takenBy(1, empty)).toMatchObject({ depthShare: Infinity, bookShare: Infinity });
    expect(takenBy(1, assetView(BTC, { book: null }))).toMatchObject({
      depthShare: null,
      bookShare: Infinity,
    });
  });
});

function depthRatioOf(asset: AssetView): number | null {
  return orderLiquidityOf(asset, slippageMarketOf(asset), depthOf(asset), 1, 10_000).depthRatio;
}
