import type {
  AssetCalibration,
  CalibrationHealthResponse,
  CalibrationSuggestion,
} from "../contracts/generated/types.ts";
import { type AssetDiagnostics, dateCoverageOf } from "../risk/backtest/asset-diagnostics.ts";
import {
  aggregateStatus,
  CALIBRATION_RULE,
  type CalibrationStatus,
  confirmedCritical,
  type JudgedAsset,
} from "../risk/backtest/calibration-status.ts";
import { E_WARNING } from "../risk/backtest/e-process.ts";
import { coverageByDate, type PooledCoverage, pooledCoverage } from "../risk/backtest/pooled-coverage.ts";
import { rounded } from "./units.ts";

export const VAR_99_EXPECTED_RATE = 0.01;

/** An asset with what its record says; null before it was first judged. */
export interface AssetHealth {
  readonly asset: string;
  readonly diagnostics: AssetDiagnostics | null;
}

/**
 * The health of every asset's VaR, and of all together. The pool is drawn anew for every answer, about a millisecond
 * for 200 assets; the endpoint is one for people and monitors.
 */
export function calibrationHealthBody(
  assets: readonly AssetHealth[],
  computedAtMs: number,
): CalibrationHealthResponse {
  const judged = assets.map(({ diagnostics }) => diagnostics ?? NOT_JUDGED);
  const critical = confirmedCritical(judged);
  const pooled = pooledCoverage(
    coverageByDate(
      assets.flatMap(({ diagnostics }) =>
        diagnostics === null || diagnostics.status === "insufficient_data"
          ? []
          : [dateCoverageOf(diagnostics)],
      ),
    ),
  );
  return {
    computed_at: new Date(computedAtMs).toISOString(),
    assets_tested: judged.filter(({ status }) => status !== "insufficient_data").length,
    assets_passing: judged.filter(({ status }) => status === "pass").length,
    assets_critical: critical.filter(Boolean).length,
    aggregate_status: aggregateStatus(judged, pooled),
    pooled: pooled === null ? null : pooledBlock(pooled),
    per_asset: assets.map(({ asset, diagnostics }) => assetCalibration(asset, diagnostics)),
    suggestions: assets
      .flatMap(({ asset, diagnostics }, i) => suggestionOf(asset, diagnostics, critical[i]!))
      .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
  };
}

const NOT_JUDGED: JudgedAsset = { status: "insufficient_data", understatementPValue: 1 };

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
    var_99_expected_rate: VAR_99_EXPECTED_RATE,
    kupiec_p_value: kupiecPValue,
    status: diagnostics?.status ?? "insufficient_data",
  };
}

const NOTHING_TESTED = { observations: 0, breaches: 0, kupiecPValue: null } as const;
const SEVERITIES: readonly CalibrationSuggestion["severity"][] = ["critical", "warning", "info"];

function suggestionOf(
  asset: string,
  diagnostics: AssetDiagnostics | null,
  isCritical: boolean,
): CalibrationSuggestion[] {
  const issue = diagnostics?.status ?? "insufficient_data";
  if (issue !== "pass") {
    const severity = severityOf(issue, isCritical);
    return [{ asset, issue, severity, suggestion: adviceOf(issue, diagnostics) }];
  }
  const evidence = diagnostics === null ? 0 : evidenceThisMonth(diagnostics);
  if (evidence < E_WARNING) return [];
  const suggestion = `losses beyond the forecasts gather this month (e-value ${evidence.toFixed(0)}, the largest of four; of a correct model each reaches 20 in at most one month of 20): watch sizes here until the month is over`;
  return [{ asset, issue, severity: "warning", suggestion }];
}

/** An understated asset that chance explains, as one of so many looked at, is a warning. */
function severityOf(issue: CalibrationStatus, isCritical: boolean): CalibrationSuggestion["severity"] {
  if (isCritical) return "critical";
  return issue === "too_few_breaches" || issue === "insufficient_data" ? "info" : "warning";
}

function evidenceThisMonth({ results }: AssetDiagnostics): number {
  const logs = results
    .filter(({ horizonHours, level }) => horizonHours === 24 && level === 0.99)
    .flatMap(({ verdict }) =>
      verdict === null ? [] : [verdict.logEvidenceVar, verdict.logEvidenceShortfall],
    );
  return Math.exp(Math.max(0, ...logs));
}

function adviceOf(issue: Exclude<CalibrationStatus, "pass">, diagnostics: AssetDiagnostics | null): string {
  const { observations, breaches } = diagnostics?.day99 ?? NOTHING_TESTED;
  const expected = (observations * VAR_99_EXPECTED_RATE).toFixed(1);
  const counted = `${breaches} of ${observations} daily losses exceeded the 99 % VaR, ${expected} were expected`;
  switch (issue) {
    case "too_many_breaches":
      return `VaR is too low here (${counted}): take smaller positions than the numbers allow; sigma is being raised by up to 2 % a day`;
    case "es_understated":
      return `losses beyond the VaR were larger than the expected shortfall said: plan with the 99.9 % numbers of evt, and keep stops`;
    case "clustered_breaches":
      return `breaches come in runs: after one, wait or halve the size until volatility has settled`;
    case "too_few_breaches":
      return `VaR is higher than it need be (${counted}): safe, but sizes may be smaller than they could be; sigma is being lowered slowly`;
    case "insufficient_data": {
      const { dayObservationsMin, hourObservationsMin } = CALIBRATION_RULE.value;
      return `judged from ${dayObservationsMin} days or ${hourObservationsMin} hours of forecasts on, ${observations / 2} days so far: treat its VaR as untested`;
    }
  }
}
