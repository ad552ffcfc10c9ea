import type {
  AssetCalibration,
  CalibrationHealthResponse,
  CalibrationSuggestion,
} from "../contracts/generated/types.ts";
import type { AssetDiagnostics } from "../risk/backtest/asset-diagnostics.ts";
import {
  aggregateStatus,
  CALIBRATION_RULE,
  type CalibrationStatus,
  isCriticalStatus,
} from "../risk/backtest/calibration-status.ts";
import { rounded } from "./units.ts";

export const VAR_99_EXPECTED_RATE = 0.01;

/** An asset with what its record says; null before it was first judged. */
export interface AssetHealth {
  readonly asset: string;
  readonly diagnostics: AssetDiagnostics | null;
}

/** The health of every asset's VaR, and of all together. */
export function calibrationHealthBody(
  assets: readonly AssetHealth[],
  computedAtMs: number,
): CalibrationHealthResponse {
  const perAsset = assets.map(({ asset, diagnostics }) => assetCalibration(asset, diagnostics));
  const statuses = perAsset.map(({ status }) => status);
  return {
    computed_at: new Date(computedAtMs).toISOString(),
    assets_tested: statuses.filter((status) => status !== "insufficient_data").length,
    assets_passing: statuses.filter((status) => status === "pass").length,
    aggregate_status: aggregateStatus(statuses),
    per_asset: perAsset,
    suggestions: assets
      .flatMap(({ asset, diagnostics }) => suggestionOf(asset, diagnostics))
      .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
  };
}

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

function suggestionOf(asset: string, diagnostics: AssetDiagnostics | null): CalibrationSuggestion[] {
  const issue = diagnostics?.status ?? "insufficient_data";
  if (issue === "pass") return [];
  return [{ asset, issue, severity: severityOf(issue), suggestion: adviceOf(issue, diagnostics) }];
}

function severityOf(issue: CalibrationStatus): CalibrationSuggestion["severity"] {
  if (isCriticalStatus(issue)) return "critical";
  return issue === "clustered_breaches" ? "warning" : "info";
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
