import {
  FLOORS,
  SCORE,
  SCORE_COMPONENTS,
  type ScoreComponent,
  SEVERITIES,
} from "../calibration/calibration.ts";
import { adversePoints } from "../scoring/adverse-probability.ts";
import { type Recommendation, recommendationOf, RECOMMENDATIONS } from "../scoring/bands.ts";
import { compoundScore } from "../scoring/compounding.ts";
import { type Ramp, rampValue } from "../../math/ramp.ts";
import { scoreProbability } from "../scoring/score-probability.ts";
import type { Evidence } from "./fit-finding.ts";

/** A position that was opened at one moment of the past, as the score would have seen it, and what came of it. */
export interface AdverseCase {
  /** Days since the epoch: what falls on one day is one observation. */
  readonly day: number;
  readonly liquidationProbability: number;
  readonly liquidationSigmas: number;
  readonly adverseProbability: number;
  /** 99 % 24 h expected shortfall over the margin. */
  readonly accountLossFraction: number;
  /** Liquidated, or half of the margin lost on the way, within 24 h. */
  readonly isAdverse: boolean;
}

/** The two curves of the score that are about probability. */
export interface AdverseAnchors {
  readonly liquidationSigmas: Ramp;
  readonly accountLoss: Ramp;
}

export const ANCHORS_IN_FORCE: AdverseAnchors = {
  liquidationSigmas: SEVERITIES.liquidationSigmas.value,
  accountLoss: SEVERITIES.accountLoss.value,
};

/** Observed share of adverse outcomes in each band, with the score under given anchors. */
export function bandTable(
  cases: readonly AdverseCase[],
  anchors: AdverseAnchors = ANCHORS_IN_FORCE,
): Readonly<
  Record<Recommendation, { readonly count: number; readonly observed: number; readonly published: number }>
> {
  const rows = RECOMMENDATIONS.map((band) => {
    const scored = cases
      .map((one) => ({ one, score: caseScore(one, anchors) }))
      .filter(({ score }) => recommendationOf(score) === band);
    const mean = (of: (entry: (typeof scored)[number]) => number): number =>
      scored.reduce((sum, entry) => sum + of(entry), 0) / scored.length;
    return [
      band,
      {
        count: scored.length,
        observed: mean(({ one }) => (one.isAdverse ? 1 : 0)),
        published: mean(({ score }) => scoreProbability(SCORE.adverseCurve.value, score)),
      },
    ] as const;
  });
  return Object.fromEntries(rows) as ReturnType<typeof bandTable>;
}

/** The score of a trade whose costs, funding and open interest are harmless. */
export function caseScore(one: AdverseCase, anchors: AdverseAnchors): number {
  const severityOf: Partial<Record<ScoreComponent, number>> = {
    liquidation: Math.max(
      rampValue(SEVERITIES.liquidationProbability.value, one.liquidationProbability),
      rampValue(anchors.liquidationSigmas, one.liquidationSigmas),
    ),
    var: rampValue(anchors.accountLoss, one.accountLossFraction),
  };
  const floorOf: Partial<Record<ScoreComponent, number>> = {
    liquidation: rampValue(FLOORS.liquidationProbability.value, one.liquidationProbability),
    var: adversePoints(one.adverseProbability),
  };
  const levels = {
    severities: SCORE_COMPONENTS.map((component) => severityOf[component] ?? 0),
    floorPoints: SCORE_COMPONENTS.map((component) => floorOf[component] ?? 0),
  };
  return compoundScore(levels, { regimeKappa: 0, basePoints: 0, maxPoints: 100 }).score;
}

export function bandEvidence(name: string, table: ReturnType<typeof bandTable>): Evidence {
  return {
    [`${name}Counts`]: RECOMMENDATIONS.map((band) => table[band].count),
    [`${name}Observed`]: RECOMMENDATIONS.map((band) => table[band].observed),
    [`${name}Published`]: RECOMMENDATIONS.map((band) => table[band].published),
  };
}
