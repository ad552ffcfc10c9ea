import { DAY_HOURS } from "../../domain/bar.ts";
import type { Direction } from "../../domain/trade.ts";
import type { AssetTails, DayReturnFacts } from "./var.ts";
import { horizonTail, sideTails } from "./var.ts";

/** The `monte_carlo` block, in fractions of notional; losses positive, returns signed. */
export interface MonteCarlo extends DayReturnFacts {
  /** Paths behind every number of the block. */
  readonly simulations: number;
  readonly var95: number;
  readonly var99: number;
  readonly expectedShortfall95: number;
  readonly expectedShortfall99: number;
}

/**
 * Reads the block from the same numbers as the `var` block: they are one simulation and agree bit for bit.
 * Holds: worst <= −ES99 <= −VaR99 <= lower <= −VaR95 <= median <= upper
 */
export function monteCarlo(tails: AssetTails, direction: Direction): MonteCarlo {
  const side = sideTails(tails, direction);
  const day = horizonTail(side, DAY_HOURS);
  const { dayReturns } = side;
  return {
    simulations: tails.simulations,
    var95: day.var95,
    var99: day.var99,
    expectedShortfall95: day.expectedShortfall95,
    expectedShortfall99: day.expectedShortfall99,
    medianReturn: dayReturns.medianReturn,
    worstReturn: dayReturns.worstReturn,
    lowerReturn: dayReturns.lowerReturn,
    upperReturn: dayReturns.upperReturn,
  };
}
