import { CRITICAL_RULES } from "./critical-flags.ts";
import { FLAG_RULES, type FlagName, type FlagRule } from "./flags.ts";
import type { RiskFacts } from "./scoring/risk-facts.ts";

const NAMES = Object.keys(FLAG_RULES) as readonly FlagName[];
const PREDICATES = Object.values<FlagRule>(FLAG_RULES).map((rule) => rule.isRaised);

/** The flags whose condition holds, in the order of the table. */
export function raisedFlags(facts: RiskFacts): FlagName[] {
  const raised: FlagName[] = [];
  for (let i = 0; i < PREDICATES.length; i++) if (PREDICATES[i]!(facts)) raised.push(NAMES[i]!);
  return raised;
}

export function isCriticalFlag(name: FlagName): boolean {
  return name in CRITICAL_RULES;
}
