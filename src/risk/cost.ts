import type { Calibrated } from "../domain/calibrated.ts";

export const COST_CALIBRATION = {
  /** Round trip at which the score is 1 - 1/e. */
  scoreScale: {
    value: 0.005,
    unit: "fraction of notional",
    source: "chosen: 50 bps, about what the calmest assets move in a few hours",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

export interface CostInputs {
  readonly entrySlippageFraction: number;
  /** Of the same size on the other side of the book. */
  readonly exitSlippageFraction: number;
  readonly impactFraction: number;
  readonly takerFeeFraction: number;
  readonly leverage: number;
  /** Expected funding over 24 hours as a fraction of notional, of which what only reduces bears none; positive is paid. */
  readonly fundingDrag24hFraction: number;
}

/** All fractions of notional unless the name says otherwise. */
export interface Cost {
  /** Slippage + impact + fee: an upper bound, because the walk already contains the immediate part of the impact. */
  readonly entryFraction: number;
  readonly exitFraction: number;
  readonly roundTripFraction: number;
  /** Price move that pays for the round trip; leverage does not change it. */
  readonly breakevenMoveFraction: number;
  /** Of margin; negative when funding is received. */
  readonly fundingDrag24hOfMarginFraction: number;
  /** 1 - exp(-round trip / scale), in [0, 1]. */
  readonly costScore: number;
}

/** Holds: entry <= round trip = entry + exit. */
export function costOf(inputs: CostInputs): Cost {
  const { impactFraction, takerFeeFraction, leverage } = inputs;
  const entryFraction = inputs.entrySlippageFraction + impactFraction + takerFeeFraction;
  const exitFraction = inputs.exitSlippageFraction + impactFraction + takerFeeFraction;
  const roundTripFraction = entryFraction + exitFraction;
  return {
    entryFraction,
    exitFraction,
    roundTripFraction,
    breakevenMoveFraction: roundTripFraction,
    fundingDrag24hOfMarginFraction: inputs.fundingDrag24hFraction * leverage,
    costScore: -Math.expm1(-roundTripFraction / COST_CALIBRATION.scoreScale.value),
  };
}
