import { describe, expect, it } from "vitest";
import { depthOf, orderLiquidityOf, slippageMarketOf } from "../../../src/risk/liquidity/order-liquidity.ts";
import type { AssetView } from "../../../src/risk/asset-view.ts";
import { BTC } from "../../support/builders.ts";
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

function depthRatioOf(asset: AssetView): number | null {
  return orderLiquidityOf(asset, slippageMarketOf(asset), depthOf(asset), 1, 10_000).depthRatio;
}
