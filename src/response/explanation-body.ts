import type { Explanation, NextBetterBand } from "../contracts/generated/types.ts";
import type { Explanation as ExplanationFacts } from "../risk/scoring/explanation.ts";
import { rounded, roundedOrNull } from "./units.ts";

/** How the score came about. Raw values keep the unit that raw_unit names. */
export function explanationBody(explanation: ExplanationFacts): Explanation {
  return {
    unrounded_score: rounded(explanation.score),
    components: explanation.components.map((component) => ({
      component: component.component,
      driver: component.driver,
      // No liquidation price is an infinite distance, which JSON cannot say.
      raw_value: finiteOrNull(component.rawValue),
      raw_unit: component.rawUnit,
      severity: rounded(component.severity),
      weight: component.weight,
      points: rounded(component.points),
      share_points: rounded(component.sharePoints),
      floor_points: rounded(component.floorPoints),
    })),
    compounding_points: rounded(explanation.compoundingPoints),
    adjustment_points: rounded(explanation.adjustmentPoints),
    adjustment_reason: explanation.adjustmentReason,
    base_points: rounded(explanation.basePoints),
    next_better_band: nextBetterBand(explanation.nextBetterBand),
  };
}

function nextBetterBand(next: ExplanationFacts["nextBetterBand"]): NextBetterBand | null {
  if (next === null || next.recommendation === "abort") return null;
  return {
    recommendation: next.recommendation,
    size: roundedOrNull(next.notionalUsd),
    leverage: roundedOrNull(next.leverage),
    mode: next.marginMode,
  };
}

function finiteOrNull(x: number | null): number | null {
  return x !== null && Number.isFinite(x) ? rounded(x) : null;
}
