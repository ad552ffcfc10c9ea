import { WEEK_HOURS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";

export const FULL_HISTORY_HOURS: Calibrated = {
  value: 720,
  unit: "hours",
  source: "chosen: 30 days; below it a 99 % tail rests on seven hourly exceedances or fewer",
  fittedOn: "not fitted: chosen 2026-11",
};
export const PEER_VARIANCE_HOURS: Calibrated = {
  value: 72,
  unit: "hours",
  source: "chosen: three days of own bars weigh as much as the peers' variance",
  fittedOn: "not fitted: chosen 2026-11",
};
export const SHORT_HISTORY_WIDENING: Calibrated = {
  value: 0.5,
  unit: "share of sigma added at one week of history, falling with the root of the hours",
  source: "chosen",
  fittedOn: "not fitted: chosen 2026-11",
};
export const SHORT_HISTORY_MULTIPLIER_MAX: Calibrated = {
  value: 1.5,
  unit: "ratio",
  source: "chosen",
  fittedOn: "not fitted: chosen 2026-11",
};

/** Variance of a young listing drawn toward its peers', σ² = (n σ̂² + 72 σ²_peer)/(n + 72). */
export function shrunkVarianceStep(
  historyHours: number,
  ownVarianceStep: number,
  peerVarianceStep: number,
): number {
  const peerHours = PEER_VARIANCE_HOURS.value;
  return (historyHours * ownVarianceStep + peerHours * peerVarianceStep) / (historyHours + peerHours);
}

/**
 * Multiplier of sigma for what little history does not show, 1 + ½√(168/n) up to 1.5; 1 from 720 hours on. It
 * enters before the simulation, so that every number made of the scenarios carries it alike.
 */
export function shortHistoryMultiplier(historyHours: number): number {
  if (historyHours >= FULL_HISTORY_HOURS.value) return 1;
  const raw = 1 + SHORT_HISTORY_WIDENING.value * Math.sqrt(WEEK_HOURS / historyHours);
  return Math.min(SHORT_HISTORY_MULTIPLIER_MAX.value, raw);
}
