import { SCORE, SCORE_COMPONENTS, type ScoreComponent } from "../calibration/calibration.ts";
import { displayedScore } from "./bands.ts";
import {
  compoundScore,
  type ScoreLevels,
  type ScoreParts,
  type ScoreSetting,
  shapleyPoints,
} from "./compounding.ts";
import type { NextBetterBand } from "./next-better-band.ts";
import { leadingDriver, scoreLevels } from "./score-levels.ts";
import { type RiskScore, scoreSetting } from "./score.ts";

export interface ExplainedComponent {
  readonly component: ScoreComponent;
  /** What set the severity, for people. */
  readonly driver: string;
  /** Its value in rawUnit; null when it is not known or infinite, as the distance to no liquidation. */
  readonly rawValue: number | null;
  readonly rawUnit: string;
  readonly severity: number;
  readonly weight: number;
  /** 100 x weight x severity. */
  readonly points: number;
  /** The component's share of the whole score, floors and compounding included; with basePoints they sum to it. */
  readonly sharePoints: number;
  /** Below this the component alone does not let the score fall. */
  readonly floorPoints: number;
}

/**
 * How a score came about, told twice.
 *
 * Holds:   sum of points + compoundingPoints + adjustmentPoints = displayed score;
 *          sum of sharePoints + basePoints = unrounded score
 */
export interface Explanation {
  readonly score: number;
  readonly components: readonly ExplainedComponent[];
  /** Added because several components are elevated together, the regime's part included. */
  readonly compoundingPoints: number;
  /** Added by a floor, taken away by a cap or by rounding. */
  readonly adjustmentPoints: number;
  readonly adjustmentReason: string | null;
  /** Points of stale inputs, which no component carries. */
  readonly basePoints: number;
  /** Null when the recommendation is already "proceed". */
  readonly nextBetterBand: NextBetterBand | null;
}

/** Differences below this are rounding and need no reason. */
const ROUNDING_POINTS = 0.05 + 1e-9;

/** The explanation of a score; the search for the next better band is the caller's, because it assesses again. */
export function explainScore(risk: RiskScore, nextBetterBand: NextBetterBand | null): Explanation {
  const levels = scoreLevels(risk.facts);
  const setting = scoreSetting(risk.facts);
  const parts = compoundScore(levels, setting);
  const shares = shapleyPoints(levels, setting);
  const { weightedPoints, compoundingPoints, regimePoints } = parts;
  const adjustmentPoints = risk.displayed - weightedPoints - compoundingPoints - regimePoints;
  return {
    score: risk.score,
    components: SCORE_COMPONENTS.map((component, index) => {
      const [driver, rawValue] = leadingDriver(risk.facts, component);
      const severity = levels.severities[index]!;
      const weight = SCORE.weights.value[component];
      return {
        component,
        driver: driver.name,
        rawValue: Number.isFinite(rawValue) ? rawValue : null,
        rawUnit: driver.unit,
        severity,
        weight,
        points: 100 * weight * severity,
        sharePoints: shares[index]!,
        floorPoints: levels.floorPoints[index]!,
      };
    }),
    compoundingPoints: compoundingPoints + regimePoints,
    adjustmentPoints,
    adjustmentReason:
      Math.abs(adjustmentPoints) <= ROUNDING_POINTS ? null : adjustmentReason(levels, setting, parts),
    basePoints: Math.min(setting.basePoints, setting.maxPoints),
    nextBetterBand,
  };
}

function adjustmentReason(levels: ScoreLevels, setting: ScoreSetting, parts: ScoreParts): string {
  const compound = parts.weightedPoints + parts.compoundingPoints + parts.regimePoints;
  if (Math.max(compound, parts.floorPoints) > setting.maxPoints) {
    return setting.maxPoints === SCORE.closeMax.value
      ? `an exit scores at most ${setting.maxPoints}`
      : `the score is at most ${setting.maxPoints}`;
  }
  if (parts.floorPoints <= compound) return "the number is shown inside its band";
  if (parts.floorPoints === setting.basePoints)
    return "stale or missing inputs are at best answered with caution";
  const lethal = SCORE_COMPONENTS[levels.floorPoints.indexOf(parts.floorPoints)]!;
  // In the digits of the score beside it, which it is: 75.7 is not at least 76.
  return `${lethal} alone demands at least ${displayedScore(parts.floorPoints)} points`;
}
