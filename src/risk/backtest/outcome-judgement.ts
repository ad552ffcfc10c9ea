import type { Outcome } from "../../domain/trade-outcome.ts";
import { SCORE } from "../calibration.ts";
import type { Ramp } from "../scoring/ramp.ts";
import { scoreProbability } from "../scoring/score-probability.ts";

/**
 * Whether a trade lost half its margin or more, pnl / (size / leverage) ≤ −0.5: the event that the score's probability
 * is of. A liquidation is one: maintenance margin is at most half the initial, so more than half is gone by then.
 */
export function isAdverseOutcome({
  pnlUsd,
  sizeUsd,
  leverage,
}: Pick<Outcome, "pnlUsd" | "sizeUsd" | "leverage">): boolean {
  return (pnlUsd * leverage) / sizeUsd <= -SCORE.adverseMarginFraction.value;
}

/**
 * The probability that was published with the score at entry; null where none was: the calibration is unknown, or the
 * trade was a close, whose score is capped and forecasts nothing.
 */
export function forecastOfOutcome(
  { action, riskScoreAtEntry }: Pick<Outcome, "action" | "riskScoreAtEntry">,
  curve: Ramp | undefined,
): number | null {
  return curve === undefined || action === "close" ? null : scoreProbability(curve, riskScoreAtEntry);
}
