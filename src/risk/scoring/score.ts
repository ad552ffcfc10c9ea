import { SCORE } from "../calibration/calibration.ts";
import type { FlagName } from "./flags.ts";
import { raisedFlags } from "./raised-flags.ts";
import { displayedScore, type Recommendation, recommendationOf } from "./bands.ts";
import { compoundScore, type ScoreSetting } from "./compounding.ts";
import type { RiskFacts, ScoreFacts } from "./risk-facts.ts";
import { scoreLevels } from "./score-levels.ts";

export interface RiskScore {
  /** Unrounded; the recommendation follows from it. */
  readonly score: number;
  /** As shown to clients, consistent with the bands. */
  readonly displayed: number;
  readonly recommendation: Recommendation;
  readonly flags: readonly FlagName[];
  /** What it was made from: the explanation, when one is asked for, works it out again. */
  readonly facts: RiskFacts;
}

/**
 * The composite score of a trade: severities of its drivers, weighted and compounded, never below what one lethal
 * risk alone demands.
 *
 * Holds:   0 to 100; a critical flag gives at least 71 and stale inputs at least 41, except that a close has at
 *          most 30 and is always "proceed"
 */
export function riskScore(facts: RiskFacts): RiskScore {
  const score = scoreOf(facts);
  return {
    score,
    displayed: displayedScore(score),
    recommendation: recommendationOf(score),
    flags: raisedFlags(facts),
    facts,
  };
}

/** The unrounded score alone. */
export function scoreOf(facts: ScoreFacts): number {
  return compoundScore(scoreLevels(facts), scoreSetting(facts)).score;
}

/** What of the facts raises or caps the score whatever its components are. */
export function scoreSetting(facts: ScoreFacts): ScoreSetting {
  const isStale =
    facts.isMarketStale || facts.isWalletStale || facts.isWalletMissing || facts.isCollateralUnknown;
  return {
    regimeKappa:
      SCORE.kappaStressed.value * facts.stressedProbability +
      SCORE.kappaCrisis.value * facts.crisisProbability,
    basePoints: isStale ? SCORE.stalePoints.value : 0,
    maxPoints: facts.isClose ? SCORE.closeMax.value : 100,
  };
}
