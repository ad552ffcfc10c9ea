import { createHash } from "node:crypto";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { CalibrationHash } from "../../domain/ids.ts";
import * as ageLimits from "../scoring/age-limits.ts";
import * as alerts from "../alerts.ts";
import * as bookStatistics from "../liquidity/book-statistics.ts";
import * as calibration from "./calibration.ts";
import type { FittedConstants } from "./fitted-constants.ts";
import { FITTED } from "./fitted-values.ts";
import * as cost from "../cost.ts";
import * as depthCurve from "../liquidity/depth-curve.ts";
import * as drawdown from "../drawdown.ts";
import * as evt from "../tails/evt.ts";
import * as fees from "../fees.ts";
import * as flagThresholds from "../scoring/flag-thresholds.ts";
import * as funding from "../funding.ts";
import * as greeks from "../greeks.ts";
import * as impact from "../liquidity/impact.ts";
import * as liquidation from "../margin/liquidation.ts";
import * as modelledBook from "../portfolio/modelled-book.ts";
import * as openInterest from "../liquidity/open-interest.ts";
import * as correlationDrift from "../portfolio/dependence/correlation-drift.ts";
import * as tailDependence from "../portfolio/dependence/tail-dependence.ts";
import * as touchFloor from "../scenarios/touch-floor.ts";
import * as liquidityRegime from "../regime/liquidity-regime.ts";
import * as pathKernel from "../scenarios/path-kernel.ts";
import * as rescale from "../scenarios/rescale.ts";
import * as residualBorrowing from "../scenarios/residual-borrowing.ts";
import * as residualPool from "../scenarios/residual-pool.ts";
import * as scenarioIndex from "../scenarios/scenario-index.ts";
import * as shortHistory from "../scenarios/short-history.ts";
import * as sigmaRecalibration from "../scenarios/sigma-recalibration.ts";
import * as stationaryRecursion from "../scenarios/stationary-recursion.ts";
import * as sizing from "../sizing/sizing.ts";
import * as slippage from "../liquidity/slippage.ts";
import * as stressScenarios from "../stress/stress-scenarios.ts";
import * as stressShocks from "../stress/stress-shocks.ts";
import * as valueAtRisk from "../tails/var.ts";
import * as conditionedBars from "../volatility/conditioned-bars.ts";
import * as ewma from "../volatility/ewma.ts";
import * as garchParameters from "../volatility/garch-parameters.ts";
import * as hexp from "../volatility/hexp.ts";
import * as seasonality from "../volatility/seasonality.ts";
import * as termStructure from "../volatility/term-structure.ts";
import * as volatilityModel from "../volatility/volatility-model.ts";
import * as volatilityRegime from "../volatility/volatility-regime.ts";

/**
 * Every file of the risk models that holds a chosen or fitted constant, by the model's name. The backtests' verdicts
 * are left out: they judge answers and change none.
 */
const MODEL_FILES = {
  score: calibration,
  flags: flagThresholds,
  age_limits: ageLimits,
  alerts,
  slippage,
  depth_curve: depthCurve,
  book_statistics: bookStatistics,
  liquidation,
  funding,
  impact,
  value_at_risk: valueAtRisk,
  extreme_tail: evt,
  open_interest: openInterest,
  stress: { ...stressShocks, ...stressScenarios },
  fees,
  cost,
  greeks,
  drawdown,
  volatility: {
    ...conditionedBars,
    ...garchParameters,
    ...volatilityModel,
    ...termStructure,
    ...seasonality,
    ...ewma,
    ...hexp,
  },
  volatility_regime: volatilityRegime,
  liquidity_regime: liquidityRegime,
  scenario_paths: { ...scenarioIndex, ...stationaryRecursion, ...pathKernel, ...rescale },
  residual_pool: residualPool,
  residual_borrowing: residualBorrowing,
  short_history: shortHistory,
  sigma_recalibration: sigmaRecalibration,
  correlation_drift: correlationDrift,
  tail_dependence: tailDependence,
  touch_floor: touchFloor,
  unmodelled_positions: modelledBook,
  sizing: sizing,
} as const satisfies Record<string, Readonly<Record<string, unknown>>>;

export type ModelName = keyof typeof MODEL_FILES;

/** A constant in force, with the name it has in its file. */
export interface NamedConstant {
  readonly name: string;
  readonly constant: Calibrated<unknown>;
}

/** A fit begins with its day. */
const FIT_DAY = /^\d{4}-\d{2}-\d{2}(?=:)/;

/** Every constant in force, by model; what model-info prints and the calibration hash covers. */
export const CALIBRATION: ReadonlyMap<ModelName, readonly NamedConstant[]> = new Map(
  (Object.keys(MODEL_FILES) as ModelName[]).map((model) => [model, constantsOf("", MODEL_FILES[model])]),
);

/** For people: a new fit gives a new name. */
export const CALIBRATION_NAME = calibrationNameOf(FITTED);

/** SHA-256 of the constants' canonical JSON: a changed value or unit changes it, a changed explanation does not. */
export const CALIBRATION_HASH: CalibrationHash = calibrationHashOf(CALIBRATION);

/** Its first 48 bits, by which recorded forecasts name the calibration that made them. */
export const CALIBRATION_CODE = Number.parseInt(CALIBRATION_HASH.slice(0, 12), 16);

/** By the day of the newest fit. */
export function calibrationNameOf(
  fitted: Readonly<Record<keyof FittedConstants, Pick<Calibrated<unknown>, "fittedOn">>>,
): string {
  const days = Object.values(fitted).flatMap(({ fittedOn }) => FIT_DAY.exec(fittedOn) ?? []);
  return `fitted-${days.sort().at(-1)!}`;
}

export function calibrationHashOf(models: ReadonlyMap<string, readonly NamedConstant[]>): CalibrationHash {
  const values = [...models].map(([model, constants]) => [
    model,
    constants.map(({ name, constant }) => [name, { value: constant.value, unit: constant.unit }]),
  ]);
  return createHash("sha256").update(canonicalJson(values)).digest("hex") as CalibrationHash;
}

/** JSON with the keys of every object in order, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The constants among a file's exports, and inside its exported groups. */
function constantsOf(prefix: string, exported: Readonly<Record<string, unknown>>): NamedConstant[] {
  return Object.entries(exported).flatMap(([name, value]) => {
    if (isCalibrated(value)) return [{ name: prefix + name, constant: value }];
    const isGroup = prefix === "" && typeof value === "object" && value !== null && !Array.isArray(value);
    return isGroup ? constantsOf(`${name}.`, value as Readonly<Record<string, unknown>>) : [];
  });
}

function isCalibrated(value: unknown): value is Calibrated<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "value" in value &&
    "unit" in value &&
    "source" in value &&
    "fittedOn" in value
  );
}
