import type { Outcome } from "../../domain/trade-outcome.ts";
import { SCORE } from "../calibration/calibration.ts";
import type { Ramp } from "../../math/ramp.ts";
import { scoreProbability } from "../scoring/score-probability.ts";

/**
 * Whether a trade lost half its margin or more, pnl / (size / leverage) ≤ −0.5, or more than the 99 % VaR that stood at
 * entry over its holding period, a fraction of its size, where that is known. A liquidation of a position alone in its
 * margin is the first: maintenance is at most half the initial margin, so more than half is gone by then. Only a short at
 * its asset's largest leverage l, whose maintenance grows with the price, has lost less, 1/2 / (1 + 1/(2 l)).
 */
export function isAdverseOutcome(
  { pnlUsd, sizeUsd, leverage }: Pick<Outcome, "pnlUsd" | "sizeUsd" | "leverage">,
  var99Fraction: number | null,
): boolean {
  if ((pnlUsd * leverage) / sizeUsd <= -SCORE.adverseMarginFraction.value) return true;
  return var99Fraction !== null && -pnlUsd / sizeUsd > var99Fraction;
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
