import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assess, type AssessInput } from "../../src/risk/assess.ts";
import type { Assessment } from "../../src/risk/assessment.ts";
import {
  bookDepthOf,
  halfSpreadFractionOf,
  slippageFractionOf,
  spreadFractionOf,
} from "../../src/risk/liquidity/slippage.ts";
import { slippageMarketOf } from "../../src/risk/liquidity/order-liquidity.ts";
import { rescaleAssetTails } from "../../src/risk/scenarios/asset-tails.ts";
import { touchProbability } from "../../src/risk/scenarios/path-extremes.ts";
import { stressedGainFraction } from "../oracle/stressed-pool.ts";
import { STRESS_SCENARIOS } from "../../src/risk/stress/stress-scenarios.ts";
import { stressFundingFraction } from "../../src/risk/stress/stressed-pool.ts";
import { type AssetTails, horizonTail, sideTails } from "../../src/risk/tails/var.ts";
import type { SigmaTermStructure } from "../../src/risk/volatility/term-structure.ts";
import { assessInputs, shownAs } from "../support/market-arbitraries.ts";

/**
 * That every block is fed the number meant for it: the horizon, the side, the level and the book's side by which the
 * interface describes it. The formulas are tested where they are.
 *
 * Mutants tried by hand, each killed here: the entry's cost for the exit's, the week's sigma for the day's, funding of
 * the other sign, the shortfall at 95 % or over a week, one hour's sigma for the stop (these six by no older test of
 * assessments, Greeks, costs, stress or sizes); its half-spreads left out, the order's side of the book for the way
 * out, the half-spread of a worked order left out; leverage left out of the drag or of the margin's sigma; today's spread left out, the levels' multiples or depths
 * exchanged or not read, depth left out, the exit's half-spread counted twice; barriers moved away by funding or not at
 * all, half of the notional for half of the equity; funding received counted as paid; the cap held against a reducing
 * trade, one position as a concentration, isolated positions left out of the gross, the order left out of open interest.
 */

/** A term structure that tells its horizons apart, and a book's past that tells its levels apart. */
const inputs: fc.Arbitrary<AssessInput> = assessInputs.map((input) => {
  const { volatility, bookStatistics } = input.asset;
  const asset = {
    ...input.asset,
    volatility: volatility === null ? null : { ...volatility, sigmas: slopedSigmas(volatility.sigmas) },
    bookStatistics: bookStatistics === null ? null : { ...bookStatistics, ...BOOK_PAST },
  };
  return shownAs({ ...input, asset }, { input: fc.stringify(input) });
});

const BOOK_PAST = { spreadFactor95: 2.5, spreadFactor99: 6, depthRatio95: 0.6, depthRatio99: 0.3 };

function slopedSigmas({ sigma1hAnnual }: SigmaTermStructure): SigmaTermStructure {
  return {
    sigma1hAnnual,
    sigma4hAnnual: 1.2 * sigma1hAnnual,
    sigma1dAnnual: 1.5 * sigma1hAnnual,
    sigma7dAnnual: 1.9 * sigma1hAnnual,
    longRunSigmaAnnual: 2.5 * sigma1hAnnual,
  };
}

function expectClose(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * (Math.abs(expected) + 1e-6));
}

/** The same of funding alone: none of a close that leaves no position. */
function fundedShare(trade: Assessment["trade"], applied: Assessment["applied"]): number {
  return trade.isClose && applied.position === null ? 0 : heldShare(trade, applied);
}

/** What a close takes off or an order opens, of what it trades. */
function heldShare(
  { isClose }: Assessment["trade"],
  { openedBase, tradedBase, position }: Assessment["applied"],
): number {
  if (isClose || tradedBase === 0) return 1;
  return position === null ? 0 : openedBase / Math.abs(tradedBase);
}

function check(law: (assessment: Assessment, input: AssessInput) => void): void {
  fc.assert(fc.property(inputs, (input) => law(assess(input), input)));
}

describe("the wiring of an assessment", () => {
  it("prices the way in on the order's side of the book, and the way out on the other", () => {
    check(({ trade, slippage, impact, fees, cost, applied }, { asset }) => {
      const market = slippageMarketOf(asset);
      const wayOut = slippageFractionOf(market, trade.direction === 1 ? -1 : 1, trade.notionalUsd);
      expectClose(slippage.costFraction, slippageFractionOf(market, trade.direction, trade.notionalUsd));
      expectClose(cost.exitFraction, wayOut + impact.impactFraction + fees.takerFeeFraction);
      expectClose(cost.roundTripFraction, cost.entryFraction + cost.exitFraction);
      expectClose(slippage.halfSpreadFraction, halfSpreadFractionOf(market, trade.direction));
      expectClose(
        cost.fundingDrag24hOfMarginFraction,
        trade.exposureDirection *
          fundedShare(trade, applied) *
          asset.funding.drag24hFraction *
          trade.leverage,
      );
    });
  });

  it("shocks what the order trades, and charges what of it is held then", () => {
    check(({ trade, stress, applied }, { asset }) => {
      const share = trade.notionalUsd === 0 ? 0 : heldShare(trade, applied);
      STRESS_SCENARIOS.forEach((scenario, i) => {
        const gain = stressedGainFraction(stress, asset.stressShocks, trade.exposureDirection, i);
        const paid = share * stressFundingFraction(scenario, trade.exposureDirection);
        const left = stress.liquidityCostFractions[i]!;
        expectClose(stress.fundingCostFractions[i]!, paid);
        expectClose(stress.pnlFractions[i]!, trade.notionalUsd === 0 ? 0 : gain - paid - left);
        expect(left > 0).toBe(share > 0);
      });
    });
  });

  it("loses a day's funding and a seventh of the exit a day, and a point of day volatility's shortfall", () => {
    check(({ trade, cost, greeks, applied }, { asset }) => {
      const { notionalUsd, exposureDirection } = trade;
      const heldUsd = heldShare(trade, applied) * notionalUsd;
      const paidUsd = exposureDirection * asset.funding.drag24hFraction * heldUsd;
      expectClose(greeks.deltaBase, (exposureDirection * notionalUsd) / asset.context.markPrice);
      const leaveFraction = trade.isClose ? cost.entryFraction : cost.exitFraction;
      expectClose(greeks.thetaUsd, -(paidUsd + (leaveFraction * heldUsd) / 7));
      const sigma = asset.volatility?.sigmas.sigma1dAnnual ?? null;
      if (sigma === null || asset.tails === null) {
        expect(greeks.vegaUsd).toBe(0);
        return;
      }
      const ratio = (sigma + 0.01) / sigma;
      const raised = rescaleAssetTails(asset.tails, [1, 1, ratio, 1]);
      const shortfallOf = (tails: AssetTails): number =>
        horizonTail(sideTails(tails, exposureDirection), 24).expectedShortfall99;
      const expected = shortfallOf(asset.tails) - shortfallOf(raised);
      expect(greeks.vegaUsd / notionalUsd).toBeCloseTo(expected, 12);
    });
  });

  it("stops outside four hours' noise and three half-spreads, inside the liquidation", () => {
    check(({ liquidation, slippage, suggestedStopFraction }, { asset }) => {
      if (asset.drawdown === null) {
        expect(suggestedStopFraction).toBeNull();
        return;
      }
      const sigma4h = (asset.volatility?.sigmas.sigma4hAnnual ?? 0) * Math.sqrt(4 / 8760);
      const noise = Math.max(1.5 * sigma4h, 3 * slippage.halfSpreadFraction);
      expectClose(suggestedStopFraction!, Math.min(0.7 * liquidation.distanceFraction, noise));
    });
  });

  it("leaves in stress through its side of the book, at each level's own spread and depth", () => {
    check(({ trade, valueAtRisk }, { asset }) => {
      if (valueAtRisk === null) return;
      const { notionalUsd, exposureDirection } = trade;
      const { bookStatistics, book } = asset;
      const market = slippageMarketOf(asset);
      const exit = exposureDirection === 1 ? -1 : 1;
      const spread = Math.max(
        book === null ? 0 : spreadFractionOf(book),
        bookStatistics === null ? 0 : bookStatistics.meanSpreadFraction,
      );
      const deviation = bookStatistics === null ? 0 : bookStatistics.sdSpreadFraction;
      const exitUsd = (multiple: number, depth: number): number =>
        notionalUsd *
        ((spread + multiple * deviation) / 2 +
          slippageFractionOf(
            { ...market, volume24hUsd: market.volume24hUsd / depth },
            exit,
            notionalUsd / depth,
          ) -
          halfSpreadFractionOf(market, exit));
      const [multiple95, multiple99, ...ofUsual] =
        bookStatistics === null ? ([2, 4, 0.5, 0.25] as const) : ([2.5, 6, 0.6, 0.3] as const);
      const ofUsualNow =
        book === null || bookStatistics === null
          ? 1
          : bookDepthOf(book).depth100BpsUsd / bookStatistics.medianDepthUsd;
      const [depth95, depth99] = ofUsual.map((share) => Math.min(1, share / ofUsualNow)) as [number, number];
      const { at24h, liquidityAdjustedVar95Usd, liquidityAdjustedVar99Usd } = valueAtRisk;
      const lossMaxUsd = exposureDirection === 1 ? notionalUsd : Infinity;
      const lvar95Usd = at24h.var95 * notionalUsd + exitUsd(multiple95, depth95);
      const lvar99Usd = at24h.var99 * notionalUsd + exitUsd(multiple99, depth99);
      expectClose(liquidityAdjustedVar95Usd, Math.min(lossMaxUsd, lvar95Usd));
      expectClose(liquidityAdjustedVar99Usd, Math.min(lossMaxUsd, lvar99Usd));
    });
  });

  it("moves both barriers nearer by the funding that the position left is expected to pay", () => {
    check(({ liquidation, score: { facts } }, { asset }) => {
      const { sizeBase, liquidationPrice, markPrice, poolEquityUsd, notionalUsd, isLiquidatable } =
        liquidation;
      if (asset.tails === null || sizeBase === 0 || isLiquidatable) return;
      const side = sizeBase > 0 ? 1 : -1;
      const paid = Math.max(0, side * asset.funding.drag24hFraction);
      const { adversePaths } = side === 1 ? asset.tails.long : asset.tails.short;
      // Funding is cash: a price is nearer by its share of the mark or, where maintenance grows with it, by a little less.
      const slowest = side === 1 ? 1 : 1 + Math.max(...asset.marginSchedule.maintenanceFraction);
      const atLeast = (price: number): number => {
        const distance = -side * Math.log(price / markPrice + (side * paid) / slowest);
        return distance <= 0 ? 1 : touchProbability(adversePaths[2]!, distance);
      };
      const lossPrice = markPrice * (1 - (side * 0.5 * poolEquityUsd) / notionalUsd);
      if (liquidationPrice !== null) {
        expect(facts.liquidationProbability!).toBeGreaterThanOrEqual(atLeast(liquidationPrice) - 1e-9);
      }
      if (lossPrice > 0) {
        expect(facts.adverseProbability!).toBeGreaterThanOrEqual(atLeast(lossPrice) - 1e-9);
      }
      expect(facts.adverseProbability!).toBeGreaterThanOrEqual(facts.liquidationProbability!);
    });
  });

  it("tells the score of the position that is left, and of what the order opens", () => {
    check(({ applied, liquidation, trade, score: { facts } }, { asset }) => {
      const { openInterest, context, volatility, funding } = asset;
      const openedUsd = applied.openedBase * context.markPrice;
      const { poolEquityUsd, poolMaintenanceUsd, sizeBase, notionalUsd } = liquidation;
      const grossUsd = applied.margin.crossNotionalUsd + applied.margin.isolatedNotionalUsd;
      expect(facts.isOpenInterestAtCap).toBe(openInterest.isAtCap && openedUsd > 0);
      const used = (openInterest.openInterestUsd + openedUsd) / openInterest.capUsd;
      expectClose(facts.openInterestUtilization!, openedUsd > 0 && openInterest.capUsd > 0 ? used : 0);
      expectClose(
        facts.concentrationShare,
        applied.account.positions.length < 2 || notionalUsd === 0 ? 0 : notionalUsd / grossUsd,
      );
      const opensNothing = trade.isClose || applied.openedBase === 0;
      const leverage = sizeBase === 0 ? 0 : opensNothing ? trade.position!.leverage : trade.leverage;
      if (volatility !== null) expectClose(facts.marginSigma!, leverage * volatility.sigmaDay);
      if (sizeBase !== 0 && poolEquityUsd > 0 && applied.assumedDepositUsd === 0) {
        expectClose(facts.marginRatio, poolMaintenanceUsd / poolEquityUsd);
      }
      const funded = trade.exposureDirection * fundedShare(trade, applied);
      const paid = funded * funding.drag24hFraction * trade.leverage;
      const pays = funded !== 0 && trade.exposureDirection * funding.rateHourly > 0;
      expectClose(facts.fundingDragFraction, pays ? Math.max(0, paid) : 0);
    });
  });
});
