import type { Calibrated } from "../domain/calibrated.ts";
import { IMPACT_CALIBRATION } from "./impact.ts";

export const COST_CALIBRATION = {
  /** Round trip at which the score is 1 - 1/e. */
  scoreScale: {
    value: 0.005,
    unit: "fraction of notional",
    source: "chosen: 50 bps, about the daily volatility of the calmest assets over a few hours",
    fittedOn: "not fitted",
  },
} as const satisfies Record<string, Calibrated>;

export interface CostInputs {
  readonly entrySlippageFraction: number;
  /** Of the same size on the other side of the book. */
  readonly exitSlippageFraction: number;
  readonly halfSpreadFraction: number;
  readonly impactFraction: number;
  readonly takerFeeFraction: number;
  readonly leverage: number;
  /** Expected funding over 24 hours as a fraction of notional; positive is paid. */
  readonly fundingDrag24hFraction: number;
}

/** All fractions of notional unless the name says otherwise. */
export interface Cost {
  /** Slippage + impact + fee: an upper bound, because the walk already contains the immediate part of the impact. */
  readonly entryFraction: number;
  /** max(slippage, half spread + average impact) + fee: what is expected of an order worked over time. */
  readonly expectedEntryFraction: number;
  readonly exitFraction: number;
  readonly roundTripFraction: number;
  /** Price move that pays for the round trip. Leverage does not change it; it scales the margin at stake. */
  readonly breakevenMoveFraction: number;
  /** The same cost as a fraction of margin: breakeven x leverage. */
  readonly breakevenOfMarginFraction: number;
  /** Of margin; negative when funding is received. */
  readonly fundingDrag24hOfMarginFraction: number;
  /** 1 - exp(-round trip / scale), in [0, 1). */
  readonly costScore: number;
}

/** Holds: entry <= round trip = entry + exit. */
export function costOf(inputs: CostInputs): Cost {
  const { impactFraction, takerFeeFraction, leverage } = inputs;
  const entryFraction = inputs.entrySlippageFraction + impactFraction + takerFeeFraction;
  const exitFraction = inputs.exitSlippageFraction + impactFraction + takerFeeFraction;
  const roundTripFraction = entryFraction + exitFraction;
  const workedFraction = inputs.halfSpreadFraction + IMPACT_CALIBRATION.averageShare.value * impactFraction;
  return {
    entryFraction,
    expectedEntryFraction: Math.max(inputs.entrySlippageFraction, workedFraction) + takerFeeFraction,
    exitFraction,
    roundTripFraction,
    breakevenMoveFraction: roundTripFraction,
    breakevenOfMarginFraction: roundTripFraction * leverage,
    fundingDrag24hOfMarginFraction: inputs.fundingDrag24hFraction * leverage,
    costScore: -Math.expm1(-roundTripFraction / COST_CALIBRATION.scoreScale.value),
  };
}
