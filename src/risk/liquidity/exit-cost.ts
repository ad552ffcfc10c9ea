import type { Direction } from "../../domain/trade.ts";
import type { BookStatistics } from "./book-statistics.ts";
import {
  halfSpreadFractionOf,
  slippageFractionOf,
  spreadFractionOf,
  type SlippageMarket,
} from "./slippage.ts";
import { STRESSED_DEPTH_FACTOR, STRESSED_SPREAD_MULTIPLE, type StressedExit } from "../tails/var.ts";

/**
 * What leaving a position costs in a bad market: the spread's own distribution, and the walk through a thinned book.
 * Walking n times the size through the book of now equals walking the size through a book with depth / n.
 * Holds: the spread's mean is at least the spread of now. Source: Bangia et al., Modeling liquidity risk (1999).
 */
export function stressedExitOf(
  market: SlippageMarket,
  statistics: BookStatistics | null,
  exitDirection: Direction,
): StressedExit {
  const spreadNow = market.book === null ? 0 : spreadFractionOf(market.book);
  const [depthDefault95, depthDefault99] = STRESSED_DEPTH_FACTOR.value;
  const [multipleDefault95, multipleDefault99] = STRESSED_SPREAD_MULTIPLE.value;
  return {
    spreadMean: Math.max(spreadNow, statistics?.meanSpreadFraction ?? 0),
    spreadDeviation: statistics?.sdSpreadFraction ?? 0,
    spreadMultiple95: statistics?.spreadFactor95 ?? multipleDefault95,
    spreadMultiple99: statistics?.spreadFactor99 ?? multipleDefault99,
    depthFactor95: statistics?.depthRatio95 ?? depthDefault95,
    depthFactor99: statistics?.depthRatio99 ?? depthDefault99,
    exitCostFraction: (notionalUsd, depthFactor) =>
      slippageFractionOf(market, exitDirection, notionalUsd / depthFactor) -
      halfSpreadFractionOf(market, exitDirection),
  };
}
