import { describe, expect, it } from "vitest";
import { assess } from "../../../src/risk/assess.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../../support/builders.ts";
import { assessInput, assetView } from "../../support/market.ts";

describe("accountRiskAfter", () => {
  it("finds nothing to lose in an order that leaves nothing, not even where no model knows the asset", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.1 })]);
    const trade = proposedTrade({ action: "short", notionalUsd: 10_000, leverage: 10 });

    for (const tails of [assetView().tails, null]) {
      const { score, applied } = assess(assessInput({ account, trade, asset: assetView(BTC, { tails }) }));

      expect(applied.account.positions).toEqual([]);
      expect(score.facts.accountLossFraction).toBe(0);
      expect(score.flags).not.toContain("risk_model_unavailable");
    }
  });

  it("finds no liquidation to fear, and no company, for a position that the order takes away whole", () => {
    const account = walletState(4_500, [
      position({ sizeBase: 0.1 }),
      position({ ticker: ETH, sizeBase: 25, entryPrice: 4_000, leverage: 25 }),
    ]);
    const factsOf = (notionalUsd: number) => {
      const trade = proposedTrade({ action: "short", notionalUsd, leverage: 10 });
      return assess(assessInput({ account, trade })).score.facts;
    };

    expect(factsOf(5_000).liquidationProbability).toBeGreaterThan(0.01);
    expect(factsOf(5_000).correlation).toBeGreaterThan(0.1);
    expect(factsOf(10_000)).toMatchObject({
      liquidationProbability: 0,
      adverseProbability: 0,
      correlation: null,
    });
  });

  it("knows neither the loss nor the liquidation of an asset without a model, whatever else is held", () => {
    const account = walletState(50_000, [position({ ticker: ETH, sizeBase: 2, entryPrice: 4_000 })]);

    const { score } = assess(assessInput({ account, asset: assetView(BTC, { tails: null }) }));

    expect(score.facts).toMatchObject({
      accountLossFraction: null,
      liquidationProbability: null,
      adverseProbability: null,
    });
    expect(score.flags).toContain("risk_model_unavailable");
  });
});
