import type {
  FitsInForce,
  ModelInfo,
  ModelInfoResponse,
  ModelParameter,
} from "../contracts/generated/types.ts";
import { SCORE } from "../risk/calibration/calibration.ts";
import {
  CALIBRATION,
  CALIBRATION_HASH,
  CALIBRATION_NAME,
  type ModelName,
} from "../risk/calibration/calibration-hash.ts";
import { FLAG_RULES } from "../risk/scoring/flags.ts";
import { STRESS_SCENARIOS } from "../risk/stress/stress-scenarios.ts";
import type { EngineStatus, ModelFacts, RecalibrationFacts } from "../snapshot/engine-status.ts";
import { rounded } from "./units.ts";

/** The calibration in force, and what is fitted at this moment. */
export function modelInfoBody(
  engineVersion: string,
  status: EngineStatus | null,
  models: ModelFacts | null,
): ModelInfoResponse {
  return {
    engine_version: engineVersion,
    calibration_hash: CALIBRATION_HASH,
    calibration_name: CALIBRATION_NAME,
    weights: SCORE.weights.value,
    recommendation_bands: { proceed_max: SCORE.proceedMax.value, caution_max: SCORE.cautionMax.value },
    scenarios: STRESS_SCENARIOS.map(({ id }) => id),
    flags: Object.entries(FLAG_RULES).map(([name, { severity, condition }]) => ({
      name,
      severity,
      condition,
    })),
    models: MODELS,
    fits: fitsInForce(status, models),
  };
}

function fitsInForce(status: EngineStatus | null, models: ModelFacts | null): FitsInForce {
  const sheet = models?.sheet ?? null;
  const recalibration = models?.recalibration ?? NOT_RECALIBRATED;
  return {
    assets_by_volatility_model: { ...models?.assetsByModel },
    assets_without_model: models?.assetsWithoutModel ?? 0,
    oldest_fit_at: isoOrNull(models?.oldestFitAtMs ?? null),
    newest_fit_at: isoOrNull(models?.newestFitAtMs ?? null),
    refits_done: status?.counts.refitsDone ?? 0,
    refits_failed: status?.counts.refitsFailed ?? 0,
    scenario_sheet:
      sheet === null
        ? null
        : {
            version: sheet.version,
            built_at: new Date(sheet.builtAtMs).toISOString(),
            assets: sheet.assets,
            scenarios: sheet.scenarios,
          },
    sigma_recalibration: {
      assets: recalibration.assets,
      market_multiplier: rounded(recalibration.marketMultiplier),
      smallest_multiplier: rounded(recalibration.smallestMultiplier),
      largest_multiplier: rounded(recalibration.largestMultiplier),
    },
  };
}

const NOT_RECALIBRATED: RecalibrationFacts = {
  assets: 0,
  marketMultiplier: 1,
  smallestMultiplier: 1,
  largestMultiplier: 1,
};

function isoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

const DESCRIPTIONS: Readonly<Record<ModelName, string>> = {
  score: "Six weighted severities that compound, floors that one lethal risk sets alone, and bands",
  flags: "Thresholds of the flags",
  age_limits:
    "How old the book and the mark may be, and how far apart: past the first limit flagged and at best cautious, past the second no answer",
  alerts: "From which score an alert is critical",
  slippage: "Walk of the merged book; beyond its levels a depth curve, then the square-root law",
  depth_curve: "Cumulative depth a x distance^b through the last visible level",
  book_statistics: "Rolling spread and depth: what is usual for the asset",
  liquidation:
    "Root of equity = maintenance over the margin tiers; probability of touching it from scenario paths",
  funding: "Rate returning to the median of its last day; robust z; ratio to centralized venues",
  impact: "Square-root law: Y x daily volatility x sqrt(order / 24-hour volume)",
  value_at_risk:
    "Harrell-Davis quantiles and tail means of filtered historical simulation; stressed exit added for LVaR",
  extreme_tail: "Generalised Pareto tail over the 95 % quantile of the simulated losses",
  open_interest: "Utilisation of a cap that was learned while the asset was at it, else estimated",
  stress: "Named and dated scenarios, moves by class and tail beta to BTC",
  fees: "The wallet's taker rate, else the base rate",
  cost: "Slippage + impact + fee, both ways",
  greeks: "Sensitivities of a linear perpetual",
  drawdown: "Drawdown of closes; stops from average true range and volatility",
  volatility:
    "Ladder: range GARCH (from 720 hours on half of the paths by HExp, fitted by QLIKE), GJR GARCH, EWMA, peers; hourly, seasonally adjusted, Gaussian QML",
  volatility_regime: "Percentile of the one-day forecast in its own past, with hysteresis",
  liquidity_regime:
    "Ordered logit over spread, depth, volatility, the market's volatility, funding and open interest, smoothed in time, with hysteresis",
  scenario_paths: "Filtered historical simulation: tuples of the same hour for all assets, 168 hourly steps",
  residual_pool: "Standardised residuals of the last 4096 hours, caps on single prints",
  residual_borrowing:
    "Hours before a listing, filled by the market's part and an hour of the asset's own, or a donor's",
  short_history: "Pooling and widening where the history is short",
  sigma_recalibration:
    "Slow multiplier of sigma per asset in hours 5 to 24, moved by the breaches of its own daily VaR forecasts",
  correlation_drift:
    "Ratio of the recent deviation of the book's residuals to that of the whole window; scales hedged books",
  tail_dependence: "Mean of a t copula's tail dependence and of the counted share of joint tail hours",
  touch_floor: "Least probability of large moves, from how often coins made them",
  unmodelled_positions:
    "Charge for positions outside the joint scenarios, in full and without diversification",
  sizing: "Limits of the safe size: depth, open interest, margin headroom, impact",
};

const MODELS: ModelInfo[] = [...CALIBRATION].map(([name, constants]) => {
  const parameters = constants.map((named): ModelParameter => ({
    name: named.name,
    // Constants are of many types; the contract's tests compare all of them with the schema.
    value: named.constant.value as ModelParameter["value"],
    unit: named.constant.unit,
    source: named.constant.source,
    fitted_on: named.constant.fittedOn,
  }));
  const fittedOn = [...new Set(parameters.map((parameter) => parameter.fitted_on))];
  return { name, description: DESCRIPTIONS[name], fitted_on: fittedOn.join("; "), parameters };
});
