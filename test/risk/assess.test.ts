import { describe, expect, it } from "vitest";
import type { MarginMode } from "../../src/domain/account.ts";
import { assess, type AssessInput } from "../../src/risk/assess.ts";
import { buildMarginSchedule } from "../../src/risk/margin/margin.ts";
import { buildOpenInterest } from "../../src/risk/liquidity/open-interest.ts";
import { explainScore } from "../../src/risk/scoring/explanation.ts";
import { STRESS_SCENARIOS } from "../../src/risk/stress/stress-scenarios.ts";
import type { VolatilityWarning } from "../../src/risk/volatility/volatility-model.ts";
import {
  assetContext,
  assetListing,
  BTC,
  ETH,
  evenBook,
  position,
  proposedTrade,
  walletState,
} from "../support/builders.ts";
import {
  assessInput,
  assetView,
  bookStatistics,
  fundingOutlook,
  SOL,
  volatilityFacts,
} from "../support/market.ts";
import { UNKNOWN_TICKER } from "../support/market-arbitraries.ts";

describe("assess", () => {
  it("finds a small funded trade safe and says nothing against it", () => {
    const assessment = assess(assessInput());

    expect(assessment.score.recommendation).toBe("proceed");
    expect(assessment.score.flags).toEqual([]);
    expect(assessment.score.score).toBeLessThan(15);
    expect(assessment.stress.pnlFractions).toHaveLength(STRESS_SCENARIOS.length);
    expect(assessment.monteCarlo).toBeUndefined();
    expect(assessment.explanation).toBeUndefined();
    expect(assessment.portfolioRisk).toBeNull();
    expect(assessment.portfolioStress).toBeNull();
    expect(assessment.portfolioAttribution).toBeNull();
  });

  it("puts a leverage of 5, 10, 20 and 40 on an empty wallet into ever worse bands", () => {
    const at = (leverage: number): string =>
      assess(assessInput({ account: walletState(0), trade: proposedTrade({ leverage }) })).score
        .recommendation;

    expect([5, 10, 20, 40].map(at)).toEqual(["proceed", "proceed_with_caution", "abort", "abort"]);
  });

  it("assesses an empty wallet as if the initial margin were posted", () => {
    const { liquidation, score, applied } = assess(
      assessInput({ account: walletState(0), trade: proposedTrade({ leverage: 10 }) }),
    );

    expect(score.flags).toContain("insufficient_margin");
    expect(liquidation.marginUsedFraction).toBe(1);
    expect(liquidation.poolEquityUsd).toBeCloseTo(1000, 9);
    expect(applied.assumedDepositUsd).toBeGreaterThan(1000);
    // (cash + size P) = maintenance: 1000 - 10000 + 0.1 P = 0.1 P / 80.
    expect(liquidation.liquidationPrice).toBeCloseTo(9000 / (0.1 * (1 - 1 / 80)), 6);
  });

  it("takes the position's leverage, and its margin mode, when none is asked for", () => {
    const held = position({ sizeBase: 0.1, leverage: 7, marginMode: "isolated", isolatedCashUsd: -8_500 });
    const trade = proposedTrade({ leverage: undefined });

    expect(assess(assessInput({ trade })).trade.leverage).toBe(1);
    const added = assess(assessInput({ trade, account: walletState(50_000, [held]) }));
    expect(added.trade.leverage).toBe(7);
    expect(added.liquidationMode).toBe("isolated");
    expect(added.liquidation.sizeBase).toBeCloseTo(0.2, 9);
  });

  it("nets a trade against the position: a smaller opposite one only reduces, a larger one flips", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.2 })]);
    const reduced = assess(
      assessInput({ account, trade: proposedTrade({ action: "short", notionalUsd: 5_000 }) }),
    );
    const flipped = assess(
      assessInput({ account, trade: proposedTrade({ action: "short", notionalUsd: 50_000 }) }),
    );

    expect(reduced.liquidationMode).toBe("close");
    expect(reduced.liquidation.sizeBase).toBeCloseTo(0.15, 9);
    expect(flipped.liquidationMode).toBe("cross");
    expect(flipped.liquidation.sizeBase).toBeCloseTo(-0.3, 9);
    expect(flipped.liquidation.liquidationPrice).toBeGreaterThan(100_000);
  });

  it("closes against the position, never more than it", () => {
    const account = walletState(50_000, [position({ sizeBase: -0.2 })]);
    const close = assess(
      assessInput({ account, trade: proposedTrade({ action: "close", notionalUsd: 1e6 }) }),
    );

    expect(close.trade.direction).toBe(1);
    expect(close.trade.exposureDirection).toBe(-1);
    expect(close.trade.notionalUsd).toBeCloseTo(20_000, 9);
    expect(close.score.flags).toContain("close_exceeds_position");
    expect(close.applied.position).toBeNull();
    expect(close.liquidationMode).toBe("close");
    expect(close.sizing).toBeNull();
    expect(close.portfolioStress?.totalPnlUsd).toBe(0);
    expect(close.score.recommendation).toBe("proceed");
  });

  it("lets a close of a delisted asset through with nothing known of it", () => {
    const asset = assetView(BTC, {
      listing: assetListing({ isDelisted: true }),
      book: null,
      bookStatistics: null,
      volatility: null,
      tails: null,
      liquidityRegime: null,
      drawdown: null,
      sheetRow: null,
      historyHours: 0,
    });
    const close = assess(
      assessInput({
        asset,
        account: null,
        scenarios: null,
        isMarketStale: true,
        trade: proposedTrade({ action: "close" }),
      }),
    );

    expect(close.score.recommendation).toBe("proceed");
    expect(close.score.score).toBe(30);
    expect(close.score.flags).toContain("close_without_position");
    expect(close.valueAtRisk).toBeNull();
  });

  it("refuses what has no book, no room under the cap or no equity left", () => {
    const at = (input: Parameters<typeof assessInput>[0]): readonly string[] => {
      const { score } = assess(assessInput(input));
      expect(score.recommendation).toBe("abort");
      return score.flags;
    };
    const atCap = buildOpenInterest({
      openInterestBase: 25_000,
      markPrice: 100_000,
      isAtCap: true,
      learnedCapUsd: null,
      observedMaxUsd: 0,
      volume24hUsd: 3e9,
    });

    expect(at({ asset: assetView(BTC, { book: null }) })).toContain("extreme_slippage");
    expect(at({ asset: assetView(BTC, { openInterest: atCap }) })).toContain("oi_at_cap");
    const drowning = position({ ticker: ETH, sizeBase: 100, entryPrice: 4_400, leverage: 20 });
    const flags = at({ account: { ...walletState(0, [drowning]), crossCashUsd: -399_000 } });
    expect(flags).toContain("near_liquidation");
    expect(flags).toContain("near_backstop");
  });

  it("counts half of the worst where a model is missing, and says so", () => {
    const { score, valueAtRisk, extremeTail } = assess(
      assessInput({ asset: assetView(BTC, { tails: null }) }),
    );

    expect(score.flags).toContain("risk_model_unavailable");
    expect(valueAtRisk).toBeNull();
    expect(extremeTail).toBeNull();
    const { components } = explainScore(score, null);
    expect(components.find(({ component }) => component === "var")?.severity).toBe(0.5);
    expect(components.find(({ component }) => component === "liquidation")?.severity).toBe(0.5);
  });

  it("answers stale inputs at best with caution", () => {
    for (const stale of [{ isMarketStale: true }, { isWalletStale: true }, { account: null }]) {
      expect(assess(assessInput(stale)).score.recommendation).toBe("proceed_with_caution");
    }
  });

  it("shows portfolio risk from two positions on, stress and attribution from one on, after the trade", () => {
    const eth = position({ ticker: ETH, sizeBase: 5, entryPrice: 4_000 });
    const sol = position({ ticker: SOL, sizeBase: -100, entryPrice: 200 });
    const withOne = assess(assessInput({ account: walletState(100_000, [eth]) }));
    const withTwo = assess(assessInput({ account: walletState(100_000, [eth, sol]) }));

    expect(withOne.portfolioRisk).toBeNull();
    expect(withOne.portfolioStress).not.toBeNull();
    expect(withOne.portfolioAttribution?.positions.map(({ ticker }) => ticker)).toEqual([ETH, BTC]);
    expect(withTwo.portfolioRisk?.assessment.positions).toHaveLength(3);
    expect(withTwo.portfolioRisk?.tailDependence).toHaveLength(3);
    expect(withTwo.score.flags).toContain("correlated_exposure");
  });

  it("finds an account that the trade leaves without positions to lose nothing in any scenario", () => {
    const account = walletState(20_000, [position({ sizeBase: 0.1 })]);
    const trade = proposedTrade({ action: "close", notionalUsd: 10_000 });

    expect(assess(assessInput({ account, trade })).portfolioStress).toMatchObject({
      totalPnlUsd: 0,
      totalPnlFraction: 0,
      totalFundingFraction: 0,
      accountSurvives: true,
      positionsLiquidated: 0,
    });
  });

  it("lists a position in an asset it does not know, and charges it in full", () => {
    const exotic = position({ ticker: UNKNOWN_TICKER, sizeBase: 1_000, entryPrice: 3 });
    const eth = position({ ticker: ETH, sizeBase: 5, entryPrice: 4_000 });
    const { portfolioRisk, score } = assess(assessInput({ account: walletState(100_000, [exotic, eth]) }));

    const { book, positions } = portfolioRisk!.assessment;
    const listed = positions.findIndex(({ ticker }) => ticker === UNKNOWN_TICKER);
    expect(book[listed]?.joint).toBeNull();
    expect(positions[listed]?.componentVarUsd).toBe(1_500);
    expect(score.flags).toContain("unpriced_position");
  });

  it("counts company only when it falls together: a short beside a long is a hedge", () => {
    const eth = position({ ticker: ETH, sizeBase: -2, entryPrice: 4_000 });
    const hedged = assess(assessInput({ account: walletState(100_000, [eth]) }));
    const doubled = assess(
      assessInput({ account: walletState(100_000, [eth]), trade: proposedTrade({ action: "short" }) }),
    );

    expect(hedged.score.flags).not.toContain("correlated_exposure");
    expect(doubled.score.flags).toContain("correlated_exposure");
    const varOf = (found: typeof hedged): number => found.portfolioAttribution!.tail.var99Usd;
    expect(varOf(hedged)).toBeLessThan(varOf(doubled));
  });

  it("reads a short's losses from rises and a long's from falls", () => {
    const asset = assetView(BTC);
    const tails = { ...asset.tails!, short: { ...asset.tails!.long } };
    const twice = tails.long.horizons.map((tail) => ({
      ...tail,
      expectedShortfall99: 2 * tail.expectedShortfall99,
    }));
    const lopsided = assetView(BTC, { tails: { ...tails, short: { ...tails.short, horizons: twice } } });
    const lossOf = (action: "long" | "short"): number => {
      const trade = proposedTrade({ action, leverage: 2 });
      return assess(assessInput({ asset: lopsided, account: walletState(0), trade })).score.facts
        .accountLossFraction!;
    };

    expect(lossOf("long")).toBeCloseTo(2 * asset.tails!.long.horizons[2]!.expectedShortfall99, 9);
    expect(lossOf("short")).toBeCloseTo(2 * lossOf("long"), 9);
  });

  it("calls the loss of half the margin adverse, long before the liquidation", () => {
    const { facts } = assess(
      assessInput({
        account: walletState(0),
        trade: proposedTrade({ leverage: 20, marginMode: "isolated" }),
      }),
    ).score;

    // Half of the margin is 2.5 % of the price, the liquidation 3.8 % away.
    expect(facts.liquidationProbability).toBeLessThan(0.1);
    expect(facts.adverseProbability).toBeGreaterThan(2 * facts.liquidationProbability!);
  });

  it("prices the way out on the other side of the book, and describes a close by the side that is held", () => {
    const thinBids = { ...assetView(BTC).book!, bids: evenBook(100_000, 20, 0.002, 20_000).bids };
    const asset = assetView(BTC, { book: thinBids, funding: fundingOutlook(0.0001) });
    const account = walletState(100_000, [position({ sizeBase: 1, leverage: 4 })]);
    const opened = assess(assessInput({ asset, trade: proposedTrade({ notionalUsd: 50_000 }) }));
    const closed = assess(
      assessInput({
        asset,
        account,
        trade: proposedTrade({ action: "close", notionalUsd: 50_000, leverage: undefined }),
      }),
    );

    expect(opened.cost.exitFraction).toBeGreaterThan(opened.cost.entryFraction);
    expect(closed.cost.exitFraction).toBeLessThan(closed.cost.entryFraction);
    expect(closed.cost.entryFraction).toBeCloseTo(opened.cost.exitFraction, 12);
    expect(closed.greeks.deltaBase).toBeCloseTo(0.5, 12);
    expect(asset.tails!.long.extreme).not.toEqual(asset.tails!.short.extreme);
    expect(closed.extremeTail).toBe(asset.tails!.long.extreme);
    expect(closed.agentPaysFunding).toBe(true);
    expect(closed.cost.fundingDrag24hOfMarginFraction).toBeCloseTo(4 * 24 * 0.0001, 12);
    // What a close takes off is left by the close itself: its own side of the book, a seventh of it a day.
    const dayUsd = (cost: typeof closed.cost, side: "entryFraction" | "exitFraction"): number =>
      24 * 0.0001 * 50_000 + (cost[side] * 50_000) / 7;
    expect(closed.greeks.thetaUsd).toBeCloseTo(-dayUsd(closed.cost, "entryFraction"), 9);
    expect(opened.greeks.thetaUsd).toBeCloseTo(-dayUsd(opened.cost, "exitFraction"), 9);
  });

  it("says of a model with too many hours missing that its history is limited", () => {
    const flagsWith = (warnings: readonly VolatilityWarning[]): readonly string[] =>
      assess(assessInput({ asset: assetView(BTC, { volatility: { ...volatilityFacts(0.5), warnings } }) }))
        .score.flags;

    expect(flagsWith([])).not.toContain("limited_history");
    expect(flagsWith(["limited_history"])).toContain("limited_history");
  });

  it("raises the warnings of a thin, expensive, young market", () => {
    const listing = assetListing({ maxLeverage: 5, marginTiers: [{ notionalLowerUsd: 0, maxLeverage: 5 }] });
    const asset = assetView(BTC, {
      listing,
      marginSchedule: buildMarginSchedule(listing.marginTiers),
      context: assetContext({ volume24hUsd: 500_000 }),
      book: evenBook(100_000, 10, 0.002, 5_000),
      bookStatistics: bookStatistics({ medianDepthUsd: 500_000 }),
      funding: fundingOutlook(0.002, { zScore: 5, cexRatio: 20 }),
      volatility: volatilityFacts(4),
      historyHours: 200,
      isNewListing: true,
    });
    const { flags } = assess(
      assessInput({ asset, trade: proposedTrade({ leverage: 6, notionalUsd: 40_000 }) }),
    ).score;

    for (const flag of [
      "thin_book",
      "high_slippage",
      "high_leverage",
      "above_tier_leverage",
      "funding_anomaly",
      "funding_expensive",
      "cex_funding_divergence",
      "low_volume",
      "limited_history",
      "new_listing",
    ]) {
      expect(flags).toContain(flag);
    }
  });

  it("names the change that reaches the next better band", () => {
    const risky = assessInput({
      account: walletState(0),
      trade: proposedTrade({ leverage: 20, wantsExplanation: true }),
    });
    const better = assess(risky).explanation?.nextBetterBand;

    expect(better?.recommendation).toBe("proceed_with_caution");
    expect(better?.leverage).toBeGreaterThan(10);
    expect(better?.leverage).toBeLessThan(20);
    expect(better?.notionalUsd).toBeNull();
    // Cross margin on an empty wallet is the same margin.
    expect(better?.marginMode).toBeNull();
  });

  it("names the size that ends a position in danger, where less or more of the order does not help", () => {
    for (const [sizeBase, action] of [
      [1, "short"],
      [-1, "long"],
    ] as const) {
      const order = (notionalUsd: number) =>
        assess(
          assessInput({
            account: walletState(700, [position({ sizeBase, leverage: 40 })]),
            trade: proposedTrade({ action, notionalUsd, leverage: 40, wantsExplanation: true }),
          }),
        );
      const asked = order(280_000);
      const named = asked.explanation?.nextBetterBand?.notionalUsd;

      for (const usd of [10, 35_000, 70_000, 140_000]) expect(order(usd).score.recommendation).toBe("abort");
      expect(named).toBeGreaterThan(99_000);
      expect(named).toBeLessThan(120_000);
      expect(order(named!).score.recommendation).not.toBe(asked.score.recommendation);
    }
  });

  it("names the other margin mode where that alone reaches the next better band", () => {
    const order = (marginMode: MarginMode, changes: Partial<AssessInput> = {}) =>
      assess(
        assessInput({
          account: walletState(1e6),
          trade: proposedTrade({ notionalUsd: 50_000, leverage: 40, marginMode, wantsExplanation: true }),
          ...changes,
        }),
      );
    const listing = assetListing({ isIsolatedOnly: true });

    expect(order("cross").score.recommendation).toBe("proceed");
    expect(order("isolated").score.recommendation).not.toBe("proceed");
    expect(order("isolated").explanation?.nextBetterBand?.marginMode).toBe("cross");
    const alone = order("isolated", { asset: assetView(BTC, { listing }) });
    expect(alone.explanation?.nextBetterBand).toMatchObject({ marginMode: null });
  });

  it("suggests a size that it would itself let through", () => {
    const input = assessInput({ trade: proposedTrade({ leverage: 10, notionalUsd: 900_000 }) });
    const { sizing } = assess(input);

    expect(sizing?.reason).toBe("margin_headroom");
    expect(sizing?.suggestedSizeUsd).toBeGreaterThan(10_000);
    const suggested = proposedTrade({ leverage: 10, notionalUsd: sizing!.suggestedSizeUsd });
    expect(assess({ ...input, trade: suggested }).score.score).toBeLessThanOrEqual(35);
  });
});
