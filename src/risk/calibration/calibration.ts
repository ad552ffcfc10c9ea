import type { Calibrated } from "../../domain/calibrated.ts";
import { FITTED } from "./fitted-values.ts";
import type { Ramp } from "../../math/ramp.ts";

/** The six parts of the score, in the order in which every answer lists them. */
export const SCORE_COMPONENTS = ["slippage", "liquidation", "funding", "impact", "var", "oi"] as const;

export type ScoreComponent = (typeof SCORE_COMPONENTS)[number];

const CHOSEN = "not fitted: chosen 2026-11, to be replaced when enough outcomes are recorded";
export const PUBLISHED = "not fitted: published by the interface, read 2026-11";
const INTERFACE = "interface of the service, model-info and recommendation bands";
const SEVERITY = "severity anchors 0 / 0.4 / 0.7 / 1 of the component";

/** A severity curve: 0, 0.4, 0.7 and 1 at four named values of the driver, straight between them. */
function severity(at: Ramp["at"], unit: string, why: string): Calibrated<Ramp> {
  return { value: { at, value: [0, 0.4, 0.7, 1] }, unit, source: `${SEVERITY}: ${why}`, fittedOn: CHOSEN };
}

/** A floor curve: the fewest score points that a driver's value allows, whatever the other components say. */
function floor(knots: readonly (readonly [number, number])[], unit: string, why: string): Calibrated<Ramp> {
  const value: Ramp = { at: knots.map(([at]) => at), value: knots.map(([, points]) => points) };
  return {
    value,
    unit: `score points over ${unit}`,
    source: `non-compensatory floor: ${why}`,
    fittedOn: CHOSEN,
  };
}

/** A constant that nothing was fitted to yet. */
export function chosen(value: number, unit: string, why: string): Calibrated {
  return { value, unit, source: why, fittedOn: CHOSEN };
}

/** How severities become one number. */
export const SCORE = {
  weights: {
    value: { slippage: 0.1, liquidation: 0.35, funding: 0.1, impact: 0.05, var: 0.25, oi: 0.15 },
    unit: "fraction of the score, summing to 1",
    source: INTERFACE,
    fittedOn: PUBLISHED,
  } satisfies Calibrated<Record<ScoreComponent, number>>,
  proceedMax: { value: 40, unit: "score points", source: INTERFACE, fittedOn: PUBLISHED },
  cautionMax: { value: 70, unit: "score points", source: INTERFACE, fittedOn: PUBLISHED },
  closeMax: { value: 30, unit: "score points", source: INTERFACE, fittedOn: PUBLISHED },
  kappa: chosen(0.5, "1", "several elevated risks are worse than their sum: weight of the pairwise products"),
  kappaStressed: chosen(0.1, "1", "added to kappa per unit probability of a stressed market"),
  kappaCrisis: chosen(0.3, "1", "added to kappa per unit probability of a crisis"),
  regimePointsMax: chosen(
    10,
    "score points",
    "the most that the market's regime may add; sigma counts it already",
  ),
  missingSeverity: chosen(
    0.5,
    "severity",
    "unknown is not safe: severity of a driver that cannot be computed",
  ),
  criticalFlagPoints: chosen(
    71,
    "score points",
    "first whole number of the abort band: a critical flag is never answered with less",
  ),
  stalePoints: chosen(
    41,
    "score points",
    "first whole number of the caution band: stale inputs are at best answered with caution",
  ),
  /** log-odds knots of P(adverse) against points. */
  adverseCurve: FITTED.adverseCurve satisfies Calibrated<Ramp>,
  adverseMarginFraction: chosen(
    0.5,
    "fraction of margin",
    "a loss of half of what stands behind a position is an adverse outcome",
  ),
} as const;

/** Severity curves of the drivers behind the components; costs are measured in volatility units. */
export const SEVERITIES = {
  slippageSigmas: severity(
    [0.02, 0.15, 0.5, 1.5],
    "1-hour sigmas",
    "20 bps is nothing for one coin and much for another",
  ),
  depthShare: severity(
    [0.05, 0.25, 0.6, 1],
    "fraction of depth within 1 %",
    "share of the near book that the order takes",
  ),
  liquidationProbability: severity(
    [0.001, 0.01, 0.05, 0.2],
    "probability in 24 h",
    "touch probability of the liquidation price",
  ),
  liquidationSigmas: FITTED.liquidationSigmas satisfies Calibrated<Ramp>,
  fundingDrag: severity([0.0005, 0.003, 0.01, 0.03], "fraction of margin in 24 h", "expected funding paid"),
  fundingZ: {
    value: { at: [3, 10], value: [0, 0.4] },
    unit: "robust z of the funding rate",
    source: `${SEVERITY}: an unusual rate warns, but alone never alarms, because its cost is counted by the drag`,
    fittedOn: CHOSEN,
  } satisfies Calibrated<Ramp>,
  impactSigmas: severity([0.02, 0.15, 0.5, 1.5], "1-hour sigmas", "peak impact of the order"),
  accountLoss: FITTED.accountLoss satisfies Calibrated<Ramp>,
  openInterestUtilization: severity(
    [0.6, 0.8, 0.95, 1],
    "fraction of the cap",
    "open interest after the trade",
  ),
  openInterestShare: severity(
    [0.01, 0.05, 0.1, 0.2],
    "fraction of open interest",
    "position that the market must absorb",
  ),
} as const;

/** Floors of the drivers that can be lethal alone; each reaches the abort band where its critical flag is raised. */
export const FLOORS = {
  slippageSigmas: floor(
    [
      [0.5, 0],
      [1.5, 71],
      [5, 100],
    ],
    "1-hour sigmas",
    "an entry that costs more than an hour of moves",
  ),
  slippageFraction: floor(
    [
      [0.007, 0],
      [0.02, 71],
      [0.1, 100],
    ],
    "fraction",
    "an entry that costs percents",
  ),
  bookShare: floor(
    [
      [0.5, 0],
      [1, 71],
      [3, 100],
    ],
    "fraction of the visible book",
    "more than the book shows",
  ),
  liquidationProbability: floor(
    [
      [0, 0],
      [0.01, 25],
      [0.05, 40],
      [0.2, 71],
      [0.5, 90],
      [1, 100],
    ],
    "probability in 24 h",
    "certain liquidation with everything else calm is not a safe trade",
  ),
  poolLiquidationAdded: floor(
    [
      [0.01, 0],
      [0.05, 40],
      [0.2, 71],
      [0.5, 90],
      [1, 100],
    ],
    "probability in 24 h",
    "as the pool's own liquidation, from what a safe size may add on",
  ),
  liquidationDistance: floor(
    [
      [0, 100],
      [0.01, 85],
      [0.02, 71],
      [0.05, 0],
    ],
    "fraction",
    "alert severity: under 2 % is critical",
  ),
  marginRatio: floor(
    [
      [0.6, 0],
      [1, 71],
      [1.5, 100],
    ],
    "maintenance margin over equity",
    "1 is liquidation, 1.5 the backstop",
  ),
  openInterestUtilization: floor(
    [
      [0.8, 0],
      [1, 71],
    ],
    "fraction of the cap",
    "at the cap the exchange refuses the order",
  ),
} as const;

/** What a safe size keeps within. */
export const SIZING_LIMITS = {
  notionalMaxUsd: {
    value: 100_000_000,
    unit: "USD",
    source: "interface: largest trade size",
    fittedOn: PUBLISHED,
  },
  liquidationProbabilityMax: chosen(0.01, "probability in 24 h", "severity 0.4 of liquidation"),
  shortfallOfEquityMax: chosen(
    0.3,
    "fraction of equity",
    "99 % 24 h expected shortfall of the account after the trade, and the funding that its cross positions and the order's are expected to pay",
  ),
  scoreMargin: chosen(5, "score points", "a suggested size scores this far inside the proceed band"),
} as const satisfies Record<string, Calibrated>;
