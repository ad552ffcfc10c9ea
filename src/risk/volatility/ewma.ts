import type { Calibrated } from "../../domain/calibrated.ts";
import type { EwmaRecursion } from "./variance-recursion.ts";

export const EWMA_DECAY: Calibrated = {
  value: 0.97,
  unit: "fraction per hourly step",
  source: "J.P. Morgan/Reuters, RiskMetrics Technical Document, 4th ed. (1996), with the monthly decay",
  fittedOn:
    "not fitted: published default, chosen 2026-11; right unconditional coverage of filtered simulation on 9 perpetuals",
};

/** One bar: λh + (1−λ) r². */
export function updateEwma(recursion: EwmaRecursion, varianceStep: number, returnStep: number): number {
  return recursion.decay * varianceStep + (1 - recursion.decay) * returnStep * returnStep;
}
