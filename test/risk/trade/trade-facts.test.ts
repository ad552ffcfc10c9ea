import { describe, expect, it } from "vitest";
import { assess } from "../../../src/risk/assess.ts";
import type { AssessInput } from "../../../src/risk/assess.ts";
import { buildMarginSchedule, maxLeverageAt } from "../../../src/risk/margin/margin.ts";
import { SCORE_COMPONENTS } from "../../../src/risk/calibration/calibration.ts";
import { raisedFlags } from "../../../src/risk/scoring/raised-flags.ts";
import type { RiskFacts } from "../../../src/risk/scoring/risk-facts.ts";
import { scoreLevels } from "../../../src/risk/scoring/score-levels.ts";
import { ownShortfall99Usd } from "../../../src/risk/trade/account-risk.ts";
import {
  liquidationSigmasOf,
  lossFractionOf,
  marginRatioOf,
  openInterestUtilizationOf,
  shareOf,
  tradeFacts,
  unknownAssetFacts,
} from "../../../src/risk/trade/trade-facts.ts";
import type { TradeAction } from "../../../src/domain/trade.ts";
import { holdPosition } from "../../../src/risk/trade/trade-setting.ts";
import {
  assetContext,
  BTC,
  ETH,
  orderBook,
  position,
  proposedTrade,
  walletState,
} from "../../support/builders.ts";
import {
  assessInput,
  assetView,
  bookStatistics,
  fundingOutlook,
  regimeFacts,
  volatilityFacts,
} from "../../support/market.ts";
import { UNKNOWN_TICKER } from "../../support/market-arbitraries.ts";
import { liquidationAt, settingOf } from "../../support/trade-setting.ts";

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
    const atTheTier = proposedTrade({ notionalUsd: 10_000, leverage: 20 });
    const account = walletState(1_000_000, [large]);
    expect(factsOf({ asset, account, trade: atTheTier }).isAboveTierLeverage).toBe(false);
  });

  it.each([
    ["long", 1],
    ["short", -1],
  ] as const)("measure a %s in volatilities of an hour and of a day", (action, direction) => {
    const trade = proposedTrade({ action, notionalUsd: 500_000, leverage: 10 });
    const { slippage, impact, liquidation, score } = assess(
      assessInput({ account: walletState(60_000), trade }),
    );
    const sigmaHour = 0.0045;
    const sigmaDay = sigmaHour * Math.sqrt(24);

    expect(slippage.costFraction).toBeGreaterThan(0);
    expect(score.facts.slippageSigmas).toBeCloseTo(slippage.costFraction / sigmaHour, 12);
    expect(score.facts.impactSigmas).toBeCloseTo(impact.impactFraction / sigmaHour, 12);
    expect(liquidation.distanceFraction).toBeGreaterThan(0.05);
    expect(score.facts.liquidationSigmas).toBeCloseTo(
      (-direction * Math.log(1 - direction * liquidation.distanceFraction)) / sigmaDay,
      12,
    );
    expect(score.facts.marginSigma).toBeCloseTo(10 * sigmaDay, 12);
  });

  it("lead a long's distance to liquidation up to none, however wild the market is", () => {
    const volatility = volatilityFacts(20);
    const equityUsd = 100_000;
    // From a size that its cash pays for on: 44 % a day, of which even the whole price is only 2.3.
    const risks = Array.from({ length: 600 }, (_, i) => {
      const trade = proposedTrade({ notionalUsd: equityUsd * (0.98 + i / 2000), leverage: 1.2 });
      const { score, liquidation } = assess(
        assessInput({ asset: assetView(BTC, { volatility }), account: walletState(equityUsd), trade }),
      );
      return { score: score.score, price: liquidation.liquidationPrice };
    });
    const steps = risks.slice(1).map((risk, i) => risk.score - risks[i]!.score);

    expect([risks[0]!.price === null, risks.at(-1)!.price === null]).toEqual([true, false]);
    expect(risks.at(-1)!.score - risks[0]!.score).toBeGreaterThan(5);
    expect(Math.max(...steps)).toBeLessThan(1);
  });

  it("count the position that is left, not the order, against liquidation in pieces and open interest", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.9 })]);
    const of = (action: "long" | "short") =>
      factsOf({ account, trade: proposedTrade({ action, notionalUsd: 20_000 }) });

    expect(of("long").positionNotionalUsd).toBeCloseTo(110_000, 6);
    expect(of("long").openInterestShare).toBeCloseTo(110_000 / 2.5e9, 12);
    expect(of("long").orderNotionalUsd).toBe(20_000);
    expect(raisedFlags(of("long"))).toContain("partial_liquidation");
    expect(of("short").positionNotionalUsd).toBeCloseTo(70_000, 6);
    expect(raisedFlags(of("short"))).not.toContain("partial_liquidation");
  });

  it("add to the open interest what an order opens, and nothing for what it closes", () => {
    const base = assetView();
    const openInterest = { ...base.openInterest, openInterestUsd: 900_000, capUsd: 1_000_000 };
    const asset = { ...base, openInterest };
    const utilization = (heldBase: number, notionalUsd: number) =>
      factsOf({
        asset,
        account: walletState(200_000, [position({ sizeBase: heldBase })]),
        trade: proposedTrade({ action: "long", notionalUsd }),
      }).openInterestUtilization;

    expect(utilization(0.5, 50_000)).toBeCloseTo(0.95, 9);
    expect(utilization(-0.5, 150_000)).toBeCloseTo(1, 9);
    expect(utilization(-0.5, 50_000)).toBe(0);
  });

  it("read each probability of the market's regime, and none where it is not known", () => {
    const of = (liquidityRegime: AssessInput["asset"]["liquidityRegime"]) =>
      factsOf({ asset: assetView(BTC, { liquidityRegime }) });

    expect(of(regimeFacts(0.3, 0.2))).toMatchObject({ stressedProbability: 0.3, crisisProbability: 0.2 });
    expect(of(null)).toMatchObject({ stressedProbability: 0, crisisProbability: 0 });
  });

  it("compare the book with its usual depth, and tell how little is traded", () => {
    // 20 levels of two million on each side lie within 1 %.
    const asset = assetView(BTC, {
      bookStatistics: bookStatistics({ medianDepthUsd: 320_000_000 }),
      context: assetContext({ volume24hUsd: 900_000 }),
    });
    const facts = factsOf({ asset, trade: proposedTrade({ notionalUsd: 100 }) });

    expect(facts.depthRatio).toBeCloseTo(0.25, 9);
    expect(facts.participationFraction).toBeCloseTo(100 / 900_000, 12);
    expect(facts.volume24hUsd).toBe(900_000);
    expect(raisedFlags(facts)).toEqual(expect.arrayContaining(["thin_book", "low_volume"]));
  });

  it("call leverage high by the asset's largest where its volatility is not known", () => {
    const asset = assetView(BTC, { volatility: null });
    const isHigh = (leverage: number): boolean =>
      raisedFlags(factsOf({ asset, trade: proposedTrade({ leverage }) })).includes("high_leverage");

    // Three quarters of 40.
    expect([10, 29, 30, 40].map(isHigh)).toEqual([false, false, true, true]);
  });

  it("tell what the day's funding is expected to cost, also the side that receives it now, which no score is charged for", () => {
    const asset = assetView(BTC, { funding: fundingOutlook(-0.0001, { drag24hFraction: 0.01 }) });

    const facts = factsOf({ asset });

    expect(facts.paidFundingShare).toBe(0);
    expect(facts.fundingDragFraction).toBeCloseTo(0.01 * facts.leverage, 12);
    expect(raisedFlags(facts)).toContain("funding_expensive");
    expect(scoreLevels(facts).severities[SCORE_COMPONENTS.indexOf("funding")]).toBe(0);
  });

  it("charge an order against a position the funding of what it opens, and of nothing where it only reduces", () => {
    const asset = assetView(BTC, { funding: fundingOutlook(0.0001, { zScore: 8 }) });
    const fundingOf = (heldBase: number, action: TradeAction, notionalUsd: number, rate = 0.0001) => {
      const { cost, score, agentPaysFunding } = assess(
        assessInput({
          asset: { ...asset, funding: { ...asset.funding, rateHourly: rate, drag24hFraction: 24 * rate } },
          account: walletState(50_000, heldBase === 0 ? [] : [position({ sizeBase: heldBase, leverage: 5 })]),
          trade: proposedTrade({ action, notionalUsd, leverage: 5 }),
        }),
      );
      const severity = scoreLevels(score.facts).severities[SCORE_COMPONENTS.indexOf("funding")]!;
      return {
        agentPaysFunding,
        dragFraction: cost.fundingDrag24hOfMarginFraction,
        factFraction: score.facts.fundingDragFraction,
        isCharged: severity > 0,
      };
    };
    const whole = 5 * 24 * 0.0001;
    const paid = (share: number) => ({
      agentPaysFunding: true,
      dragFraction: expect.closeTo(share * whole, 12) as number,
      factFraction: expect.closeTo(share * whole, 12) as number,
      isCharged: true,
    });
    const nothing = {
      agentPaysFunding: false,
      dragFraction: expect.closeTo(0, 15) as number,
      factFraction: 0,
      isCharged: false,
    };

    expect(fundingOf(-0.1, "long", 4_000)).toEqual(nothing);
    expect(fundingOf(-0.1, "long", 10_000)).toEqual(nothing);
    expect(fundingOf(-0.1, "long", 40_000)).toEqual(paid(0.75));
    expect(fundingOf(0.1, "long", 40_000)).toEqual(paid(1));
    expect(fundingOf(0.1, "short", 4_000)).toEqual(nothing);
    expect(fundingOf(0.1, "short", 40_000)).toMatchObject({
      agentPaysFunding: false,
      dragFraction: expect.closeTo(-0.75 * whole, 12) as number,
      isCharged: false,
    });
    expect(fundingOf(0.1, "short", 40_000, -0.0001)).toEqual(paid(0.75));
    // A close speaks of what it leaves, which is nothing where it closes all, or where there is nothing to close.
    expect(fundingOf(0.1, "close", 4_000)).toMatchObject({ ...paid(1), isCharged: true });
    for (const held of [0.1, -0.1, 0]) expect(fundingOf(held, "close", 40_000)).toEqual(nothing);
  });

  it("count an unusual rate by what of the order pays it: no step where a position is turned round", () => {
    const asset = assetView(BTC, { funding: fundingOutlook(1e-6, { zScore: 10 }) });
    const account = walletState(50_000, [position({ sizeBase: -0.1, leverage: 5 })]);
    const of = (notionalUsd: number) =>
      assess(
        assessInput({ asset, account, trade: proposedTrade({ action: "long", notionalUsd, leverage: 5 }) }),
      );
    const shareOf = (notionalUsd: number): number => of(notionalUsd).score.facts.paidFundingShare;
    const severityOf = (notionalUsd: number): number =>
      scoreLevels(of(notionalUsd).score.facts).severities[SCORE_COMPONENTS.indexOf("funding")]!;

    expect([5_000, 10_000].map(shareOf)).toEqual([0, 0]);
    expect(shareOf(20_000)).toBeCloseTo(0.5, 12);
    expect(shareOf(40_000)).toBeCloseTo(0.75, 12);
    expect(of(10_001).score.score - of(10_000).score.score).toBeLessThan(0.1);
    expect(severityOf(20_000)).toBeCloseTo((0.4 * (5 - 3)) / 7, 12);
    expect(severityOf(40_000)).toBeCloseTo((0.4 * (7.5 - 3)) / 7, 12);
  });

  it("describe a close by the position that it ends: its funding and its leverage, all of it", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.1, leverage: 5 })]);
    const asset = assetView(BTC, { funding: fundingOutlook(0.0001) });
    const trade = proposedTrade({ action: "close", notionalUsd: 4_000 });
    const { cost, agentPaysFunding } = assess(assessInput({ account, asset, trade }));

    expect(agentPaysFunding).toBe(true);
    expect(cost.fundingDrag24hOfMarginFraction).toBeCloseTo(5 * asset.funding.drag24hFraction, 12);
    expect(cost.fundingDrag24hOfMarginFraction).toBeGreaterThan(0);
  });

  it("call nothing concentrated that is all there is, and a part what it is of all that is held", () => {
    const eth = position({ ticker: ETH, sizeBase: -7.5, entryPrice: 4_000, marginMode: "isolated" });
    const trade = proposedTrade({ notionalUsd: 10_000 });

    expect(factsOf({ trade }).concentrationShare).toBe(0);
    expect(factsOf({ trade, account: walletState(1e6, [eth]) }).concentrationShare).toBeCloseTo(0.25, 12);
  });

  it("call the leverage high that the position is left with, not that of an order that only reduces", () => {
    const isHigh = (action: "long" | "short", notionalUsd: number, heldLeverage = 5): boolean => {
      const account = walletState(50_000, [position({ sizeBase: 0.1, leverage: heldLeverage })]);
      const facts = factsOf({ account, trade: proposedTrade({ action, notionalUsd, leverage: 40 }) });
      return raisedFlags(facts).includes("high_leverage");
    };

    expect([isHigh("long", 4_000), isHigh("short", 40_000)]).toEqual([true, true]);
    expect([isHigh("short", 4_000), isHigh("short", 10_000)]).toEqual([false, false]);
    expect(isHigh("short", 4_000, 40)).toBe(true);
  });

  it("let an order at the cap leave the account flat at the size that sizing calls safe, however that is rounded", () => {
    const base = assetView();
    const asset = { ...base, openInterest: { ...base.openInterest, isAtCap: true } };
    const account = walletState(50_000, [position({ sizeBase: -0.1 })]);
    const assessed = (notionalUsd: number) =>
      assess(assessInput({ asset, account, trade: proposedTrade({ notionalUsd }) }));
    const { maxSafeSizeUsd } = assessed(5_000).sizing!;
    expect(maxSafeSizeUsd).toBeCloseTo(10_000, 6);

    for (const rounding of [-1e-12, 0, 1e-12]) {
      const { score, liquidationMode, sizing } = assessed(maxSafeSizeUsd * (1 + rounding));
      expect(raisedFlags(score.facts)).not.toContain("oi_at_cap");
      expect([score.recommendation, liquidationMode]).toEqual(["proceed", "close"]);
      expect(sizing!.suggestedSizeUsd).toBeCloseTo(6_000, 0);
    }
    expect(raisedFlags(assessed(10_001).score.facts)).toContain("oi_at_cap");
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

describe("the facts of a position", () => {
  it("are those of leaving it on its other side of the book, and of its own side's funding", () => {
    const thinBids = orderBook([[99_000, 10]], [[100_001, 1_000]]);
    const asset = assetView(BTC, { book: thinBids, funding: fundingOutlook(0.0001) });
    const factsOfHolding = (sizeBase: number): RiskFacts => {
      const held = position({ sizeBase });
      const setting = settingOf(assessInput({ asset }), walletState(50_000, [held]));
      const liquidation = liquidationAt(setting.account, BTC, setting.viewOf);
      const carried = holdPosition(setting, held, liquidation);
      return tradeFacts(setting, carried, {
        expectedShortfall99Usd: 0,
        crossShortfall99Usd: null,
        poolLiquidationAdded: 0,
        touch: carried.touch,
        correlation: null,
      });
    };
    const [long, short] = [factsOfHolding(0.1), factsOfHolding(-0.1)];

    expect(long.slippageFraction).toBeCloseTo(short.slippageFraction!, 6);
    expect(long.depthShare).toBeGreaterThan(10 * short.depthShare!);
    expect([long.paidFundingShare, short.paidFundingShare]).toEqual([1, 0]);
  });

  it("count an isolated one's own loss where that is the worse", () => {
    const asset = assetView();
    const isolated = { marginMode: "isolated", sizeBase: 1, notionalUsd: 100_000 } as const;
    const ownUsd = ownShortfall99Usd(asset, 1, 100_000)!;
    const lossOf = (poolEquityUsd: number, sizeBase = 1): number =>
      lossFractionOf(asset, 10_000, { ...isolated, sizeBase, poolEquityUsd }, 5_000, null)!;

    expect(lossOf(1_000)).toBe(ownUsd / 1_000);
    expect(lossOf(1e9)).toBe(0.5);
    expect(lossOf(0, 0)).toBe(0.5);
  });

  it("count what a cross one's pool loses without the isolated ones where that is the worse of its equity", () => {
    const cross = { marginMode: "cross", sizeBase: 1, notionalUsd: 100_000 } as const;
    const lossOf = (poolEquityUsd: number, crossShortfallUsd: number | null, sizeBase = 1): number =>
      lossFractionOf(assetView(), 10_000, { ...cross, sizeBase, poolEquityUsd }, 5_000, crossShortfallUsd)!;

    expect(lossOf(2_000, 1_500)).toBe(0.75);
    expect(lossOf(2_000, 800)).toBe(0.5);
    expect(lossOf(2_000, null)).toBe(0.5);
    expect(lossOf(2_000, 1_500, 0)).toBe(0.5);
  });

  it("know no ratio without a position or a maintenance, an infinite one without equity, and none of a cap that is not known", () => {
    const pool = { poolMaintenanceUsd: 5, poolEquityUsd: 10, sizeBase: 1 };

    expect(marginRatioOf(pool)).toBe(0.5);
    expect(marginRatioOf({ ...pool, sizeBase: 0 })).toBe(0);
    expect(marginRatioOf({ ...pool, poolMaintenanceUsd: 0, poolEquityUsd: -1 })).toBe(0);
    expect(marginRatioOf({ ...pool, poolEquityUsd: -1 })).toBe(Infinity);
    expect([shareOf(1, 4), shareOf(1, 0), shareOf(1, -4), shareOf(0, 0)]).toEqual([
      0.25,
      Infinity,
      Infinity,
      0,
    ]);
    const openInterest = { ...assetView().openInterest, capUsd: 0 };
    expect(openInterestUtilizationOf(openInterest, 1)).toBe(0);
  });

  it("put a liquidation that is now no volatilities away, also where none is known", () => {
    const sigmas = [100, 90, null].map((liquidationPrice) =>
      liquidationSigmasOf({ liquidationPrice, markPrice: 100 }, undefined),
    );

    expect(sigmas).toEqual([0, null, Infinity]);
  });

  it("in an asset of which nothing is known are stale, and of the collateral that is known", () => {
    const held = position({ ticker: UNKNOWN_TICKER, sizeBase: 10, entryPrice: 10 });
    const account = { ...walletState(1_000, [held]), isCollateralKnown: false };
    const liquidation = liquidationAt(account, UNKNOWN_TICKER, () => undefined);

    expect(unknownAssetFacts(account, held, liquidation, false)).toMatchObject({
      isMarketStale: true,
      isWalletStale: false,
      isCollateralUnknown: true,
      hasUnpricedPosition: true,
    });
  });

  it("in an asset of which nothing is known are those that the account alone tells", () => {
    const held = position({ ticker: UNKNOWN_TICKER, sizeBase: 10, entryPrice: 10, leverage: 5 });
    const account = walletState(50, [held]);
    const liquidation = liquidationAt(account, UNKNOWN_TICKER, () => undefined);

    // A notional of 100 on 50; maintenance is half of the 20 that it was opened with.
    expect(unknownAssetFacts(account, held, liquidation, true)).toMatchObject({
      isWalletStale: true,
      adlRank: 2,
      marginRatio: 0.2,
      positionNotionalUsd: 100,
      leverage: 5,
    });
  });

  it("share the account with isolated ones", () => {
    const isolated = position({
      ticker: ETH,
      sizeBase: 5,
      entryPrice: 4_000,
      marginMode: "isolated",
      isolatedCashUsd: -15_000,
    });

    const { concentrationShare } = factsOf({
      account: walletState(50_000, [isolated]),
      trade: proposedTrade({ notionalUsd: 60_000 }),
    });

    expect(concentrationShare).toBeCloseTo(0.75, 10);
  });
});

describe("a trade's coins", () => {
  it("are those of its notional at the mark, not at the mid", () => {
    const asset = assetView(BTC, { context: assetContext({ markPrice: 100_000, midPrice: 98_000 }) });
    const account = walletState(50_000, [position({ sizeBase: 0.1 })]);
    const { applied, score } = assess(
      assessInput({ asset, account, trade: proposedTrade({ action: "close", notionalUsd: 10_000 }) }),
    );

    expect(applied.position).toBeNull();
    expect(score.facts.isCloseOversized).toBe(false);
  });
});

function tiered(): AssessInput["asset"]["marginSchedule"] {
  return buildMarginSchedule([
    { notionalLowerUsd: 0, maxLeverage: 40 },
    { notionalLowerUsd: 1_000_000, maxLeverage: 20 },
  ]);
}
