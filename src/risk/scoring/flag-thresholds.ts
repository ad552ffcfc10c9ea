import type { Calibrated } from "../../domain/calibrated.ts";
import { invariant } from "../../math/invariant.ts";
import { chosen, FLOORS, PUBLISHED, SCORE, SEVERITIES } from "../calibration/calibration.ts";
import { FULL_HISTORY_HOURS } from "../scenarios/short-history.ts";
import type { Ramp } from "../../math/ramp.ts";

/** Where a curve of the score has the anchor of a height: a flag that follows its curve when that is fitted anew. */
function anchorOf(curve: Calibrated<Ramp>, height: number, unit: string, why: string): Calibrated {
  const at = curve.value.at[curve.value.value.indexOf(height)];
  invariant(at !== undefined, "a flag is raised at an anchor of its curve");
  return { value: at, unit, source: why, fittedOn: curve.fittedOn };
}

const ABORT = SCORE.criticalFlagPoints.value;

/** Where flags are raised. Those of critical flags meet the floors of the score, so that a flag is no step of it. */
export const FLAG_THRESHOLDS = {
  extremeSlippageSigmas: anchorOf(
    FLOORS.slippageSigmas,
    ABORT,
    "1-hour sigmas",
    "its floor reaches the abort band",
  ),
  extremeSlippageFraction: anchorOf(
    FLOORS.slippageFraction,
    ABORT,
    "fraction",
    "its floor reaches the abort band",
  ),
  bookShare: anchorOf(
    FLOORS.bookShare,
    ABORT,
    "fraction of the visible book",
    "the order is larger than the book shows",
  ),
  nearLiquidationProbability: anchorOf(
    FLOORS.liquidationProbability,
    ABORT,
    "probability in 24 h",
    "its floor reaches the abort band",
  ),
  nearLiquidationDistance: {
    value: 0.02,
    unit: "fraction of the mark price",
    source: "alert severity of the interface: liquidation distance under 2 % is critical",
    fittedOn: PUBLISHED,
  },
  backstopMultiple: chosen(
    1.5,
    "multiples of the backstop equity (2/3 of maintenance)",
    "equity this near to the backstop",
  ),
  highSlippageSigmas: anchorOf(SEVERITIES.slippageSigmas, 0.7, "1-hour sigmas", "severity 0.7 of slippage"),
  highSlippageFraction: chosen(0.005, "fraction", "half a percent paid at the entry is much on any asset"),
  thinBookDepthRatio: chosen(
    0.3,
    "fraction of the usual depth within 1 %",
    "a book at under a third of its own normal",
  ),
  thinBookDepthShare: anchorOf(
    SEVERITIES.depthShare,
    0.4,
    "fraction of depth within 1 %",
    "severity 0.4 of depth share",
  ),
  highImpactSigmas: anchorOf(SEVERITIES.impactSigmas, 0.7, "1-hour sigmas", "severity 0.7 of impact"),
  lowVolumeParticipation: chosen(
    0.01,
    "fraction of 24 h volume",
    "one percent of a day's volume in one order",
  ),
  lowVolumeUsd: chosen(1_000_000, "USD in 24 h", "a market in which single orders make the price"),
  highLeverageMarginSigma: chosen(
    0.5,
    "fraction of margin per 1-day sigma",
    "an ordinary day takes half of the margin",
  ),
  highLeverageShareOfMax: chosen(
    0.75,
    "fraction of the asset's maximum leverage",
    "used while the volatility is unknown",
  ),
  adlRank: chosen(10, "multiples of equity", "the exchange ranks by mark/entry x notional/account value"),
  partialLiquidationUsd: {
    value: 100_000,
    unit: "USD",
    source: "Hyperliquid documentation, Liquidations: above 100k USDC only 20 % is sent first",
    fittedOn: "not fitted: rule of the exchange, read 2026-11",
  },
  highVarFraction: anchorOf(SEVERITIES.accountLoss, 0.7, "fraction of equity", "severity 0.7 of var"),
  fundingAnomalyZ: { value: 3, unit: "robust z", source: "interface: |z| > 3", fittedOn: PUBLISHED },
  fundingExpensiveDrag: anchorOf(
    SEVERITIES.fundingDrag,
    0.7,
    "fraction of margin in 24 h",
    "severity 0.7 of funding",
  ),
  cexDivergenceRatio: chosen(3, "ratio", "three times or a third of the centralized rate, or the other sign"),
  oiNearCap: { value: 0.8, unit: "fraction of the cap", source: "interface: > 80 %", fittedOn: PUBLISHED },
  oiAtCap: anchorOf(
    FLOORS.openInterestUtilization,
    ABORT,
    "fraction of the estimated cap",
    "the exchange's own list decides first",
  ),
  concentrationShare: {
    value: 0.5,
    unit: "fraction of gross notional",
    source: "interface: > 50 %",
    fittedOn: PUBLISHED,
  },
  correlatedRho: chosen(0.7, "correlation, signed by direction", "two positions that are mostly one"),
  correlatedShare: chosen(0.1, "fraction of the position", "smaller positions are no company to it"),
  limitedHistoryHours: FULL_HISTORY_HOURS,
  newListingHours: chosen(336, "hours", "two weeks, before which an asset has no seasonality of its own"),
  stressedMarketProbability: chosen(0.5, "probability", "more likely stressed or in crisis than normal"),
  minOrderUsd: {
    value: 10,
    unit: "USD",
    source: "Hyperliquid documentation, order validation: minimum value 10",
    fittedOn: "not fitted: rule of the exchange, read 2026-11",
  },
} as const satisfies Record<string, Calibrated>;
