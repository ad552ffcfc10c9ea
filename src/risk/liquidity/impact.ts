import type { Calibrated } from "../../domain/calibrated.ts";
import { FITTED } from "../calibration/fitted-values.ts";

export const IMPACT_CALIBRATION = {
  coefficient: FITTED.impactCoefficient,
  /** What cannot be known is priced as the worst: no volume, no volatility. */
  fractionMax: {
    value: 1,
    unit: "fraction of price",
    source: "chosen: 10 000 bps, the cap also of an asset without volume",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

export interface Impact {
  /** Peak impact of the order, fraction of price. */
  readonly impactFraction: number;
  /** Order / 24-hour volume. */
  readonly participationFraction: number;
}

/**
 * Square-root law: impact = coefficient x sigma_day x sqrt(notional / 24-hour volume), capped at 1.
 * Units: sigmaDay is a daily fraction, not annual; null when unknown.
 */
export function impactOf(notionalUsd: number, sigmaDay: number | null, volume24hUsd: number): Impact {
  if (notionalUsd <= 0) return { impactFraction: 0, participationFraction: 0 };
  const participationFraction = notionalUsd / Math.max(volume24hUsd, 1);
  const cap = IMPACT_CALIBRATION.fractionMax.value;
  if (!(volume24hUsd > 0) || sigmaDay === null) {
    return { impactFraction: cap, participationFraction };
  }
  const raw = IMPACT_CALIBRATION.coefficient.value * sigmaDay * Math.sqrt(notionalUsd / volume24hUsd);
  return { impactFraction: Math.min(cap, raw), participationFraction };
}

/** Largest order whose impact stays within a limit: volume x (limit / (coefficient sigma_day))^2. */
export function notionalAtImpactUsd(
  impactLimitFraction: number,
  sigmaDay: number | null,
  volume24hUsd: number,
): number {
  if (!(volume24hUsd > 0) || sigmaDay === null) return 0;
  const ratio = impactLimitFraction / (IMPACT_CALIBRATION.coefficient.value * sigmaDay);
  return volume24hUsd * ratio * ratio;
}
