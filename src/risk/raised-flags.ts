import { FLAG_RULES, type FlagName, type FlagRule } from "./flags.ts";
import type { RiskFacts } from "./scoring/risk-facts.ts";

const RULES = Object.entries(FLAG_RULES) as readonly (readonly [FlagName, FlagRule])[];

/** The flags whose condition holds, in the order of the table. */
export function raisedFlags(facts: RiskFacts): FlagName[] {
  const raised: FlagName[] = [];
  for (const [name, rule] of RULES) if (rule.isRaised(facts)) raised.push(name);
  return raised;
}

export function isCriticalFlag(name: FlagName): boolean {
  return FLAG_RULES[name].severity === "critical";
}
