import type {
  AssetCalibration,
  CalibrationHealthResponse,
  CalibrationSuggestion,
} from "../contracts/generated/types.ts";
import { DAY_HOURS } from "../domain/bar.ts";
import type { AssetDiagnostics } from "../risk/backtest/asset-diagnostics.ts";
import type {
  CalibrationHealth,
  CountedForecasts,
  HealthFinding,
} from "../risk/backtest/calibration-findings.ts";
import { CALIBRATION_RULE, VAR_99_TAIL } from "../risk/backtest/calibration-status.ts";
import type { PooledCoverage } from "../risk/backtest/pooled-coverage.ts";
import { rounded } from "./units.ts";

export function calibrationHealthBody(
  health: CalibrationHealth,
  computedAtMs: number,
): CalibrationHealthResponse {
  const { assets, tested, passing, critical, status, pooled, findings } = health;
  return {
    computed_at: new Date(computedAtMs).toISOString(),
    assets_tested: tested,
    assets_passing: passing,
    assets_critical: critical,
    aggregate_status: status,
    pooled: pooled === null ? null : pooledBlock(pooled),
    per_asset: assets.map(({ asset, diagnostics }) => assetCalibration(asset, diagnostics)),
    suggestions: findings.map(suggestion),
  };
}

function pooledBlock({ dates, observations, rate, interval }: PooledCoverage): PooledBlock {
  return {
    dates,
    observations,
    var_99_breach_rate: rounded(rate),
    var_99_breach_rate_interval: [rounded(interval.low), rounded(interval.high)],
  };
}

type PooledBlock = NonNullable<CalibrationHealthResponse["pooled"]>;

/** The entry of one asset. */
export function assetCalibration(asset: string, diagnostics: AssetDiagnostics | null): AssetCalibration {
  const { observations, breaches, kupiecPValue } = diagnostics?.day99 ?? NOTHING_TESTED;
  return {
    asset,
    observations,
    var_99_breach_rate: observations === 0 ? null : rounded(breaches / observations),
    var_99_expected_rate: VAR_99_TAIL,
    kupiec_p_value: kupiecPValue,
    status: diagnostics?.status ?? "insufficient_data",
  };
}

const NOTHING_TESTED = { observations: 0, breaches: 0, kupiecPValue: null } as const;

function suggestion(finding: HealthFinding): CalibrationSuggestion {
  const { asset, issue, severity } = finding;
  return { asset, issue, severity, suggestion: adviceOf(finding) };
}

function adviceOf({ issue, diagnostics, evidence, miscounted }: HealthFinding): string {
  switch (issue) {
    case "too_many_breaches": {
      const remedy =
        miscounted?.horizonHours === DAY_HOURS ? "; sigma is being raised by up to 2 % a day" : "";
      return `VaR is too low here${countOf(miscounted)}: take smaller positions than the numbers allow${remedy}`;
    }
    case "es_understated":
      return `losses beyond the VaR were, in number and size together, more than the expected shortfall allows: plan with the 99.9 % numbers of evt, and keep stops`;
    case "clustered_breaches":
      return `breaches come in runs: after one, wait or halve the size until volatility has settled`;
    case "too_few_breaches":
      return `VaR is higher than it need be${countOf(miscounted)}: safe, but sizes may be smaller than they could be; sigma is being lowered slowly`;
    case "insufficient_data": {
      // What is on disk from before a start is unknown until then: any number would be made up.
      if (diagnostics === null) return "not judged yet since the service started: treat its VaR as untested";
      const { dayObservationsMin, hourObservationsMin } = CALIBRATION_RULE.value;
      const { observations } = diagnostics.day99;
      return `judged from ${dayObservationsMin} days or ${hourObservationsMin} hours of forecasts on, ${observations / 2} days so far: treat its VaR as untested`;
    }
    case "pass":
      return `losses beyond the forecasts gather this month (e-value ${evidence.toFixed(0)}, the largest of four; of a correct model each reaches 20 in at most one month of 20): watch sizes here until the month is over`;
  }
}

function countOf(counted: CountedForecasts | null): string {
  if (counted === null) return "";
  const { side, horizonHours, level, verdict } = counted;
  const { breaches, observations, expected } = verdict;
  const period = horizonHours === DAY_HOURS ? "daily" : "hourly";
  return ` (${breaches} of ${observations} ${period} losses of a ${side} exceeded the ${level * 100} % VaR, ${expected.toFixed(1)} were expected)`;
}
