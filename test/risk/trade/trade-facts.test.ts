import { describe, expect, it } from "vitest";
import { assess } from "../../../src/risk/assess.ts";
import type { AssessInput } from "../../../src/risk/assess.ts";
import { buildMarginSchedule, maxLeverageAt } from "../../../src/risk/margin/margin.ts";
import type { RiskFacts } from "../../../src/risk/scoring/risk-facts.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../../support/builders.ts";
import { assessInput, assetView, fundingOutlook } from "../../support/market.ts";

const factsOf = (changes: Partial<AssessInput>): RiskFacts => assess(assessInput(changes)).score.facts;

describe("the facts of a trade", () => {
  it("rank a position for auto-deleveraging by its gain since it was opened and its leverage", () => {
    const rankOf = (entryPrice: number, sizeBase: number): number => {
      const held = position({ sizeBase, entryPrice });
      const account = { ...walletState(0, [held]), crossCashUsd: 50_000 - sizeBase * 100_000 };
      const trade = proposedTrade({ action: sizeBase > 0 ? "short" : "long", notionalUsd: 1 });
      return factsOf({ account, trade }).adlRank;
    };

    expect(rankOf(100_000, 1)).toBeCloseTo(2, 3);
    expect(rankOf(50_000, 1)).toBeCloseTo(4, 3);
    expect(rankOf(200_000, -1)).toBeCloseTo(4, 3);
  });

  it("measure the leverage of what is opened against the tier of the whole position", () => {
    const asset = assetView(BTC, { marginSchedule: tiered() });
    const large = position({ sizeBase: 20, entryPrice: 100_000, leverage: 20 });
    const isAbove = (action: "long" | "short", positions = [large]): boolean =>
      factsOf({
        asset,
        account: walletState(1_000_000, positions),
        trade: proposedTrade({ action, notionalUsd: 10_000, leverage: 30 }),
      }).isAboveTierLeverage;

    expect([maxLeverageAt(asset.marginSchedule, 10_000), maxLeverageAt(asset.marginSchedule, 2e6)]).toEqual([
      40, 20,
    ]);
    expect(isAbove("long")).toBe(true);
    expect(isAbove("short")).toBe(false);
    expect(isAbove("long", [])).toBe(false);
  });

  it("charge no funding to the side that receives it now, whatever the day is expected to bring", () => {
    const asset = assetView(BTC, { funding: fundingOutlook(-0.0001, { drag24hFraction: 0.01 }) });

    expect(factsOf({ asset })).toMatchObject({ agentPaysFunding: false, fundingDragFraction: 0 });
  });

  it("call nothing usual or unusual of a funding without a history", () => {
    const asset = assetView(BTC, { funding: fundingOutlook(0, { zScore: 3, historyHours: 0 }) });

    expect(factsOf({ asset }).fundingZ).toBeNull();
  });

  it("find a position without a model only while it is held", () => {
    const asset = assetView(ETH, { tails: null });
    const account = walletState(50_000, [position({ ticker: ETH, sizeBase: 1, entryPrice: 4_000 })]);
    const isUnpriced = (notionalUsd: number): boolean =>
      factsOf({ asset, account, trade: proposedTrade({ ticker: ETH, action: "short", notionalUsd }) })
        .hasUnpricedPosition;

    expect([isUnpriced(3_000), isUnpriced(4_000), isUnpriced(5_000)]).toEqual([true, false, true]);
  });

  it("tell accounts whose collateral is shared with their spot balances", () => {
    const modes = ["standard", "unified", "portfolio_margin", "unknown"] as const;

    expect(modes.map((mode) => factsOf({ account: { ...walletState(), mode } }).isUnifiedAccount)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("call a wallet that could not be read missing, not of unknown collateral", () => {
    const trade = proposedTrade({ action: "close" });

    expect(factsOf({ account: null, trade })).toMatchObject({
      isWalletMissing: true,
      isCollateralUnknown: false,
    });
  });
});

function tiered(): AssessInput["asset"]["marginSchedule"] {
  return buildMarginSchedule([
    { notionalLowerUsd: 0, maxLeverage: 40 },
    { notionalLowerUsd: 1_000_000, maxLeverage: 20 },
  ]);
}
