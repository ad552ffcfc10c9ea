import { SCORE } from "../calibration/calibration.ts";

/** From best to worst. */
export const RECOMMENDATIONS = ["proceed", "proceed_with_caution", "abort"] as const;

export type Recommendation = (typeof RECOMMENDATIONS)[number];

export interface RecommendationBands {
  readonly proceedMax: number;
  readonly cautionMax: number;
}

export const RECOMMENDATION_BANDS: RecommendationBands = {
  proceedMax: SCORE.proceedMax.value,
  cautionMax: SCORE.cautionMax.value,
};

const DISPLAY_STEPS_PER_POINT = 10;

/** The recommendation of an unrounded score; 40.3 is already caution. */
export function recommendationOf(score: number): Recommendation {
  if (score <= RECOMMENDATION_BANDS.proceedMax) return "proceed";
  return score <= RECOMMENDATION_BANDS.cautionMax ? "proceed_with_caution" : "abort";
}

/**
 * The score as it is shown: one decimal, moved into its band as the table prints it (0 to 40, 41 to 70, 71 to 100),
 * so that a client that reads the number by the table finds the same recommendation.
 *
 * Holds:   non-decreasing in the score; within 1 point of it
 */
export function displayedScore(score: number): number {
  const rounded = Math.round(score * DISPLAY_STEPS_PER_POINT) / DISPLAY_STEPS_PER_POINT;
  const { proceedMax, cautionMax } = RECOMMENDATION_BANDS;
  if (score <= proceedMax) return rounded;
  if (score <= cautionMax) return Math.max(rounded, proceedMax + 1);
  return Math.max(rounded, cautionMax + 1);
}
