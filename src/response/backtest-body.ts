import type {
  BacktestPoint,
  BacktestResponse,
  BacktestResult,
  CoverageTest,
  ExpectedShortfallTest,
  QuantileLoss,
} from "../contracts/generated/types.ts";
import type {
  AssetDiagnostics,
  DayPoint,
  JudgedForecasts,
  QuantileLosses,
} from "../risk/backtest/asset-diagnostics.ts";
import {
  ESTIMATION_HOURS,
  LIVE_REFIT_HOURS,
  REPLAY_REFIT_HOURS,
} from "../risk/backtest/recorded-forecast.ts";
import type { TailVerdict } from "../risk/backtest/tail-verdict.ts";
import { sigmaMultiplierOf } from "../risk/scenarios/sigma-recalibration.ts";
import { assetCalibration } from "./calibration-health-body.ts";
import { rounded, toPct } from "./units.ts";

/** Days in the series for plotting. */
const SERIES_DAYS = 90;
/** Capital beyond which more says nothing more. */
const LOG_CAPITAL_MAX = Math.log(1e15);

/** Everything the record says of an asset; without one, that nothing is known yet. */
export function backtestBody(
  asset: string,
  diagnostics: AssetDiagnostics | null,
  nowMs: number,
): BacktestResponse {
  const { periods = 0, replayedPeriods = 0, window = null } = diagnostics ?? {};
  return {
    ...assetCalibration(asset, diagnostics),
    computed_at: isoOf(diagnostics?.computedAtMs ?? nowMs),
    window:
      window === null
        ? null
        : {
            from: isoOf(window.fromMs),
            to: isoOf(window.toMs),
            estimation_hours: ESTIMATION_HOURS,
            refit_hours: replayedPeriods > 0 ? REPLAY_REFIT_HOURS : LIVE_REFIT_HOURS,
          },
    forecasts: { live: periods - replayedPeriods, replayed: replayedPeriods },
    sigma_multiplier: diagnostics === null ? 1 : rounded(sigmaMultiplierOf(diagnostics.multipliers)),
    results: (diagnostics?.results ?? []).map(backtestResult),
    series: (diagnostics?.days ?? []).slice(-SERIES_DAYS).map(backtestPoint),
  };
}

function backtestResult(judged: JudgedForecasts): BacktestResult {
  const { side, horizonHours, level, verdict, quantileLosses } = judged;
  return {
    side,
    horizon_hours: horizonHours,
    confidence: level,
    observations: verdict?.observations ?? 0,
    breaches: verdict?.breaches ?? 0,
    expected_breaches: rounded(verdict?.expected ?? 0),
    breach_rate: verdict === null ? null : rounded(verdict.breaches / verdict.observations),
    ...testsOf(verdict, judged.z2Critical),
    quantile_loss: quantileLosses === null ? null : quantileLoss(quantileLosses),
  };
}

type Tests = Pick<
  BacktestResult,
  | "kupiec"
  | "christoffersen_independence"
  | "christoffersen_conditional_coverage"
  | "basel_zone"
  | "dynamic_quantile_p_value"
  | "duration_p_value"
  | "expected_shortfall_test"
  | "e_value_var"
  | "e_value_es"
>;

const NO_TESTS: Tests = {
  kupiec: null,
  christoffersen_independence: null,
  christoffersen_conditional_coverage: null,
  basel_zone: null,
  dynamic_quantile_p_value: null,
  duration_p_value: null,
  expected_shortfall_test: null,
  e_value_var: null,
  e_value_es: null,
};

function testsOf(verdict: TailVerdict | null, z2Critical: number | null): Tests {
  if (verdict === null || z2Critical === null) return NO_TESTS;
  const { kupiec, christoffersen } = verdict;
  return {
    kupiec: coverageTest(kupiec.likelihoodRatio, kupiec.pValue),
    christoffersen_independence: coverageTest(
      christoffersen.independenceRatio,
      christoffersen.independencePValue,
    ),
    christoffersen_conditional_coverage: coverageTest(
      christoffersen.conditionalCoverageRatio,
      christoffersen.conditionalCoveragePValue,
    ),
    basel_zone: verdict.zone,
    dynamic_quantile_p_value: verdict.dynamicQuantilePValue,
    duration_p_value: verdict.durationPValue,
    expected_shortfall_test: shortfallTest(verdict.shortfallZ2, z2Critical),
    e_value_var: capitalOf(verdict.logEvidenceVar),
    e_value_es: capitalOf(verdict.logEvidenceShortfall),
  };
}

function coverageTest(statistic: number, pValue: number): CoverageTest {
  return { statistic: rounded(statistic), p_value: pValue };
}

function shortfallTest(z2: number, critical: number): ExpectedShortfallTest {
  return { z2: rounded(z2), critical_value: rounded(critical), understated: z2 < critical };
}

function capitalOf(logCapital: number): number {
  return rounded(Math.exp(Math.min(LOG_CAPITAL_MAX, logCapital)));
}

function quantileLoss({ model, historicalSimulation, ewma, gaussian }: QuantileLosses): QuantileLoss {
  return {
    model: toPct(model),
    historical_simulation: toPct(historicalSimulation),
    ewma: toPct(ewma),
    gaussian: toPct(gaussian),
  };
}

function backtestPoint({ timeMs, logReturn, long95, long99, short95, short99 }: DayPoint): BacktestPoint {
  return {
    time: isoOf(timeMs),
    return_pct: toPct(Math.expm1(logReturn)),
    var_95_long_pct: toPct(long95),
    var_99_long_pct: toPct(long99),
    var_95_short_pct: toPct(short95),
    var_99_short_pct: toPct(short99),
  };
}

function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
