import * as fc from "fast-check";
import type { OrderBook } from "../../src/domain/book.ts";
import type { Direction } from "../../src/domain/trade.ts";
import type { RiskFacts } from "../../src/risk/scoring/risk-facts.ts";
import { orderBook } from "./builders.ts";

export const direction: fc.Arbitrary<Direction> = fc.constantFrom<Direction[]>(1, -1);

/**
 * 0 to 1, evenly, and a quarter of the time as fast-check draws doubles: evenly over those that there are, which nearly
 * all are next to nothing.
 */
export const fraction: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.noBias(fc.integer({ min: 0, max: 1_000_000 })).map((part) => part / 1_000_000) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
);

/** A number between two, evenly, and sometimes next to the first. */
export function between(from: number, to: number): fc.Arbitrary<number> {
  return fraction.map((share) => from + share * (to - from));
}

/** Any positive magnitude, even in its logarithm: as many tens as thousands. */
export function magnitude(from: number, to: number): fc.Arbitrary<number> {
  const spread = Math.log(to / from);
  return fraction.map((share) => Math.min(to, Math.max(from, from * Math.exp(share * spread))));
}

/** Includes the ends exactly, which a continuous draw never meets. */
const probability: fc.Arbitrary<number> = fc.oneof(fraction, fc.constantFrom(0, 0.01, 0.05, 0.2, 0.5, 1));
export const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 8 });

const nonNegative = fc.oneof(magnitude(1e-6, 1e3), fc.constantFrom(0, Infinity));

/** An uncrossed book of 1 to 30 levels a side around any price: gaps and sizes over several orders of magnitude. */
export const book: fc.Arbitrary<OrderBook> = fc
  .record({
    midPrice: magnitude(1e-5, 2e5),
    halfSpreadFraction: magnitude(1e-6, 0.01),
    bids: fc.array(fc.tuple(magnitude(1e-5, 0.01), magnitude(10, 1e7)), { minLength: 1, maxLength: 30 }),
    asks: fc.array(fc.tuple(magnitude(1e-5, 0.01), magnitude(10, 1e7)), { minLength: 1, maxLength: 30 }),
  })
  .map(({ midPrice, halfSpreadFraction, bids, asks }) => {
    const ladder = (sign: Direction, steps: readonly (readonly [number, number])[]): [number, number][] => {
      let logDistance = sign * halfSpreadFraction;
      return steps.map(([gapFraction, levelUsd]) => {
        const price = midPrice * Math.exp(logDistance);
        logDistance += sign * gapFraction;
        return [price, levelUsd / price];
      });
    };
    return orderBook(ladder(-1, bids), ladder(1, asks));
  });

/** Any facts that an assessment could hand to the score, unknown ones included. */
export const riskFacts: fc.Arbitrary<RiskFacts> = fc.record({
  isClose: fc.boolean(),
  direction,
  slippageFraction: nullable(fc.oneof(magnitude(1e-6, 1), fc.constant(0))),
  slippageSigmas: nullable(nonNegative),
  bookShare: nonNegative,
  depthShare: nullable(nonNegative),
  depthRatio: nullable(nonNegative),
  impactSigmas: nullable(nonNegative),
  participationFraction: nonNegative,
  volume24hUsd: fc.oneof(magnitude(1, 1e10), fc.constant(0)),
  liquidationProbability: nullable(probability),
  poolLiquidationAdded: probability,
  liquidationDistanceFraction: fc.oneof(magnitude(1e-4, 10), fc.constantFrom(0, Infinity)),
  liquidationSigmas: nullable(nonNegative),
  marginRatio: nonNegative,
  adverseProbability: nullable(probability),
  accountLossFraction: nullable(nonNegative),
  leverage: magnitude(1, 50),
  maxLeverage: fc.integer({ min: 1, max: 50 }),
  isAboveTierLeverage: fc.boolean(),
  marginSigma: nullable(nonNegative),
  adlRank: nonNegative,
  positionNotionalUsd: magnitude(1, 1e9),
  orderNotionalUsd: magnitude(1, 1e8),
  paidFundingShare: fc.oneof(fraction, fc.constantFrom(0, 1)),
  fundingDragFraction: nonNegative,
  fundingZ: nullable(between(-30, 30)),
  cexDivergenceRatio: fc.oneof(between(-100, 100), fc.constant(0)),
  isOpenInterestAtCap: fc.boolean(),
  openInterestUtilization: nullable(between(0, 1.5)),
  openInterestShare: nonNegative,
  concentrationShare: fraction,
  correlation: nullable(between(-1, 1)),
  stressedProbability: fraction.map((p) => p / 2),
  crisisProbability: fraction.map((p) => p / 2),
  historyHours: fc.integer({ min: 0, max: 5000 }),
  isHistoryPatchy: fc.boolean(),
  isNewListing: fc.boolean(),
  isMarketStale: fc.boolean(),
  isWalletStale: fc.boolean(),
  isWalletMissing: fc.boolean(),
  isCollateralUnknown: fc.boolean(),
  isUnifiedAccount: fc.boolean(),
  isMarginInsufficient: fc.boolean(),
  hasUnpricedPosition: fc.boolean(),
  isCloseWithoutPosition: fc.boolean(),
  isCloseOversized: fc.boolean(),
});
