import type { Direction } from "../domain/trade.ts";
import type { BookStatistics } from "./book-statistics.ts";
import { BOOK_STATISTICS_CALIBRATION } from "./book-statistics.ts";
import { slippageOf, spreadFractionOf, type SlippageMarket } from "./slippage.ts";

/** Cost of leaving a position in a bad market, fraction of notional. */
export interface ExitCost {
  /** Half of mean spread + factor x sd, at least half the spread of now. */
  readonly exogenousFraction: number;
  /** Walk beyond the half spread on the exit side with its depth cut to the bad quantile. */
  readonly endogenousFraction: number;
  readonly totalFraction: number;
}

/** Exogenous cost of liquidity: half of (mean + factor x sd) of the relative spread. Source: Bangia et al. (1999). */
export function exogenousCostFraction(meanSpread: number, sdSpread: number, factor: number): number {
  return 0.5 * (meanSpread + factor * sdSpread);
}

/**
 * What liquidity-adjusted VaR adds to VaR: Bangia's exogenous half spread plus the size's own walk through a thinned
 * book. Walking n x as much of the book as it is equals walking the book with depth / n.
 */
export function stressedExitCost(
  market: SlippageMarket,
  statistics: BookStatistics | null,
  exitDirection: Direction,
  notionalUsd: number,
  confidence: 0.95 | 0.99,
): ExitCost {
  const isFar = confidence === 0.99;
  const { depthRatio95Default, depthRatio99Default } = BOOK_STATISTICS_CALIBRATION;
  const depthRatio = isFar
    ? (statistics?.depthRatio99 ?? depthRatio99Default.value)
    : (statistics?.depthRatio95 ?? depthRatio95Default.value);
  const spreadNow = market.book === null ? 0 : spreadFractionOf(market.book);
  const badSpread =
    statistics === null
      ? 0
      : exogenousCostFraction(
          statistics.meanSpreadFraction,
          statistics.sdSpreadFraction,
          isFar ? statistics.spreadFactor99 : statistics.spreadFactor95,
        );
  const exogenousFraction = Math.max(badSpread, 0.5 * spreadNow);
  const walk = slippageOf(market, exitDirection, notionalUsd / depthRatio);
  const endogenousFraction = Math.max(0, walk.costFraction - walk.halfSpreadFraction);
  return { exogenousFraction, endogenousFraction, totalFraction: exogenousFraction + endogenousFraction };
}
