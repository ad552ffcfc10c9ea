import { DAY_HOURS } from "../../domain/bar.ts";
import { type AssetDiagnostics, dateCoverageOf, type JudgedForecasts } from "./asset-diagnostics.ts";
import {
  aggregateStatus,
  type AggregateStatus,
  areHoursBreachedOften,
  type CalibrationStatus,
  confirmedCritical,
  type JudgedAsset,
} from "./calibration-status.ts";
import { E_WARNING } from "./e-process.ts";
import { coverageByDate, type PooledCoverage, pooledCoverage } from "./pooled-coverage.ts";

/** An asset with what its record says; null before it was first judged. */
export interface AssetHealth {
  readonly asset: string;
  readonly diagnostics: AssetDiagnostics | null;
}

const SEVERITIES = ["critical", "warning", "info"] as const;
type FindingSeverity = (typeof SEVERITIES)[number];

/** What an asset's user should know. */
export interface HealthFinding extends AssetHealth {
  /** `pass` where the record passes and evidence against it gathers all the same. */
  readonly issue: CalibrationStatus;
  readonly severity: FindingSeverity;
  /** Largest e-value of the running month; 1 without any. */
  readonly evidence: number;
  /** Whose breaches are furthest from their number, where that is the issue. */
  readonly miscounted: CountedForecasts | null;
}

/** Forecasts that can say that breaches are too many or too few. */
export type CountedForecasts = JudgedForecasts & {
  readonly verdict: NonNullable<JudgedForecasts["verdict"]>;
};

/** How well all forecasts hold, judged together. */
export interface CalibrationHealth {
  readonly assets: readonly AssetHealth[];
  readonly tested: number;
  readonly passing: number;
  /** Understated beyond what looking at so many assets brings about by chance. */
  readonly critical: number;
  readonly status: AggregateStatus;
  readonly pooled: PooledCoverage | null;
  /** The most severe first. */
  readonly findings: readonly HealthFinding[];
}

const NOT_JUDGED: JudgedAsset = { status: "insufficient_data", understatementPValue: 1 };

/**
 * The health of every asset's VaR, and of all together. The pool is added up anew at every call.
 */
export function calibrationHealthOf(assets: readonly AssetHealth[]): CalibrationHealth {
  const judged = assets.map(({ diagnostics }) => diagnostics ?? NOT_JUDGED);
  const critical = confirmedCritical(judged);
  const tested = assets.flatMap(({ diagnostics }) =>
    diagnostics === null || diagnostics.status === "insufficient_data" ? [] : [diagnostics],
  );
  const pooled = pooledCoverage(coverageByDate(tested.map(dateCoverageOf)));
  return {
    assets,
    tested: tested.length,
    passing: tested.filter(({ status }) => status === "pass").length,
    critical: critical.filter(Boolean).length,
    status: aggregateStatus(judged, pooled),
    pooled,
    findings: assets
      .flatMap((asset, i) => findingOf(asset, critical[i]!) ?? [])
      .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
  };
}

function findingOf({ asset, diagnostics }: AssetHealth, isCritical: boolean): HealthFinding | null {
  const issue = diagnostics?.status ?? NOT_JUDGED.status;
  const evidence = diagnostics === null ? 1 : evidenceThisMonth(diagnostics);
  if (issue === "pass" && evidence < E_WARNING) return null;
  const miscounted = diagnostics === null ? null : miscountedForecasts(diagnostics, issue);
  return { asset, diagnostics, issue, severity: severityOf(issue, isCritical), evidence, miscounted };
}

function miscountedForecasts(
  { results }: AssetDiagnostics,
  issue: CalibrationStatus,
): CountedForecasts | null {
  if (issue !== "too_many_breaches" && issue !== "too_few_breaches") return null;
  const chanceOf = ({ verdict: { kupiec } }: CountedForecasts): number =>
    issue === "too_many_breaches" ? kupiec.tooManyPValue : kupiec.tooFewPValue;
  const [furthest = null] = results
    .filter(isCounted)
    .filter((counted) => canMiscount(counted, issue))
    .sort((a, b) => chanceOf(a) - chanceOf(b));
  return furthest;
}

function isCounted(judged: JudgedForecasts): judged is CountedForecasts {
  return judged.verdict !== null;
}

/** Hours convict a VaR that is too low only, and by a rate that matters. */
function canMiscount({ horizonHours, level, verdict }: CountedForecasts, issue: CalibrationStatus): boolean {
  if (horizonHours === DAY_HOURS) return true;
  const isHour99 = horizonHours === 1 && level === 0.99;
  return issue === "too_many_breaches" && isHour99 && areHoursBreachedOften(verdict);
}

/** An understated asset that chance explains, as one of so many looked at, is a warning. */
function severityOf(issue: CalibrationStatus, isCritical: boolean): FindingSeverity {
  if (isCritical) return "critical";
  return issue === "too_few_breaches" || issue === "insufficient_data" ? "info" : "warning";
}

function evidenceThisMonth({ results }: AssetDiagnostics): number {
  const logs = results
    .filter(({ horizonHours, level }) => horizonHours === DAY_HOURS && level === 0.99)
    .flatMap(({ verdict }) =>
      verdict === null ? [] : [verdict.logEvidenceVar, verdict.logEvidenceShortfall],
    );
  return Math.exp(Math.max(0, ...logs));
}
