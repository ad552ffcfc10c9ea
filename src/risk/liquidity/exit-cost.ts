import type { Direction } from "../../domain/trade.ts";
import { type BookStatistics, depthRatioOf } from "./book-statistics.ts";
import {
  type BookDepth,
  halfSpreadFractionOf,
  slippageFractionOf,
  spreadFractionOf,
  type SlippageMarket,
} from "./slippage.ts";
import { STRESSED_DEPTH_FACTOR, STRESSED_SPREAD_MULTIPLE, type StressedExit } from "../tails/var.ts";

/**
 * What leaving a position costs in a bad market: the spread's own distribution, and the walk through a thinned book.
 * Walking n times the size through the book of now, with n times the volume for what no level is known for, equals walking
 * the size through a book with depth / n.
 *
 * The depth of a bad market is a quantile of the asset's usual depth. A book that is deep at the moment is thinned to it, one
 * that is thinner already stays as it is.
 *
 * Shapes:  depth of the market's book; null where there is none
 * Holds:   the spread's mean is at least the spread of now; costs no less in a thinner book
 * Source:  Bangia et al., Modeling liquidity risk (1999)
 */
export function stressedExitOf(
  market: SlippageMarket,
  depth: Pick<BookDepth, "depth100BpsUsd"> | null,
  statistics: BookStatistics | null,
  exitDirection: Direction,
): StressedExit {
  const spreadNow = market.book === null ? 0 : spreadFractionOf(market.book);
  const [depthDefault95, depthDefault99] = STRESSED_DEPTH_FACTOR.value;
  const [multipleDefault95, multipleDefault99] = STRESSED_SPREAD_MULTIPLE.value;
  const depthRatioNow = depth === null ? 1 : depthRatioOf(depth.depth100BpsUsd, statistics);
  return {
    spreadMean: Math.max(spreadNow, statistics?.meanSpreadFraction ?? 0),
    spreadDeviation: statistics?.sdSpreadFraction ?? 0,
    spreadMultiple95: statistics?.spreadFactor95 ?? multipleDefault95,
    spreadMultiple99: statistics?.spreadFactor99 ?? multipleDefault99,
    depthFactor95: factorTo(statistics?.depthRatio95 ?? depthDefault95, depthRatioNow),
    depthFactor99: factorTo(statistics?.depthRatio99 ?? depthDefault99, depthRatioNow),
    exitCostFraction: (notionalUsd, depthFactor) =>
      slippageFractionOf(deepened(market, depthFactor), exitDirection, notionalUsd / depthFactor) -
      halfSpreadFractionOf(market, exitDirection),
  };
}

/** The market whose volume is to its book of now what its volume is to a book of so much of that depth. */
function deepened(market: SlippageMarket, depthFactor: number): SlippageMarket {
  return {
    book: market.book,
    markPrice: market.markPrice,
    sigmaDay: market.sigmaDay,
    volume24hUsd: market.volume24hUsd / depthFactor,
  };
}

/** What the depth of now is multiplied by to be no more than a ratio of the usual one. */
function factorTo(depthRatio: number, depthRatioNow: number): number {
  return depthRatioNow > depthRatio ? depthRatio / depthRatioNow : 1;
}
