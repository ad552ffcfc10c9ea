import type { Calibrated } from "../../domain/calibrated.ts";
import { FLOORS, type ScoreComponent, SEVERITIES } from "../calibration/calibration.ts";
import type { Ramp } from "../../math/ramp.ts";

/** One number that can raise a component: its own severity curve, or a floor under the whole score, or both. */
export interface ScoreDriver {
  readonly name: string;
  readonly component: ScoreComponent;
  readonly unit: string;
  readonly severity: Calibrated<Ramp> | null;
  readonly floor: Calibrated<Ramp> | null;
}

/** Every driver of the score, by component in the order of the answer. */
export const SCORE_DRIVERS = [
  {
    name: "slippage in 1-hour volatilities",
    component: "slippage",
    unit: "sigma",
    severity: SEVERITIES.slippageSigmas,
    floor: FLOORS.slippageSigmas,
  },
  {
    name: "share of the depth within 1 %",
    component: "slippage",
    unit: "fraction",
    severity: SEVERITIES.depthShare,
    floor: null,
  },
  {
    name: "slippage",
    component: "slippage",
    unit: "fraction",
    severity: null,
    floor: FLOORS.slippageFraction,
  },
  {
    name: "share of the visible book",
    component: "slippage",
    unit: "fraction",
    severity: null,
    floor: FLOORS.bookShare,
  },
  {
    name: "probability of liquidation in 24 h",
    component: "liquidation",
    unit: "probability",
    severity: SEVERITIES.liquidationProbability,
    floor: FLOORS.liquidationProbability,
  },
  {
    name: "probability of the cross pool's liquidation that its margin adds",
    component: "liquidation",
    unit: "probability",
    severity: null,
    floor: FLOORS.poolLiquidationAdded,
  },
  {
    name: "distance to liquidation in 1-day volatilities",
    component: "liquidation",
    unit: "sigma",
    severity: SEVERITIES.liquidationSigmas,
    floor: null,
  },
  {
    name: "distance to liquidation",
    component: "liquidation",
    unit: "fraction",
    severity: null,
    floor: FLOORS.liquidationDistance,
  },
  {
    name: "maintenance margin over equity",
    component: "liquidation",
    unit: "fraction",
    severity: null,
    floor: FLOORS.marginRatio,
  },
  {
    name: "funding paid in 24 h over margin",
    component: "funding",
    unit: "fraction",
    severity: SEVERITIES.fundingDrag,
    floor: null,
  },
  {
    name: "funding rate against its own past, by the share that pays it",
    component: "funding",
    unit: "robust z",
    severity: SEVERITIES.fundingZ,
    floor: null,
  },
  {
    name: "peak impact in 1-hour volatilities",
    component: "impact",
    unit: "sigma",
    severity: SEVERITIES.impactSigmas,
    floor: null,
  },
  {
    name: "99 % 24 h expected shortfall over equity",
    component: "var",
    unit: "fraction",
    severity: SEVERITIES.accountLoss,
    floor: null,
  },
  {
    name: "open interest over its cap",
    component: "oi",
    unit: "fraction",
    severity: SEVERITIES.openInterestUtilization,
    floor: FLOORS.openInterestUtilization,
  },
  {
    name: "position over open interest",
    component: "oi",
    unit: "fraction",
    severity: SEVERITIES.openInterestShare,
    floor: null,
  },
] as const satisfies readonly ScoreDriver[];
