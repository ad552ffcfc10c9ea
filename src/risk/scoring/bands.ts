import { SCORE } from "../calibration/calibration.ts";

/** From best to worst. */
export const RECOMMENDATIONS = ["proceed", "proceed_with_caution", "abort"] as const;

export type Recommendation = (typeof RECOMMENDATIONS)[number];

const DISPLAY_STEPS_PER_POINT = 10;

/** The recommendation of an unrounded score; 40.3 is already caution. */
export function recommendationOf(score: number): Recommendation {
  if (score <= SCORE.proceedMax.value) return "proceed";
  return score <= SCORE.cautionMax.value ? "proceed_with_caution" : "abort";
}

/**
 * The score as it is shown: one decimal, moved into its band as the table prints it (0 to 40, 41 to 70, 71 to 100),
 * so that a client that reads the number by the table finds the same recommendation.
 *
 * Holds:   non-decreasing in the score; within 1 point of it
 */
export function displayedScore(score: number): number {
  const rounded = Math.round(score * DISPLAY_STEPS_PER_POINT) / DISPLAY_STEPS_PER_POINT;
  const { proceedMax, cautionMax } = SCORE;
  if (score <= proceedMax.value) return rounded;
  if (score <= cautionMax.value) return Math.max(rounded, proceedMax.value + 1);
  return Math.max(rounded, cautionMax.value + 1);
}
