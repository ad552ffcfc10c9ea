import type { Calibrated } from "../../domain/calibrated.ts";
import type { ScoreComponent } from "../calibration/calibration.ts";
import { FLAG_THRESHOLDS as AT } from "./flag-thresholds.ts";
import { LIQUIDATION_CALIBRATION } from "../margin/liquidation.ts";
import type { ScoreFacts } from "./risk-facts.ts";

/** When a flag is raised, in words and as a predicate. */
export interface Rule<Facts> {
  readonly condition: string;
  readonly isRaised: (facts: Facts) => boolean;
}

/** A flag that lifts a component into the abort band; no other flag touches the score. */
export interface CriticalRule extends Rule<ScoreFacts> {
  readonly severity: "critical";
  readonly component: ScoreComponent;
}

export const atLeast = (value: number | null, threshold: Calibrated): boolean =>
  value !== null && value >= threshold.value;

export const pct = (threshold: Calibrated): string => `${threshold.value * 100} %`;

const thirds = (share: Calibrated): string => `${share.value * 3}/3`;

/** Where equity is backstopMultiple backstops. */
const NEAR_BACKSTOP_MARGIN_RATIO =
  1 / (AT.backstopMultiple.value * LIQUIDATION_CALIBRATION.backstopShare.value);

/** The flags that the score itself reads. */
export const CRITICAL_RULES = {
  extreme_slippage: {
    severity: "critical",
    component: "slippage",
    condition: `slippage at least ${AT.extremeSlippageSigmas.value} one-hour volatilities or ${pct(AT.extremeSlippageFraction)}, or the order is larger than the visible book`,
    isRaised: (f) =>
      atLeast(f.slippageSigmas, AT.extremeSlippageSigmas) ||
      atLeast(f.slippageFraction, AT.extremeSlippageFraction) ||
      f.bookShare >= AT.bookShare.value,
  },
  near_liquidation: {
    severity: "critical",
    component: "liquidation",
    condition: `liquidation within 24 h has a probability of at least ${pct(AT.nearLiquidationProbability)}, or its price is within ${pct(AT.nearLiquidationDistance)} of the mark, or an isolated order's margin adds that probability to the cross pool that it is taken from`,
    isRaised: (f) =>
      atLeast(f.liquidationProbability, AT.nearLiquidationProbability) ||
      atLeast(f.poolLiquidationAdded, AT.nearLiquidationProbability) ||
      f.liquidationDistanceFraction <= AT.nearLiquidationDistance.value,
  },
  near_backstop: {
    severity: "critical",
    component: "liquidation",
    condition: `equity at most ${AT.backstopMultiple.value} times the backstop level, which is ${thirds(LIQUIDATION_CALIBRATION.backstopShare)} of the maintenance margin`,
    isRaised: (f) => f.marginRatio >= NEAR_BACKSTOP_MARGIN_RATIO,
  },
  oi_at_cap: {
    severity: "critical",
    component: "oi",
    condition:
      "the trade adds to an asset that the exchange lists at its open-interest cap, or fills the estimated cap",
    isRaised: (f) => f.isOpenInterestAtCap || atLeast(f.openInterestUtilization, AT.oiAtCap),
  },
} as const satisfies Record<string, CriticalRule>;
