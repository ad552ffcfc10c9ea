import { DAY_HOURS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { Direction } from "../../domain/trade.ts";
import type { ExtremeTail } from "./evt.ts";
import type { HorizonHours } from "../scenarios/horizon.ts";
import { horizonIndex } from "../scenarios/horizon.ts";
import type { PathExtremes } from "../scenarios/path-extremes.ts";

/** Loss quantiles and tail means of one side at one horizon, as fractions of notional; losses positive. */
export interface HorizonTail {
  readonly var95: number;
  readonly var99: number;
  readonly expectedShortfall95: number;
  readonly expectedShortfall99: number;
  /** Means of the same tails were every path's sigma twice as large: how a mean follows sigma is read from them. */
  readonly doubledShortfall95: number;
  readonly doubledShortfall99: number;
}

/** Returns of a position over 24 hours across the scenarios, as fractions of notional; gains positive. */
export interface DayReturnFacts {
  readonly medianReturn: number;
  readonly worstReturn: number;
  /** The central 95 % of returns: quantiles 2.5 and 97.5 %. */
  readonly lowerReturn: number;
  readonly upperReturn: number;
}

/** Everything the scenarios say of being long, or short, one asset. */
export interface SideTails {
  /** One per horizon, ascending. Holds: every number grows with horizon and level, ES >= VaR. */
  readonly horizons: readonly HorizonTail[];
  readonly dayReturns: DayReturnFacts;
  readonly extreme: ExtremeTail;
  /** One per horizon: how far paths went against this side, for touch probabilities. */
  readonly adversePaths: readonly PathExtremes[];
  /** How far, in logarithms, a liquidation price must be for a safe size: touched within 24 h with its limit's probability. */
  readonly safeLogDistance: number;
}

/**
 * The distribution of one asset's simple returns, precomputed: a request looks up, it never simulates. Immutable;
 * replaced at each refresh and rescaled in between.
 */
export interface AssetTails {
  /** Scenarios behind every number: four blocks of the joint sheet's size, of which the sheet is the first. */
  readonly simulations: number;
  readonly long: SideTails;
  readonly short: SideTails;
  /** Standard deviation of the 24 h log return: of simple ones a few rises of a wild asset would be all of it. */
  readonly sigmaDay: number;
}

/** What closing costs in a stressed market, for the liquidity-adjusted numbers. */
export interface StressedExit {
  /** Mean of the relative quoted spread, (ask − bid)/mid. */
  readonly spreadMean: number;
  /** Standard deviation of the same. */
  readonly spreadDeviation: number;
  /** Empirical 95 and 99 % quantiles of (spread − mean)/deviation; typically 2 to 5, not the normal's 2.33. */
  readonly spreadMultiple95: number;
  readonly spreadMultiple99: number;
  /** What is left of the depth of now where the book is as thin as it is in 5 and in 1 % of the time; in (0, 1]. */
  readonly depthFactor95: number;
  readonly depthFactor99: number;
  /**
   * Average cost of closing beyond the half-spread, as a fraction, on the exit side of the book with every level's
   * size multiplied by the depth factor. Holds: non-negative, non-decreasing in size, non-increasing in depth.
   */
  readonly exitCostFraction: (notionalUsd: number, depthFactor: number) => number;
}

/** Used for the depth factors until an asset has its own distribution of depth. */
export const STRESSED_DEPTH_FACTOR: Calibrated<readonly [number, number]> = {
  value: [0.5, 0.25],
  unit: "depth over its median at 95 and 99 %",
  source: "chosen between calm days and 2025-10-10, when depth fell by more than 90 %",
  fittedOn: "not fitted: chosen 2026-11",
};
/** Used for the spread multiples until an asset has its own distribution of spreads. */
export const STRESSED_SPREAD_MULTIPLE: Calibrated<readonly [number, number]> = {
  value: [2, 4],
  unit: "standard deviations of the relative spread at 95 and 99 %",
  source:
    "Bangia, Diebold, Schuermann and Stroughair, Modeling liquidity risk (1999): 2 to 4.5 for fat-tailed spreads",
  fittedOn: "not fitted: chosen 2026-11",
};

/** The `var` block of one trade. Fractions of notional unless the name says USD. */
export interface ValueAtRisk {
  readonly notionalUsd: number;
  readonly at4h: HorizonTail;
  readonly at24h: HorizonTail;
  readonly at7d: HorizonTail;
  /** 24 h VaR plus the cost of one stressed exit; a long loses its notional at most. */
  readonly liquidityAdjustedVar95Usd: number;
  readonly liquidityAdjustedVar99Usd: number;
  /** 99 % 24 h VaR over the margin that carries the trade: 1 means all of it. */
  readonly marginVar99: number;
}

/**
 * Looks up the block for a trade; only the liquidity-adjusted numbers depend on its size.
 *
 * Holds:   LVaR >= VaR, that of a long at most its notional; marginVar99 = VaR99 USD / margin
 */
export function valueAtRisk(
  tails: AssetTails,
  direction: Direction,
  notionalUsd: number,
  marginUsd: number,
  exit: StressedExit,
): ValueAtRisk {
  const side = sideTails(tails, direction);
  const at24h = horizonTail(side, DAY_HOURS);
  // The cost is of today's value: added to the loss it can be more than a long holds.
  const lossMaxUsd = direction > 0 ? notionalUsd : Infinity;
  return {
    notionalUsd,
    at4h: horizonTail(side, 4),
    at24h,
    at7d: horizonTail(side, 168),
    liquidityAdjustedVar95Usd: Math.min(
      lossMaxUsd,
      at24h.var95 * notionalUsd +
        liquidityCostUsd(notionalUsd, exit, exit.spreadMultiple95, exit.depthFactor95),
    ),
    liquidityAdjustedVar99Usd: Math.min(
      lossMaxUsd,
      at24h.var99 * notionalUsd +
        liquidityCostUsd(notionalUsd, exit, exit.spreadMultiple99, exit.depthFactor99),
    ),
    marginVar99: (at24h.var99 * notionalUsd) / marginUsd,
  };
}

/**
 * Cost of one exit in stress: exogenous ½N(S̄ + aσ_S) for the spread plus endogenous N × cost of walking a thinned
 * book. The entry's half-spread is a cost of the trade, not part of its risk.
 *
 * Holds:   at least half the mean spread; per USD non-decreasing in size
 * Source:  Bangia, Diebold, Schuermann and Stroughair, Modeling liquidity risk (1999)
 */
export function liquidityCostUsd(
  notionalUsd: number,
  exit: Pick<StressedExit, "spreadMean" | "spreadDeviation" | "exitCostFraction">,
  spreadMultiple: number,
  depthFactor: number,
): number {
  const exogenousUsd = 0.5 * notionalUsd * (exit.spreadMean + spreadMultiple * exit.spreadDeviation);
  return exogenousUsd + notionalUsd * exit.exitCostFraction(notionalUsd, depthFactor);
}

export function sideTails(tails: AssetTails, direction: Direction): SideTails {
  return direction === 1 ? tails.long : tails.short;
}

export function horizonTail(side: SideTails, horizonHours: HorizonHours): HorizonTail {
  return side.horizons[horizonIndex(horizonHours)]!;
}

/**
 * Restores the order that only simulation noise can break, by running maxima from 0: VaR and ES grow with the level and
 * the horizon, ES is at least VaR. Shapes: ascending horizons.
 */
export function orderedTails(tails: readonly HorizonTail[]): readonly HorizonTail[] {
  let var95 = 0;
  let var99 = 0;
  let expectedShortfall95 = 0;
  let expectedShortfall99 = 0;
  return tails.map((tail) => {
    var95 = Math.max(var95, tail.var95);
    var99 = Math.max(var99, tail.var99, var95);
    expectedShortfall95 = Math.max(expectedShortfall95, tail.expectedShortfall95, var95);
    expectedShortfall99 = Math.max(expectedShortfall99, tail.expectedShortfall99, expectedShortfall95, var99);
    return { ...tail, var95, var99, expectedShortfall95, expectedShortfall99 };
  });
}
