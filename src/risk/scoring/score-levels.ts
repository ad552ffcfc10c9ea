import { SCORE, SCORE_COMPONENTS, type ScoreComponent } from "../calibration/calibration.ts";
import { CRITICAL_RULES } from "./critical-flags.ts";
import { adversePoints } from "./adverse-probability.ts";
import type { ScoreLevels } from "./compounding.ts";
import { SCORE_DRIVERS, type ScoreDriver } from "./drivers.ts";
import { type Ramp, rampValue } from "../../math/ramp.ts";
import type { ScoreFacts } from "./risk-facts.ts";

/** A driver as it is read for every size tried: the place of its component, its curves. */
interface DriverTable {
  readonly component: number;
  readonly severity: Ramp | null;
  readonly floor: Ramp | null;
}

const TABLES = SCORE_DRIVERS.map((driver): DriverTable => ({
  component: SCORE_COMPONENTS.indexOf(driver.component),
  severity: driver.severity?.value ?? null,
  floor: driver.floor?.value ?? null,
}));

const placeOf = (component: ScoreComponent): number => SCORE_COMPONENTS.indexOf(component);
const SLIPPAGE = placeOf("slippage");
const LIQUIDATION = placeOf("liquidation");
const VAR = placeOf("var");
const OI = placeOf("oi");

/** Stands for a value that is not known; no driver has it. NaN would be, and stays, a mistake. */
const UNKNOWN = -Infinity;

/** A number for each of a list's items: a list of another length does not compile. */
type NumberOfEach<Items extends readonly unknown[]> = { readonly [K in keyof Items]: number };

/** The drivers' values in the order of SCORE_DRIVERS. */
function driverValues(facts: ScoreFacts): NumberOfEach<typeof SCORE_DRIVERS> {
  const { paidFundingShare, isOpenInterestAtCap } = facts;
  return [
    facts.slippageSigmas ?? UNKNOWN,
    facts.depthShare ?? UNKNOWN,
    facts.slippageFraction ?? UNKNOWN,
    facts.bookShare,
    facts.liquidationProbability ?? UNKNOWN,
    facts.poolLiquidationAdded,
    facts.liquidationSigmas ?? UNKNOWN,
    facts.liquidationDistanceFraction,
    facts.marginRatio,
    paidFundingShare > 0 ? facts.fundingDragFraction : 0,
    // A short history of rates hides nothing that the drag does not count, so it is no reason for half a severity.
    paidFundingShare * Math.abs(facts.fundingZ ?? 0),
    facts.impactSigmas ?? UNKNOWN,
    facts.accountLossFraction ?? UNKNOWN,
    isOpenInterestAtCap ? 1 : (facts.openInterestUtilization ?? UNKNOWN),
    facts.openInterestShare,
  ];
}

/**
 * Every component's severity, the highest of its drivers', and the points below which it does not let the score fall:
 * its drivers' floors, a critical flag, a likely adverse outcome.
 */
export function scoreLevels(facts: ScoreFacts): ScoreLevels {
  const values = driverValues(facts);
  const severities = [0, 0, 0, 0, 0, 0];
  const floorPoints = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < TABLES.length; i += 1) {
    const { component, severity, floor } = TABLES[i]!;
    const value = values[i]!;
    if (severity !== null) {
      const height = severityAt(severity, value);
      if (height > severities[component]!) severities[component] = height;
    }
    if (floor !== null && value !== UNKNOWN) {
      const points = rampValue(floor, value);
      if (points > floorPoints[component]!) floorPoints[component] = points;
    }
  }
  if (CRITICAL_RULES.extreme_slippage.isRaised(facts)) raise(floorPoints, SLIPPAGE);
  if (CRITICAL_RULES.near_liquidation.isRaised(facts)) raise(floorPoints, LIQUIDATION);
  if (CRITICAL_RULES.near_backstop.isRaised(facts)) raise(floorPoints, LIQUIDATION);
  if (CRITICAL_RULES.oi_at_cap.isRaised(facts)) raise(floorPoints, OI);
  // P(adverse) is a loss of margin first, so its points are the var component's floor.
  const { adverseProbability } = facts;
  if (adverseProbability !== null) {
    floorPoints[VAR] = Math.max(floorPoints[VAR]!, adversePoints(adverseProbability));
  }
  return { severities, floorPoints };
}

/** The first driver of a component that sets its severity, with its value; null where it is not known. */
export function leadingDriver(facts: ScoreFacts, component: ScoreComponent): [ScoreDriver, number | null] {
  const values = driverValues(facts);
  let leading = -1;
  let highest = -1;
  SCORE_DRIVERS.forEach((driver, i) => {
    if (driver.component !== component) return;
    const { severity } = TABLES[i]!;
    const height = severity === null ? 0 : severityAt(severity, values[i]!);
    if (height <= highest) return;
    leading = i;
    highest = height;
  });
  const value = values[leading]!;
  return [SCORE_DRIVERS[leading]!, value === UNKNOWN ? null : value];
}

/** The severity of a driver's value; a missing value counts as half. */
function severityAt(curve: Ramp, value: number): number {
  return value === UNKNOWN ? SCORE.missingSeverity.value : rampValue(curve, value);
}

function raise(floorPoints: number[], component: number): void {
  floorPoints[component] = Math.max(floorPoints[component]!, SCORE.criticalFlagPoints.value);
}
