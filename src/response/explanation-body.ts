import type { ExplainedComponent, Explanation, NextBetterBand } from "../contracts/generated/types.ts";
import type { Explanation as ExplanationFacts } from "../risk/scoring/explanation.ts";
import type { Encoded } from "./encoded.ts";

type ComponentFacts = ExplanationFacts["components"][number];
type BetterBand = NonNullable<ExplanationFacts["nextBetterBand"]> & {
  readonly recommendation: NextBetterBand["recommendation"];
};
type ExplanationEncoding = Encoded<
  Explanation,
  { readonly components: readonly ComponentFacts[]; readonly next_better_band: BetterBand | null }
>;

/** How the score came about. */
export function explanation(facts: ExplanationFacts): ExplanationEncoding {
  const next = facts.nextBetterBand;
  return {
    unrounded_score: facts.score,
    components: facts.components,
    compounding_points: facts.compoundingPoints,
    adjustment_points: facts.adjustmentPoints,
    adjustment_reason: facts.adjustmentReason,
    base_points: facts.basePoints,
    next_better_band: next !== null && isBetter(next) ? next : null,
  };
}

function isBetter(next: NonNullable<ExplanationFacts["nextBetterBand"]>): next is BetterBand {
  return next.recommendation !== "abort";
}

/** Raw values keep the unit that raw_unit names. */
export function explainedComponent(component: ComponentFacts): ExplainedComponent {
  return {
    component: component.component,
    driver: component.driver,
    raw_value: component.rawValue,
    raw_unit: component.rawUnit,
    severity: component.severity,
    weight: component.weight,
    points: component.points,
    share_points: component.sharePoints,
    floor_points: component.floorPoints,
  };
}

export function nextBetterBand(next: BetterBand): NextBetterBand {
  return {
    recommendation: next.recommendation,
    size: next.notionalUsd,
    leverage: next.leverage,
    mode: next.marginMode,
  };
}
