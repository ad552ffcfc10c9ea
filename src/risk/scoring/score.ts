import { SCORE } from "../calibration.ts";
import { CRITICAL_RULES, type CriticalRule } from "../critical-flags.ts";
import type { FlagName } from "../flags.ts";
import { raisedFlags } from "../raised-flags.ts";
import { adversePoints } from "./adverse-probability.ts";
import { displayedScore, type Recommendation, recommendationOf } from "./bands.ts";
import {
  type ComponentLevel,
  compoundScore,
  SCORE_COMPONENTS,
  type ScoreParts,
  type ScoreSetting,
} from "./compounding.ts";
import { driverFloor, driverSeverity, SCORE_DRIVERS, type ScoreDriver } from "./drivers.ts";
import type { RiskFacts, ScoreFacts } from "./risk-facts.ts";

/** A component as judged: the driver that set its severity, and what it does to the score. */
export interface ScoredComponent extends ComponentLevel {
  readonly name: (typeof SCORE_COMPONENTS)[number];
  readonly weight: number;
  readonly driver: ScoreDriver;
  /** The driver's value; null when it is not known. */
  readonly rawValue: number | null;
}

export interface RiskScore {
  /** Unrounded; the recommendation follows from it. */
  readonly score: number;
  /** As shown to clients, consistent with the bands. */
  readonly displayed: number;
  readonly recommendation: Recommendation;
  readonly flags: readonly FlagName[];
  readonly components: readonly ScoredComponent[];
  readonly setting: ScoreSetting;
  readonly parts: ScoreParts;
}

/** What a component is made of, laid out once. */
interface ComponentTable {
  readonly name: (typeof SCORE_COMPONENTS)[number];
  readonly weight: number;
  readonly drivers: readonly ScoreDriver[];
  readonly criticalRules: readonly CriticalRule[];
}

const COMPONENT_TABLES = SCORE_COMPONENTS.map((name): ComponentTable => ({
  name,
  weight: SCORE.weights.value[name],
  drivers: SCORE_DRIVERS.filter(({ component }) => component === name),
  criticalRules: Object.values(CRITICAL_RULES).filter(({ component }) => component === name),
}));

/**
 * The composite score of a trade: severities of its drivers, weighted and compounded, never below what one lethal
 * risk alone demands.
 *
 * Holds:   0 to 100; a critical flag gives at least 71 and stale inputs at least 41, except that a close has at
 *          most 30 and is always "proceed"
 */
export function riskScore(facts: RiskFacts): RiskScore {
  const components = scoredComponents(facts);
  const setting = scoreSetting(facts);
  const parts = compoundScore(components, setting);
  const { score } = parts;
  return {
    score,
    displayed: displayedScore(score),
    recommendation: recommendationOf(score),
    flags: raisedFlags(facts),
    components,
    setting,
    parts,
  };
}

/** The unrounded score alone. */
export function scoreOf(facts: ScoreFacts): number {
  return compoundScore(scoredComponents(facts), scoreSetting(facts)).score;
}

function scoredComponents(facts: ScoreFacts): ScoredComponent[] {
  const components: ScoredComponent[] = [];
  for (let i = 0; i < COMPONENT_TABLES.length; i += 1) {
    components.push(scoreComponent(COMPONENT_TABLES[i]!, facts));
  }
  return components;
}

function scoreComponent(table: ComponentTable, facts: ScoreFacts): ScoredComponent {
  const { name, weight, drivers } = table;
  let driver = drivers[0]!;
  let rawValue: number | null = null;
  let severity = -1;
  let floorPoints = criticalFloor(table.criticalRules, facts);
  for (let i = 0; i < drivers.length; i += 1) {
    const candidate = drivers[i]!;
    const value = candidate.valueOf(facts);
    const candidateSeverity = driverSeverity(candidate, value);
    if (candidateSeverity > severity) {
      driver = candidate;
      rawValue = value;
      severity = candidateSeverity;
    }
    floorPoints = Math.max(floorPoints, driverFloor(candidate, value));
  }
  // P(adverse) is a loss of margin first, so its points are the var component's floor.
  if (name === "var" && facts.adverseProbability !== null) {
    floorPoints = Math.max(floorPoints, adversePoints(facts.adverseProbability));
  }
  return { name, weight, severity, floorPoints, driver, rawValue };
}

function criticalFloor(rules: readonly CriticalRule[], facts: ScoreFacts): number {
  for (let i = 0; i < rules.length; i += 1) {
    if (rules[i]!.isRaised(facts)) return SCORE.criticalFlagPoints.value;
  }
  return 0;
}

function scoreSetting(facts: ScoreFacts): ScoreSetting {
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
