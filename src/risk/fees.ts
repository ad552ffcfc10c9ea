import type { Calibrated } from "../domain/calibrated.ts";

export const FEE_CALIBRATION = {
  takerBase: {
    value: 0.00045,
    unit: "fraction of notional",
    source: "Exchange documentation, Fees: perps taker, tier 0 (2026-09)",
    fittedOn: "not fitted: a published rate, read 2026-09",
  },
} as const satisfies Record<string, Calibrated>;

export interface Fees {
  readonly takerFeeFraction: number;
  readonly feeUsd: number;
  /** Fee / margin posted for the trade; 0 when none is posted. */
  readonly feeOfMarginFraction: number;
}

/** The wallet's own taker fee, else the base tier. */
export function takerFeeFractionOf(walletFeeFraction: number | null): number {
  return walletFeeFraction ?? FEE_CALIBRATION.takerBase.value;
}

export function feesOf(notionalUsd: number, takerFeeFraction: number, marginUsd: number): Fees {
  const feeUsd = notionalUsd * takerFeeFraction;
  return { takerFeeFraction, feeUsd, feeOfMarginFraction: marginUsd > 0 ? feeUsd / marginUsd : 0 };
}
