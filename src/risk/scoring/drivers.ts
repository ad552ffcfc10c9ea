import type { Calibrated } from "../../domain/calibrated.ts";
import { FLOORS, SCORE, type ScoreComponent, SEVERITIES } from "../calibration.ts";
import type { Ramp } from "./ramp.ts";
import { rampValue } from "./ramp.ts";
import type { ScoreFacts } from "./risk-facts.ts";

/** One number that can raise a component: its own severity curve, or a floor under the whole score, or both. */
export interface ScoreDriver {
  readonly name: string;
  readonly component: ScoreComponent;
  readonly unit: string;
  readonly severity: Calibrated<Ramp> | null;
  readonly floor: Calibrated<Ramp> | null;
  /** Null when it is not known: the component then counts at least as half. */
  readonly valueOf: (facts: ScoreFacts) => number | null;
}

/** Every driver of the score, by component in the order of the answer. */
export const SCORE_DRIVERS: readonly ScoreDriver[] = [
  {
    name: "slippage in 1-hour volatilities",
    component: "slippage",
    unit: "sigma",
    severity: SEVERITIES.slippageSigmas,
    floor: FLOORS.slippageSigmas,
    valueOf: (facts) => facts.slippageSigmas,
  },
  {
    name: "share of the depth within 1 %",
    component: "slippage",
    unit: "fraction",
    severity: SEVERITIES.depthShare,
    floor: null,
    valueOf: (facts) => facts.depthShare,
  },
  {
    name: "slippage",
    component: "slippage",
    unit: "fraction",
    severity: null,
    floor: FLOORS.slippageFraction,
    valueOf: (facts) => facts.slippageFraction,
  },
  {
    name: "share of the visible book",
    component: "slippage",
    unit: "fraction",
    severity: null,
    floor: FLOORS.bookShare,
    valueOf: (facts) => facts.bookShare,
  },
  {
    name: "probability of liquidation in 24 h",
    component: "liquidation",
    unit: "probability",
    severity: SEVERITIES.liquidationProbability,
    floor: FLOORS.liquidationProbability,
    valueOf: (facts) => facts.liquidationProbability,
  },
  {
    name: "distance to liquidation in 1-day volatilities",
    component: "liquidation",
    unit: "sigma",
    severity: SEVERITIES.liquidationSigmas,
    floor: null,
    valueOf: (facts) => facts.liquidationSigmas,
  },
  {
    name: "distance to liquidation",
    component: "liquidation",
    unit: "fraction",
    severity: null,
    floor: FLOORS.liquidationDistance,
    valueOf: (facts) => facts.liquidationDistanceFraction,
  },
  {
    name: "maintenance margin over equity",
    component: "liquidation",
    unit: "fraction",
    severity: null,
    floor: FLOORS.marginRatio,
    valueOf: (facts) => facts.marginRatio,
  },
  {
    name: "funding paid in 24 h over margin",
    component: "funding",
    unit: "fraction",
    severity: SEVERITIES.fundingDrag,
    floor: null,
    valueOf: (facts) => (facts.agentPaysFunding ? facts.fundingDragFraction : 0),
  },
  {
    name: "funding rate against its own past",
    component: "funding",
    unit: "robust z",
    severity: SEVERITIES.fundingZ,
    floor: null,
    // A short history of rates hides nothing that the drag does not count, so it is no reason for half a severity.
    valueOf: (facts) => (facts.agentPaysFunding && facts.fundingZ !== null ? Math.abs(facts.fundingZ) : 0),
  },
  {
    name: "peak impact in 1-hour volatilities",
    component: "impact",
    unit: "sigma",
    severity: SEVERITIES.impactSigmas,
    floor: null,
    valueOf: (facts) => facts.impactSigmas,
  },
  {
    name: "99 % 24 h expected shortfall over equity",
    component: "var",
    unit: "fraction",
    severity: SEVERITIES.accountLoss,
    floor: null,
    valueOf: (facts) => facts.accountLossFraction,
  },
  {
    name: "open interest over its cap",
    component: "oi",
    unit: "fraction",
    severity: SEVERITIES.openInterestUtilization,
    floor: FLOORS.openInterestUtilization,
    valueOf: (facts) => (facts.isOpenInterestAtCap ? 1 : facts.openInterestUtilization),
  },
  {
    name: "position over open interest",
    component: "oi",
    unit: "fraction",
    severity: SEVERITIES.openInterestShare,
    floor: null,
    valueOf: (facts) => facts.openInterestShare,
  },
];

/** The severity of a driver's value; a missing value counts as half. */
export function driverSeverity(driver: ScoreDriver, value: number | null): number {
  if (driver.severity === null) return 0;
  return value === null ? SCORE.missingSeverity.value : rampValue(driver.severity.value, value);
}

/** The points below which a driver's value does not let the score fall. */
export function driverFloor(driver: ScoreDriver, value: number | null): number {
  return driver.floor === null || value === null ? 0 : rampValue(driver.floor.value, value);
}
