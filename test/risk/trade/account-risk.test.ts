import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position, WalletState } from "../../../src/domain/account.ts";
import type { Ticker } from "../../../src/domain/ids.ts";
import { assessAccount } from "../../../src/risk/assess-account.ts";
import { assess } from "../../../src/risk/assess.ts";
import type { Assessment } from "../../../src/risk/assessment.ts";
import { accountMarginOf } from "../../../src/risk/margin/account-margin.ts";
import { residualsOf } from "../../../src/risk/scenarios/sheet.ts";
import { assessPortfolio } from "../../../src/risk/portfolio/portfolio-assessment.ts";
import { accountTouchOf } from "../../../src/risk/portfolio/liquidation/cross-touch.ts";
import { accountShortfall99Usd, crossPartOf } from "../../../src/risk/trade/account-risk.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../../support/builders.ts";
import { assessInput, assetView, SOL, TEST_SCENARIOS, testViewOf } from "../../support/market.ts";
import { account } from "../../support/market-arbitraries.ts";

describe("accountRiskAfter", () => {
  const poolOf = ({ account, margin }: Pick<Assessment["applied"], "account" | "margin">) =>
    accountTouchOf(account, margin, testViewOf, TEST_SCENARIOS)!;

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

  it("finds no company for a position that the order takes away whole, only the liquidation of the pool that is left", () => {
    const account = walletState(4_500, [
      position({ sizeBase: 0.1 }),
      position({ ticker: ETH, sizeBase: 25, entryPrice: 4_000, leverage: 25 }),
    ]);
    const short = (notionalUsd: number) =>
      assess(assessInput({ account, trade: proposedTrade({ action: "short", notionalUsd, leverage: 10 }) }));
    const half = short(5_000).score.facts;
    const whole = short(10_000);
    const pool = poolOf(whole.applied);

    expect(half.liquidationProbability).toBeGreaterThan(0.01);
    expect(half.correlation).toBeGreaterThan(0.1);
    expect(whole.score.facts).toMatchObject({
      liquidationProbability: pool.liquidation,
      adverseProbability: pool.adverse,
      correlation: null,
    });
  });

  it("is correlated as the closest of its company is, counted against it where it is held the other way", () => {
    const together = (ticker: Ticker): number => {
      const [a, b] = [BTC, ticker].map((one) =>
        residualsOf(TEST_SCENARIOS.sheet, testViewOf(one)!.sheetRow!),
      );
      const product = (x: Float32Array, y: Float32Array): number =>
        x.reduce((sum, z, i) => sum + z * y[i]!, 0);
      return product(a!, b!) / Math.sqrt(product(a!, a!) * product(b!, b!));
    };
    const held = (ethBase: number, solBase: number) =>
      walletState(1e6, [
        position({ ticker: ETH, sizeBase: ethBase, entryPrice: 4_000 }),
        position({ ticker: SOL, sizeBase: solBase, entryPrice: 200 }),
      ]);
    const correlationOf = (account: WalletState, action: "long" | "short"): number | null =>
      assess(assessInput({ account, trade: proposedTrade({ action, notionalUsd: 10_000 }) })).score.facts
        .correlation;

    expect(together(ETH)).toBeGreaterThan(0.3);
    expect(together(SOL)).toBeGreaterThan(0.3);
    expect(correlationOf(held(2, -40), "long")).toBeCloseTo(together(ETH), 6);
    expect(correlationOf(held(2, -40), "short")).toBeCloseTo(together(SOL), 6);
    expect(correlationOf(held(2, 40), "short")).toBeCloseTo(-Math.min(together(ETH), together(SOL)), 6);
    // Less than a tenth of the position is no company.
    expect(correlationOf(held(0.2, -40), "long")).toBeCloseTo(-together(SOL), 6);
    expect(correlationOf(held(0.2, 4), "long")).toBeNull();
  });

  // A cross position of a million and 300 000 behind it.
  const leveraged = position({ sizeBase: 10, entryPrice: 100_000, leverage: 40 });
  const isolatedLong = (equityUsd: number, notionalUsd: number) =>
    assess(
      assessInput({
        account: walletState(equityUsd, [leveraged]),
        asset: assetView(ETH),
        trade: proposedTrade({ ticker: ETH, notionalUsd, leverage: 1, marginMode: "isolated" }),
      }),
    );

  it("holds back an isolated order whose margin brings the cross pool that it is taken from near liquidation", () => {
    const before = walletState(300_000, [leveraged]);
    const drained = isolatedLong(300_000, 272_000);

    const added =
      poolOf(drained.applied).liquidation -
      poolOf({ account: before, margin: accountMarginOf(before, testViewOf) }).liquidation;
    expect(added).toBeGreaterThan(0.2);
    expect(drained.score.facts.poolLiquidationAdded).toBeCloseTo(added, 12);
    expect(drained.score).toMatchObject({ recommendation: "abort" });
    expect(drained.score.flags).toContain("near_liquidation");
  });

  it("counts the first per cents that such an order adds to the pool's probability", () => {
    const { applied, score } = isolatedLong(300_000, 245_000);

    expect(poolOf(applied).liquidation).toBeLessThan(0.05);
    expect(score.facts.poolLiquidationAdded).toBeGreaterThan(0.02);
    expect(score.score).toBeGreaterThan(isolatedLong(300_000, 230_000).score.score + 1);
  });

  it("finds isolated sizes safe only as far as they leave the cross positions far from liquidation", () => {
    const sizing = isolatedLong(300_000, 10_000).sizing!;

    const atMost = isolatedLong(300_000, sizing.maxSafeSizeUsd);
    expect(sizing.reason).toBe("margin_headroom");
    expect(sizing.maxSafeSizeUsd).toBeLessThan(240_000);
    expect(sizing.maxSafeSizeUsd).toBeGreaterThan(100_000);
    expect(poolOf(atMost.applied).liquidation).toBeLessThan(0.02);
    expect(atMost.score.recommendation).toBe("proceed");
  });

  it("judges an order for all of a hedge as one for nearly all of it, by the pool that is left, but never blocks its close", () => {
    const hedged = walletState(4_500, [
      position({ sizeBase: -0.4, entryPrice: 100_000, leverage: 40 }),
      position({ ticker: ETH, sizeBase: 25, entryPrice: 4_000, leverage: 25 }),
    ]);
    const order = (notionalUsd: number, action: "long" | "close" = "long") =>
      assess(assessInput({ account: hedged, trade: proposedTrade({ action, notionalUsd, leverage: 10 }) }));
    const whole = order(40_000);
    const nearly = order(39_999);

    expect(whole.applied.account.positions).toHaveLength(1);
    expect(whole.score.facts.liquidationProbability).toBe(poolOf(whole.applied).liquidation);
    expect(whole.score.facts.adverseProbability).toBe(poolOf(whole.applied).adverse);
    expect(nearly.score.recommendation).toBe("abort");
    expect(whole.score.recommendation).toBe("abort");
    expect(Math.abs(whole.score.score - nearly.score.score)).toBeLessThan(1);
    expect(order(40_000, "close").score).toMatchObject({ recommendation: "proceed" });
  });

  it("charges nothing for a pool that an isolated order hardly touches, near liquidation though it is", () => {
    const small = isolatedLong(40_000, 20);

    expect(poolOf(small.applied).liquidation).toBeGreaterThan(0.1);
    expect(small.score.facts.poolLiquidationAdded).toBeLessThan(0.005);
    expect(small.score.recommendation).toBe("proceed");
  });

  it("adds nothing to the pool for a cross order, whose own probability has it, nor for one that only reduces", () => {
    const account = walletState(40_000, [leveraged]);
    const cross = proposedTrade({ ticker: ETH, notionalUsd: 300_000, leverage: 25 });
    const ofCross = assess(assessInput({ account, asset: assetView(ETH), trade: cross })).score.facts;
    expect(ofCross.liquidationProbability).toBeGreaterThan(0.2);
    expect(ofCross.poolLiquidationAdded).toBe(0);

    // Worth 200,000 and owing 220,000: what the exit lacks comes out of the pool.
    const owing = position({
      ...{ ticker: ETH, sizeBase: 50, entryPrice: 4_000 },
      ...{ marginMode: "isolated", isolatedCashUsd: -220_000 },
    });
    const held = walletState(60_000, [leveraged, owing]);
    const trade = proposedTrade({ ticker: ETH, action: "short", notionalUsd: 200_000, leverage: 1 });
    const { applied, score } = assess(assessInput({ account: held, asset: assetView(ETH), trade }));
    expect(poolOf(applied).liquidation).toBeGreaterThan(
      poolOf({ account: held, margin: accountMarginOf(held, testViewOf) }).liquidation,
    );
    expect(score.facts.poolLiquidationAdded).toBe(0);
  });

  it("finds the pool's probabilities where they are worse than those of the position at the others' marks", () => {
    const account = walletState(40_000, [leveraged]);
    const trade = proposedTrade({ ticker: ETH, notionalUsd: 1_000, leverage: 25 });
    const { applied, score } = assess(assessInput({ account, asset: assetView(ETH), trade }));
    const pool = poolOf(applied);

    expect(pool.liquidation).toBeGreaterThan(0.1);
    expect(score.facts.liquidationProbability).toBe(pool.liquidation);
    expect(score.facts.adverseProbability).toBe(pool.adverse);
  });

  it("does not let isolated equity bear the losses of the cross positions", () => {
    const richIsolated = position({
      ...{ ticker: SOL, sizeBase: 1_000, entryPrice: 200, leverage: 1 },
      ...{ marginMode: "isolated", isolatedCashUsd: 0 },
    });
    const ordered = (others: readonly Position[]) =>
      assess(
        assessInput({
          account: { ...walletState(20_000), positions: others },
          trade: proposedTrade({ notionalUsd: 183_000, leverage: 20 }),
        }),
      );
    const [alone, beside] = [ordered([]), ordered([richIsolated])];

    expect(alone.score.facts.accountLossFraction).toBeGreaterThan(0.4);
    expect(beside.score.facts.accountLossFraction).toBeCloseTo(alone.score.facts.accountLossFraction!, 1);
    expect(beside.score.recommendation).toBe(alone.score.recommendation);
    expect(beside.sizing!.maxSafeSizeUsd / alone.sizing!.maxSafeSizeUsd).toBeCloseTo(1, 1);
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

describe("accountShortfall99Usd", () => {
  it("is the shortfall that the account's own assessment finds, what is not modelled charged too", () => {
    fc.assert(
      fc.property(account, (held) => {
        const cross = held.positions.filter(({ marginMode }) => marginMode === "cross");
        const pool = { ...held, positions: cross };
        const { portfolio } = assessAccount({
          account: pool,
          viewOf: testViewOf,
          scenarios: TEST_SCENARIOS,
          isMarketStale: () => false,
          isWalletStale: false,
        });
        const assessedUsd = portfolio?.assessment.tail.expectedShortfall99Usd ?? 0;

        const lossUsd = accountShortfall99Usd(pool, BTC, testViewOf, TEST_SCENARIOS);

        expect(lossUsd / Math.max(1, assessedUsd)).toBeCloseTo(assessedUsd / Math.max(1, assessedUsd), 9);
      }),
    );
  });

  it("is what the whole account's assessment finds of its cross positions beside isolated ones, charges too", () => {
    let charged = 0;
    fc.assert(
      fc.property(account, (held) => {
        const margin = accountMarginOf(held, testViewOf);
        const { cross } = assessPortfolio(held, margin, testViewOf, TEST_SCENARIOS);
        const pool = crossPartOf(held);
        const isMixed = pool.positions.length > 0 && pool.positions.length < held.positions.length;
        expect(cross !== null).toBe(isMixed);
        if (cross === null) return;
        const known = pool.positions.filter(({ ticker }) => testViewOf(ticker) !== undefined);
        if (known.length > 0 && known.length < pool.positions.length) charged += 1;

        const lossUsd = accountShortfall99Usd(pool, BTC, testViewOf, TEST_SCENARIOS);

        expect(cross.shortfall99Usd / Math.max(1, lossUsd)).toBeCloseTo(lossUsd / Math.max(1, lossUsd), 9);
      }),
      { numRuns: 500 },
    );
    expect(charged).toBeGreaterThan(5);
  });
});
