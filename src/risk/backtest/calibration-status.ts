import type { Calibrated } from "../../domain/calibrated.ts";
import { E_FAILURE } from "./e-process.ts";
import { falseDiscoveryFlags } from "./false-discovery.ts";
import type { PooledCoverage } from "./pooled-coverage.ts";
import type { TailVerdict } from "./tail-verdict.ts";

/** What a backtest says of one asset, worst first; only the first two call the risk understated. */
const CALIBRATION_STATUSES = [
  "too_many_breaches",
  "es_understated",
  "clustered_breaches",
  "too_few_breaches",
  "pass",
  "insufficient_data",
] as const;
export type CalibrationStatus = (typeof CALIBRATION_STATUSES)[number];

/**
 * Over all assets tested: miscalibrated from 30 % of them critical, degraded when any is; and by the breach rate of all
 * of them together.
 */
export type AggregateStatus = "healthy" | "degraded" | "miscalibrated" | "insufficient_data";

/** Rate at which a 99 % VaR is expected to be breached. */
export const VAR_99_TAIL = 0.01;

export const CALIBRATION_RULE: Calibrated<{
  readonly dayObservationsMin: number;
  readonly hourObservationsMin: number;
  readonly dayPValue: number;
  readonly hourPValue: number;
  readonly hourRateMax: number;
  readonly clusteringRatioMin: number;
  readonly criticalShareMax: number;
  readonly testedAssetsMin: number;
  readonly falseDiscoveryRate: number;
  readonly pooledHealthy: { readonly low: number; readonly high: number };
  readonly pooledDegraded: { readonly low: number; readonly high: number };
}> = {
  value: {
    dayObservationsMin: 100,
    hourObservationsMin: 1000,
    dayPValue: 0.005,
    hourPValue: 0.001,
    hourRateMax: 0.013,
    clusteringRatioMin: 3,
    criticalShareMax: 0.3,
    testedAssetsMin: 5,
    falseDiscoveryRate: 0.1,
    pooledHealthy: { low: 0.8, high: 1.25 },
    pooledDegraded: { low: 0.7, high: 1.5 },
  },
  unit: "observations; p-values of one test; rate of a 1 % VaR; ratio of breach rates after a breach and after calm; share and number of assets; share of false alarms among the failures counted; multiples of the expected rate",
  source:
    "chosen: thousands of hours reject any model at 5 %, so hourly tests need an effect as well; 200 assets with a dozen tests each at 0.005 give several false alarms, so all are judged together at a false discovery rate",
  fittedOn: "not fitted: chosen 2026-11",
};

/** One side of one asset. Hourly verdicts are null where none were kept. */
export interface SideEvidence {
  readonly day95: TailVerdict;
  readonly day99: TailVerdict;
  readonly hour99: TailVerdict | null;
  /** Z2 of a correct 99 % daily forecast falls below this once in a hundred. */
  readonly day99Z2Critical: number;
  /** P(Z2 of a correct 99 % daily forecast is as low as this one). */
  readonly day99Z2PValue: number;
}

/** The worst that either side shows; of an asset without evidence, insufficient_data. */
export function calibrationStatus(sides: readonly SideEvidence[]): CalibrationStatus {
  const found = sides.map(sideStatus);
  return CALIBRATION_STATUSES.find((status) => found.includes(status)) ?? "insufficient_data";
}

/** Whether a status says that losses were understated. */
function isCriticalStatus(status: CalibrationStatus): boolean {
  return status === "too_many_breaches" || status === "es_understated";
}

/** One asset as the judgement of all sees it. */
export interface JudgedAsset {
  readonly status: CalibrationStatus;
  readonly understatementPValue: number;
}

/**
 * Which assets are critical beyond what looking at so many of them brings about by chance. Shapes: one flag per asset.
 */
export function confirmedCritical(assets: readonly JudgedAsset[]): readonly boolean[] {
  const tested = assets.map(({ status }) => status !== "insufficient_data");
  const flags = falseDiscoveryFlags(
    assets.filter((_, i) => tested[i]).map(({ understatementPValue: p }) => p),
    CALIBRATION_RULE.value.falseDiscoveryRate,
  );
  let next = 0;
  return assets.map(({ status }, i) => (tested[i]! ? flags[next++]! : false) && isCriticalStatus(status));
}

/**
 * What all assets together show. Miscalibrated: 30 % or more of the tested are critical, or the pooled breach rate is far
 * off; degraded: any critical asset, or a pooled rate that is off by less. Pooled: null without daily forecasts.
 */
export function aggregateStatus(
  assets: readonly JudgedAsset[],
  pooled: PooledCoverage | null,
): AggregateStatus {
  const { testedAssetsMin, criticalShareMax } = CALIBRATION_RULE.value;
  const tested = assets.filter(({ status }) => status !== "insufficient_data").length;
  if (tested < testedAssetsMin) return "insufficient_data";
  const critical = confirmedCritical(assets).filter(Boolean).length;
  const ofPool = pooledStatus(pooled);
  if (critical >= criticalShareMax * tested || ofPool === "miscalibrated") return "miscalibrated";
  return critical > 0 || ofPool === "degraded" ? "degraded" : "healthy";
}

/** The rate must miss by an amount that matters and by more than the dates' own chance. */
function pooledStatus(pooled: PooledCoverage | null): AggregateStatus {
  if (pooled === null) return "healthy";
  const { pooledHealthy, pooledDegraded } = CALIBRATION_RULE.value;
  const ratio = pooled.rate / VAR_99_TAIL;
  const isChance = pooled.interval.low <= VAR_99_TAIL && VAR_99_TAIL <= pooled.interval.high;
  const isWithin = ({ low, high }: { low: number; high: number }): boolean => ratio >= low && ratio <= high;
  if (isChance || isWithin(pooledHealthy)) return "healthy";
  return isWithin(pooledDegraded) ? "degraded" : "miscalibrated";
}

/**
 * The smallest p-value of the tests that call an asset understated, times their number: what is left of it when the
 * best of so many tests is picked. An e-value of c counts as 1/c. 1 without evidence.
 */
export function understatementPValue(sides: readonly SideEvidence[]): number {
  const pValues = sides.flatMap(({ day95, day99, hour99, day99Z2PValue }) => [
    day95.kupiec.tooManyPValue,
    day99.kupiec.tooManyPValue,
    hour99 !== null && areHoursBreachedOften(hour99) ? hour99.kupiec.tooManyPValue : 1,
    day99Z2PValue,
    Math.exp(-day99.logEvidenceVar),
    Math.exp(-day99.logEvidenceShortfall),
  ]);
  return pValues.reduce((least, p) => Math.min(least, p * pValues.length), 1);
}

function sideStatus({ day95, day99, hour99, day99Z2Critical }: SideEvidence): CalibrationStatus {
  const rule = CALIBRATION_RULE.value;
  const hours = hour99?.observations ?? 0;
  if (day99.observations < rule.dayObservationsMin && hours < rule.hourObservationsMin)
    return "insufficient_data";
  const days = [day95, day99];
  if (days.some((day) => day.kupiec.tooManyPValue < rule.dayPValue || day.zone === "red")) {
    return "too_many_breaches";
  }
  if (day99.logEvidenceVar >= Math.log(E_FAILURE)) return "too_many_breaches";
  if (hour99 !== null && hour99.kupiec.tooManyPValue < rule.hourPValue && areHoursBreachedOften(hour99)) {
    return "too_many_breaches";
  }
  if (day99.shortfallZ2 < day99Z2Critical || day99.logEvidenceShortfall >= Math.log(E_FAILURE)) {
    return "es_understated";
  }
  if (days.some((day) => isClustered(day, rule.dayPValue))) return "clustered_breaches";
  if (hour99 !== null && isClustered(hour99, rule.hourPValue)) return "clustered_breaches";
  if (days.some((day) => day.kupiec.tooFewPValue < rule.dayPValue)) return "too_few_breaches";
  return "pass";
}

/** Breaches follow breaches, by more than chance and by a factor that matters. */
function isClustered({ christoffersen }: TailVerdict, pValueMax: number): boolean {
  const { breachAfterBreach, breachAfterCalm, independencePValue } = christoffersen;
  if (breachAfterBreach === null || breachAfterCalm === null) return false;
  return (
    independencePValue < pValueMax &&
    breachAfterBreach > CALIBRATION_RULE.value.clusteringRatioMin * breachAfterCalm
  );
}

/** Thousands of hours find what does not matter: only a rate beyond this does. */
export function areHoursBreachedOften({ breaches, observations }: TailVerdict): boolean {
  return breaches / observations > CALIBRATION_RULE.value.hourRateMax;
}
