import { describe, expect, it } from "vitest";
import { assess } from "../../../src/risk/assess.ts";
import { BTC, position, proposedTrade, walletState } from "../../support/builders.ts";
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
});
