import type { Calibrated } from "../../domain/calibrated.ts";
import { E_FAILURE } from "./e-process.ts";
import type { TailVerdict } from "./tail-verdict.ts";

/** What a backtest says of one asset, worst first; only the first two call the risk understated. */
export const CALIBRATION_STATUSES = [
  "too_many_breaches",
  "es_understated",
  "clustered_breaches",
  "too_few_breaches",
  "pass",
  "insufficient_data",
] as const;
export type CalibrationStatus = (typeof CALIBRATION_STATUSES)[number];

/** Over all assets tested: miscalibrated from 30 % of them critical, degraded when any is. */
export type AggregateStatus = "healthy" | "degraded" | "miscalibrated" | "insufficient_data";

export const CALIBRATION_RULE: Calibrated<{
  readonly dayObservationsMin: number;
  readonly hourObservationsMin: number;
  readonly dayPValue: number;
  readonly hourPValue: number;
  readonly hourRateMax: number;
  readonly clusteringRatioMin: number;
  readonly criticalShareMax: number;
  readonly testedAssetsMin: number;
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
  },
  unit: "observations; p-values of one test; rate of a 1 % VaR; ratio of breach rates after a breach and after calm; share and number of assets",
  source:
    "chosen: thousands of hours reject any model at 5 %, so hourly tests need an effect as well; 200 assets at 0.005 give one false alarm",
  fittedOn: "not fitted",
};

/** One side of one asset. Hourly verdicts are null where none were kept. */
export interface SideEvidence {
  readonly day95: TailVerdict;
  readonly day99: TailVerdict;
  readonly hour99: TailVerdict | null;
  /** Z2 of a correct 99 % daily forecast falls below this once in a hundred. */
  readonly day99Z2Critical: number;
}

/** The worst that either side shows. Shapes: at least one side. */
export function calibrationStatus(sides: readonly SideEvidence[]): CalibrationStatus {
  const found = sides.map(sideStatus);
  return CALIBRATION_STATUSES.find((status) => found.includes(status)) ?? "insufficient_data";
}

/** Whether a status says that losses were understated. */
export function isCriticalStatus(status: CalibrationStatus): boolean {
  return status === "too_many_breaches" || status === "es_understated";
}

export function aggregateStatus(statuses: readonly CalibrationStatus[]): AggregateStatus {
  const tested = statuses.filter((status) => status !== "insufficient_data");
  if (tested.length < CALIBRATION_RULE.value.testedAssetsMin) return "insufficient_data";
  const critical = tested.filter(isCriticalStatus).length;
  if (critical >= CALIBRATION_RULE.value.criticalShareMax * tested.length && critical > 0)
    return "miscalibrated";
  return critical > 0 ? "degraded" : "healthy";
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
  if (hour99 !== null && hour99.kupiec.tooManyPValue < rule.hourPValue && rateOf(hour99) > rule.hourRateMax) {
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

function rateOf({ breaches, observations }: TailVerdict): number {
  return breaches / observations;
}
