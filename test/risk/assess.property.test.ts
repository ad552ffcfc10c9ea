import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stressedGainFraction } from "../oracle/stressed-pool.ts";
import { STRESS_SCENARIOS } from "../../src/risk/stress/stress-scenarios.ts";
import { survivesScenario } from "../../src/risk/stress/stressed-pool.ts";
import { assess, type AssessInput } from "../../src/risk/assess.ts";
import { FLAG_THRESHOLDS } from "../../src/risk/scoring/flag-thresholds.ts";
import { recommendationOf } from "../../src/risk/scoring/bands.ts";
import { SIZE_FLOOR_USD } from "../../src/risk/sizing/size-search.ts";
import { between, fraction, magnitude } from "../support/arbitraries.ts";
import { BTC, proposedTrade, walletState } from "../support/builders.ts";
import { assessInput } from "../support/market.ts";
import {
  account,
  assessInputs,
  bookOfShape,
  freshAccount,
  marginMode,
  marketShape,
  opening,
  shownAs,
  viewOfShape,
} from "../support/market-arbitraries.ts";

/**
 * Mutants tried by hand, each killed by a law here or an example in assess.test.ts: close not cut to the position;
 * a close described on the order's side; leverage left out of the funding drag; cap held against a reducing trade; no
 * liquidation price read as distance 0; liquidation before the trade; the exit's book side for the entry and the
 * reverse; VaR, Greeks and funding drag on the order's side; a reducing order's side for the liquidation gamma;
 * portfolio blocks by the positions after the trade; sizing of a close; charge of unknown positions left out of
 * positions or total; adverse barrier left out or mirrored; tails of the other side; correlation without directions;
 * any score suggested.
 */
const ROUNDING = 1e-7;

describe("assess", () => {
  it("answers anything with finite numbers and a score of its band", () => {
    fc.assert(
      fc.property(assessInputs, (input) => {
        const assessment = assess(input);

        expect(notFinite(assessment)).toEqual([]);
        expect(assessment.score.score).toBeGreaterThanOrEqual(0);
        expect(assessment.score.score).toBeLessThanOrEqual(100);
        expect(recommendationOf(assessment.score.displayed)).toBe(assessment.score.recommendation);
      }),
    );
  });

  it("lets every exit through, whatever is missing", () => {
    fc.assert(
      fc.property(assessInputs, (input) => {
        const { score, sizing, liquidationMode } = assess({
          ...input,
          trade: { ...input.trade, action: "close" },
        });

        expect(score.score).toBeLessThanOrEqual(30);
        expect(score.recommendation).toBe("proceed");
        expect(sizing).toBeNull();
        expect(liquidationMode).toBe("close");
      }),
    );
  });

  it("closes no more than the position and never leaves more than there was", () => {
    fc.assert(
      fc.property(assessInputs, account, (input, held) => {
        const close = assess({ ...input, account: held, trade: { ...input.trade, action: "close" } });
        const before = held.positions.find(({ ticker }) => ticker === BTC)?.sizeBase ?? 0;
        const after = close.applied.position?.sizeBase ?? 0;

        expect(Math.abs(after)).toBeLessThanOrEqual(Math.abs(before));
        expect(after * before).toBeGreaterThanOrEqual(0);
        expect(close.trade.notionalUsd).toBeLessThanOrEqual(input.trade.notionalUsd);
        if (before !== 0) expect(close.trade.exposureDirection).toBe(Math.sign(before));
      }),
    );
  });

  it("is the same for the same inputs, simulation and explanation asked for or not", () => {
    fc.assert(
      fc.property(assessInputs, (input) => {
        const plain = assess(input);
        const asked = assess({
          ...input,
          trade: { ...input.trade, wantsMonteCarlo: true, wantsExplanation: true },
        });

        expect(assess(input)).toEqual(plain);
        expect({ ...asked, monteCarlo: undefined, explanation: undefined }).toEqual(plain);
        expect(asked.monteCarlo === null).toBe(input.asset.tails === null);
        expect(asked.explanation?.score).toBe(plain.score.score);
      }),
      { numRuns: 60 },
    );
  });

  it("never falls with the size of an opening", () => {
    fc.assert(
      fc.property(freshOpening, magnitude(1, 1e8), magnitude(1, 1e8), (input, a, b) => {
        const at = (notionalUsd: number): number => scoreOf(input, { notionalUsd });
        expect(at(Math.max(a, b))).toBeGreaterThanOrEqual(at(Math.min(a, b)) - ROUNDING);
      }),
    );
  });

  it("never falls with leverage", () => {
    fc.assert(
      fc.property(freshOpening, magnitude(1, 50), magnitude(1, 50), (input, a, b) => {
        const at = (leverage: number): number => scoreOf(input, { leverage });
        expect(at(Math.max(a, b))).toBeGreaterThanOrEqual(at(Math.min(a, b)) - ROUNDING);
      }),
    );
  });

  it("never rises with collateral", () => {
    fc.assert(
      fc.property(freshOpening, magnitude(1, 1e9), magnitude(1, 1e9), (input, a, b) => {
        const at = (equityUsd: number): number =>
          assess({ ...input, account: walletState(equityUsd) }).score.score;
        expect(at(Math.max(a, b))).toBeLessThanOrEqual(at(Math.min(a, b)) + ROUNDING);
      }),
    );
  });

  it("never rises when every level of the book holds more", () => {
    fc.assert(
      fc.property(freshOpening, marketShape, magnitude(1, 100), (input, shape, more) => {
        const at = (sizeScale: number): number =>
          assess({ ...input, asset: { ...input.asset, book: bookOfShape(shape.book, 100_000, sizeScale) } })
            .score.score;
        expect(at(more)).toBeLessThanOrEqual(at(1) + ROUNDING);
      }),
    );
  });

  it("does not depend on the unit of price", () => {
    fc.assert(
      fc.property(freshOpening, magnitude(1e-6, 1e6), (input, scale) => {
        const { asset } = input;
        const { book } = asset;
        const context = {
          ...asset.context,
          markPrice: asset.context.markPrice * scale,
          openInterestBase: asset.context.openInterestBase / scale,
        };
        const scaled = assess({
          ...input,
          asset: { ...asset, context, book: book === null ? null : scaledBook(book, scale) },
        });
        expect(scaled.score.score).toBeCloseTo(assess(input).score.score, 6);
      }),
    );
  });

  it("ignores the size of funding that is received", () => {
    fc.assert(
      fc.property(freshOpening, fraction, fraction, (input, a, b) => {
        const side = input.trade.action === "long" ? 1 : -1;
        const at = (received: number): number => {
          const rateHourly = -side * received * 0.01;
          const funding = { ...input.asset.funding, rateHourly, drag24hFraction: 24 * rateHourly };
          return assess({ ...input, asset: { ...input.asset, funding } }).score.score;
        };
        expect(at(a)).toBeCloseTo(at(b), 9);
      }),
    );
  });
});

describe("the blocks of an assessment", () => {
  it("keep the identities of the interface", () => {
    fc.assert(
      fc.property(assessInputs, (input) => {
        const {
          trade,
          slippage,
          cost,
          impact,
          fees,
          valueAtRisk,
          stress,
          liquidation,
          funding,
          agentPaysFunding,
          applied,
        } = assess(input);
        const { notionalUsd, leverage, exposureDirection } = trade;
        const signed = trade.direction * (slippage.fillPrice / slippage.midPrice - 1);

        expect(slippage.costFraction).toBeCloseTo(signed, 9);
        expect(cost.entryFraction).toBeCloseTo(
          slippage.costFraction + impact.impactFraction + fees.takerFeeFraction,
          12,
        );
        expect(fees.feeUsd / notionalUsd).toBeCloseTo(fees.takerFeeFraction, 12);
        expect(fees.feeOfMarginFraction).toBeCloseTo(fees.takerFeeFraction * leverage, 12);
        expect(stress.notionalUsd).toBe(notionalUsd);
        STRESS_SCENARIOS.forEach((_, i) => {
          if (!survivesScenario(stress, i)) expect(stress.liquidationDistanceFractions[i]).toBe(0);
          expect(stress.pnlFractions[i]).toBeCloseTo(
            stressedGainFraction(stress, input.asset.stressShocks, exposureDirection, i) -
              stress.fundingCostFractions[i]! -
              stress.liquidityCostFractions[i]!,
            12,
          );
        });
        if (valueAtRisk !== null) {
          const { at24h } = valueAtRisk;
          expect(valueAtRisk.marginVar99 / leverage).toBeCloseTo(at24h.var99, 9);
          expect(valueAtRisk.liquidityAdjustedVar99Usd).toBeGreaterThanOrEqual(at24h.var99 * notionalUsd);
          expect(valueAtRisk.liquidityAdjustedVar95Usd).toBeGreaterThanOrEqual(at24h.var95 * notionalUsd);
          const side = exposureDirection === 1 ? input.asset.tails!.long : input.asset.tails!.short;
          expect(at24h).toBe(side.horizons[2]);
        }
        if (liquidation.liquidationPrice !== null && !liquidation.isLiquidatable) {
          expect(liquidation.distanceFraction).toBeCloseTo(
            Math.abs(liquidation.liquidationPrice / liquidation.markPrice - 1),
            12,
          );
          // At the last rounding before it can be liquidated the two prices are the same number.
          const side = Math.sign(liquidation.sizeBase);
          expect(side * (liquidation.markPrice - liquidation.liquidationPrice)).toBeGreaterThanOrEqual(0);
        }
        const leaves = applied.position?.sizeBase ?? 0;
        const isFunded = trade.isClose ? leaves !== 0 : leaves * trade.direction > 0;
        expect(agentPaysFunding).toBe(isFunded && exposureDirection * funding.rateHourly > 0);
      }),
    );
  });

  it("tell by how much the distance of the position that is left moves with the price", () => {
    fc.assert(
      fc.property(assessInputs, (input) => {
        const { greeks, liquidation } = assess(input);
        const { liquidationPrice, markPrice, distanceFraction } = liquidation;
        if (liquidationPrice === null) expect(greeks.liquidationGamma).toBe(0);
        if (liquidationPrice === null || distanceFraction < 1e-9) return;
        // A reducing trade leaves a position of the other side than its own.
        const distanceAt = (move: number): number =>
          Math.abs(liquidationPrice / (markPrice * (1 + move)) - 1);
        // Within a step of the liquidation the distance has a corner.
        const step = Math.min(1e-5, distanceFraction / 4);
        const slope = (distanceAt(step) - distanceAt(-step)) / (2 * step);
        expect(Math.abs(greeks.liquidationGamma - slope)).toBeLessThan(1e-5 * (1 + Math.abs(slope)));
      }),
    );
  });

  it("show the portfolio by the positions before, and count those after", () => {
    fc.assert(
      fc.property(assessInputs, account, (input, held) => {
        const before = held.positions.length;
        const { portfolioRisk, portfolioStress, portfolioAttribution, applied } = assess({
          ...input,
          account: held,
        });

        expect(portfolioRisk !== null).toBe(before >= 2);
        expect(portfolioStress !== null).toBe(before >= 1);
        expect(portfolioAttribution !== null).toBe(before >= 1);
        expect(portfolioAttribution?.positions.map(({ ticker }) => ticker) ?? []).toEqual(
          before === 0 ? [] : applied.account.positions.map(({ ticker }) => ticker),
        );
      }),
    );
  });

  it("attribute the portfolio's VaR completely, unknown assets included", () => {
    fc.assert(
      fc.property(assessInputs, account, (input, held) => {
        const { portfolioAttribution: portfolio } = assess({ ...input, account: held });
        if (portfolio === null) return;
        const total = portfolio.positions.reduce((sum, { componentVarUsd }) => sum + componentVarUsd, 0);
        const gross = portfolio.book.reduce(
          (sum, { notionalUsdSigned }) => sum + Math.abs(notionalUsdSigned),
          1,
        );

        expect(Math.abs(total - portfolio.tail.var99Usd) / gross).toBeLessThan(1e-9);
        expect(portfolio.tail.expectedShortfall99Usd).toBeGreaterThanOrEqual(
          portfolio.tail.var99Usd - 1e-9 * gross,
        );
        portfolio.positions.forEach(({ incrementalVarUsd, componentVarUsd }, i) => {
          if (portfolio.book[i]!.joint === null) expect(incrementalVarUsd).toBe(componentVarUsd);
        });
      }),
    );
  });

  it("suggest sizes within the safe size, which the assessment itself would let through", () => {
    fc.assert(
      fc.property(freshOpening, (input) => {
        const { sizing } = assess(input);
        if (sizing === null) throw new Error("an opening is sized");
        expect(sizing.suggestedSizeUsd).toBeGreaterThanOrEqual(0);
        expect(sizing.suggestedSizeUsd).toBeLessThanOrEqual(sizing.maxSafeSizeUsd);
        expect(sizing.maxSafeSizeUsd).toBeCloseTo(sizing.limitsUsd[sizing.reason], 6);
        if (sizing.suggestedSizeUsd > 0) {
          const suggested = scoreOf(input, { notionalUsd: sizing.suggestedSizeUsd });
          const smallest = scoreOf(input, { notionalUsd: Math.min(SIZE_FLOOR_USD, sizing.suggestedSizeUsd) });
          // Five points inside the band, or half of what the smallest order leaves of it.
          expect(suggested).toBeLessThanOrEqual(Math.max(35, (smallest + 40) / 2) + ROUNDING);
        }
      }),
    );
  });

  it("name better bands that are reached when the change is made, by no smaller a size than need be", () => {
    const named = { size: 0, leverage: 0, mode: 0 };
    fc.assert(
      fc.property(demandingOpening, (input) => {
        const { score, explanation } = assess({
          ...input,
          trade: { ...input.trade, wantsExplanation: true },
        });
        const better = explanation!.nextBetterBand;
        expect(better === null).toBe(score.recommendation === "proceed");
        if (better === null) return;
        const { notionalUsd, leverage, marginMode: mode, recommendation } = better;
        const reaches = (change: Partial<AssessInput["trade"]>): boolean => {
          const reached = assess({ ...input, trade: { ...input.trade, ...change } }).score.recommendation;
          return reached === "proceed" || reached === recommendation;
        };
        expect(recommendation).toBe(score.recommendation === "abort" ? "proceed_with_caution" : "proceed");
        if (notionalUsd !== null) {
          named.size++;
          expect(reaches({ notionalUsd })).toBe(true);
          if (input.account?.positions.length === 0)
            expect(reaches({ notionalUsd: 1.002 * notionalUsd })).toBe(false);
        } else expect(reaches({ notionalUsd: FLAG_THRESHOLDS.minOrderUsd.value })).toBe(false);
        if (leverage !== null) named.leverage++;
        expect(reaches({ leverage: leverage ?? 1 })).toBe(leverage !== null);
        if (mode !== null) named.mode++;
        const other = input.trade.marginMode === "cross" ? "isolated" : "cross";
        expect(mode).toBe(reaches({ marginMode: other }) ? other : null);
      }),
      { numRuns: 60 },
    );
    expect(Math.min(...Object.values(named))).toBeGreaterThan(3);
  });

  it("treat a batch of two like the second on the account that the first leaves", () => {
    fc.assert(
      fc.property(freshOpening, fraction, (input, share) => {
        const half = { ...input.trade, notionalUsd: input.trade.notionalUsd * (0.1 + share) };
        const first = assess({ ...input, trade: half });
        const second = assess({ ...input, account: first.applied.account, trade: half });
        const side = input.trade.action === "long" ? 1 : -1;

        expect(second.liquidation.sizeBase / (2 * side)).toBeCloseTo(half.notionalUsd / 100_000, 9);
        expect(second.portfolioAttribution?.positions).toHaveLength(1);
      }),
    );
  });
});

/** An opening by an account that holds nothing, everything known: where the score must be monotone. */
const freshOpening: fc.Arbitrary<AssessInput> = fc
  .record({
    shape: marketShape,
    account: freshAccount,
    action: opening,
    marginMode,
    notionalUsd: magnitude(1, 1e8),
    leverage: magnitude(1, 50),
  })
  .map((recipe) => {
    const { shape, account: held, ...trade } = recipe;
    const input = assessInput({ asset: viewOfShape(shape), account: held, trade: proposedTrade(trade) });
    return shownAs(input, recipe);
  });

/** An opening in a market that can take it, of most of what the account could hold: a change can make it better. */
const demandingOpening: fc.Arbitrary<AssessInput> = fc
  .record({
    equityUsd: magnitude(1e4, 1e8),
    held: fc.option(account),
    action: opening,
    marginMode,
    share: magnitude(0.1, 1),
    leverage: between(2, 40),
  })
  .map((recipe) => {
    const { equityUsd, held, share, ...trade } = recipe;
    const notionalUsd = share * equityUsd * trade.leverage;
    const account = walletState(equityUsd, held?.positions.filter(({ ticker }) => ticker !== BTC) ?? []);
    return shownAs(assessInput({ account, trade: proposedTrade({ ...trade, notionalUsd }) }), recipe);
  });

function scoreOf(input: AssessInput, change: Partial<AssessInput["trade"]>): number {
  return assess({ ...input, trade: { ...input.trade, ...change } }).score.score;
}

function scaledBook(
  book: NonNullable<AssessInput["asset"]["book"]>,
  scale: number,
): NonNullable<AssessInput["asset"]["book"]> {
  const side = (levels: typeof book.bids): typeof book.bids => ({
    prices: levels.prices.map((price) => price * scale),
    sizesBase: levels.sizesBase.map((size) => size / scale),
    cumulativeBase: levels.cumulativeBase.map((size) => size / scale),
    cumulativeUsd: levels.cumulativeUsd,
    taken: null,
  });
  return { ...book, midPrice: book.midPrice * scale, bids: side(book.bids), asks: side(book.asks) };
}

/** Paths of numbers that are not finite; only where no bound exists by meaning is infinity a value. */
function notFinite(value: unknown, path = ""): string[] {
  if (typeof value === "number") {
    const isUnbounded = path.startsWith(".score.facts.");
    return Number.isFinite(value) || (isUnbounded && !Number.isNaN(value)) ? [] : [`${path} = ${value}`];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => notFinite(inner, `${path}.${key}`));
}
