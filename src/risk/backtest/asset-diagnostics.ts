import { DAY_HOURS, HOUR_MS } from "../../domain/bar.ts";
import type { ForecastRow, SigmaMultipliers } from "../../domain/forecast-row.ts";
import type { Ticker } from "../../domain/ids.ts";
import { HORIZON_HOURS } from "../scenarios/horizon.ts";
import {
  type CalibrationStatus,
  calibrationStatus,
  type SideEvidence,
  understatementPValue,
} from "./calibration-status.ts";
import { kupiecTest } from "./kupiec.ts";
import type { DateCoverage } from "./pooled-coverage.ts";
import type { TailRecord } from "./tail-record.ts";
import { judgeTail, type TailVerdict } from "./tail-verdict.ts";
import { type Z2Distribution, z2Distribution } from "./z2-critical-value.ts";

export const JUDGED_SIDES = ["long", "short"] as const;
export type JudgedSide = (typeof JUDGED_SIDES)[number];
export const JUDGED_LEVELS = [0.95, 0.99] as const;
export type JudgedLevel = (typeof JUDGED_LEVELS)[number];

/** Which of an asset's forecasts are judged together. */
export interface JudgedKey {
  readonly side: JudgedSide;
  readonly horizonHours: number;
  readonly level: JudgedLevel;
}

/** Mean tick loss of the VaR over the periods that every model forecast; fractions of notional, less is better. */
export interface QuantileLosses {
  readonly model: number;
  readonly historicalSimulation: number;
  readonly ewma: number;
  readonly gaussian: number;
}

export interface JudgedForecasts extends JudgedKey {
  /** Null without a finished period. */
  readonly verdict: TailVerdict | null;
  /** Z2 of a correct model falls below this once in a hundred; null without a verdict. */
  readonly z2Critical: number | null;
  /** P(Z2 of a correct model is as low as this one). */
  readonly z2PValue: number | null;
  /** Null until they were computed, or where no baseline had enough history. */
  readonly quantileLosses: QuantileLosses | null;
}

/** The 24-hour forecasts of one day and what happened. */
export interface DayPoint {
  readonly timeMs: number;
  readonly logReturn: number;
  readonly long95: number;
  readonly long99: number;
  readonly short95: number;
  readonly short99: number;
}

/** What an asset's record says of its forecasts. Immutable; replaced whole. */
export interface AssetDiagnostics {
  readonly ticker: Ticker;
  readonly computedAtMs: number;
  readonly status: CalibrationStatus;
  /** That a correct model would look as understated, over all tests; 1 without a record. */
  readonly understatementPValue: number;
  /** From the first forecast to the end of the last finished period; null without one. */
  readonly window: { readonly fromMs: number; readonly toMs: number } | null;
  /** Finished periods in the record, and how many of them were forecast afterwards from earlier candles. */
  readonly periods: number;
  readonly replayedPeriods: number;
  /** 24-hour 99 % VaR, each day's long and short together. */
  readonly day99: DayCoverage;
  /** One per side, horizon and level. */
  readonly results: readonly JudgedForecasts[];
  readonly multipliers: SigmaMultipliers;
  /** Oldest first. */
  readonly days: readonly DayPoint[];
}

export interface DayCoverage {
  readonly observations: number;
  readonly breaches: number;
  /** Null without observations. */
  readonly kupiecPValue: number | null;
}

/** A forecast of no loss at all, which no loss function takes. */
export const SHORTFALL_MIN = 1e-7;
const Z2_SIGNIFICANCE = 0.01;

export interface DiagnosisInputs {
  readonly ticker: Ticker;
  readonly computedAtMs: number;
  /** Ascending in time; unfinished periods are left out of every test. */
  readonly rows: readonly ForecastRow[];
  /** After the last finished day. */
  readonly multipliers: SigmaMultipliers;
  /** In the order of JUDGED_KEYS; of those that are missing none is known. */
  readonly quantileLosses: readonly (QuantileLosses | null)[];
}

/** Judges a record by every test. */
export function diagnose(inputs: DiagnosisInputs): AssetDiagnostics {
  const finished = inputs.rows.filter(isFinished);
  const results = JUDGED_KEYS.map((key, place): JudgedForecasts => {
    const { record, timeMs } = tailRecordOf(finished, key);
    const quantileLosses = inputs.quantileLosses[place] ?? null;
    if (timeMs.length === 0)
      return { ...key, verdict: null, z2Critical: null, z2PValue: null, quantileLosses };
    const verdict = judgeTail(record, timeMs);
    const z2 = z2DistributionOf(timeMs.length, record.tailProbability);
    return {
      ...key,
      verdict,
      z2Critical: z2.criticalValue(Z2_SIGNIFICANCE),
      z2PValue: z2.lowerTail(verdict.shortfallZ2),
      quantileLosses,
    };
  });
  const evidence = evidenceOf(results);
  return {
    ticker: inputs.ticker,
    computedAtMs: inputs.computedAtMs,
    status: calibrationStatus(evidence),
    understatementPValue: understatementPValue(evidence),
    window: windowOf(finished),
    periods: finished.length,
    replayedPeriods: finished.filter(({ isReplayed }) => isReplayed).length,
    day99: dayCoverageOf(results),
    results,
    multipliers: inputs.multipliers,
    days: finished.filter(({ horizonHours }) => horizonHours === DAY_HOURS).map(dayPointOf),
  };
}

/** Every series that is judged. */
export const JUDGED_KEYS: readonly JudgedKey[] = JUDGED_SIDES.flatMap((side) =>
  HORIZON_HOURS.flatMap((horizonHours) => JUDGED_LEVELS.map((level) => ({ side, horizonHours, level }))),
);

export type FinishedRow = ForecastRow & { readonly outcome: NonNullable<ForecastRow["outcome"]> };

export function isFinished(row: ForecastRow): row is FinishedRow {
  return row.outcome !== null;
}

/** The loss that a side bore. */
export function lossOf({ outcome }: FinishedRow, side: JudgedSide): number {
  return side === "long" ? -Math.expm1(outcome.logReturn) : Math.expm1(outcome.logReturn);
}

/** 1 − level without the rounding of the difference. */
export function tailProbabilityOf(level: JudgedLevel): number {
  return level === 0.95 ? 0.05 : 0.01;
}

function tailRecordOf(
  rows: readonly FinishedRow[],
  { side, horizonHours, level }: JudgedKey,
): { readonly record: TailRecord; readonly timeMs: Float64Array } {
  const own = rows.filter((row) => row.horizonHours === horizonHours);
  const is95 = level === 0.95;
  const record = {
    tailProbability: tailProbabilityOf(level),
    loss: Float64Array.from(own, (row) => lossOf(row, side)),
    valueAtRisk: Float64Array.from(own, (row) => (is95 ? row[side].var95 : row[side].var99)),
    expectedShortfall: Float64Array.from(own, (row) =>
      Math.max(SHORTFALL_MIN, is95 ? row[side].expectedShortfall95 : row[side].expectedShortfall99),
    ),
  };
  return { record, timeMs: Float64Array.from(own, (row) => row.timeMs) };
}

function evidenceOf(results: readonly JudgedForecasts[]): readonly SideEvidence[] {
  return JUDGED_SIDES.flatMap((side): SideEvidence[] => {
    const at = (horizonHours: number, level: JudgedLevel): JudgedForecasts =>
      results.find((one) => one.side === side && one.horizonHours === horizonHours && one.level === level)!;
    const day95 = at(DAY_HOURS, 0.95).verdict;
    const { verdict: day99, z2Critical, z2PValue } = at(DAY_HOURS, 0.99);
    if (day95 === null || day99 === null || z2Critical === null || z2PValue === null) return [];
    return [
      {
        day95,
        day99,
        hour99: at(1, 0.99).verdict,
        day99Z2Critical: z2Critical,
        day99Z2PValue: z2PValue,
      },
    ];
  });
}

/** What a record adds to the pool: its daily VaR, long and short. */
export function dateCoverageOf({ days }: Pick<AssetDiagnostics, "days">): readonly DateCoverage[] {
  return days.map(({ timeMs, logReturn, long95, long99, short95, short99 }) => {
    const fall = -Math.expm1(logReturn);
    const rise = Math.expm1(logReturn);
    return {
      timeMs,
      observations: JUDGED_SIDES.length,
      breaches95: Number(fall > long95) + Number(rise > short95),
      breaches99: Number(fall > long99) + Number(rise > short99),
    };
  });
}

function windowOf(rows: readonly FinishedRow[]): AssetDiagnostics["window"] {
  const first = rows[0];
  if (first === undefined) return null;
  const ends = rows.map(({ timeMs, horizonHours }) => timeMs + horizonHours * HOUR_MS);
  return { fromMs: first.timeMs, toMs: ends.reduce((latest, end) => Math.max(latest, end)) };
}

function dayCoverageOf(results: readonly JudgedForecasts[]): DayCoverage {
  const days = results.filter(({ horizonHours, level }) => horizonHours === DAY_HOURS && level === 0.99);
  const observations = days.reduce((sum, { verdict }) => sum + (verdict?.observations ?? 0), 0);
  const breaches = days.reduce((sum, { verdict }) => sum + (verdict?.breaches ?? 0), 0);
  const tail = tailProbabilityOf(0.99);
  const kupiecPValue = observations === 0 ? null : kupiecTest(breaches, observations, tail).pValue;
  return { observations, breaches, kupiecPValue };
}

function dayPointOf({ timeMs, outcome, long, short }: FinishedRow): DayPoint {
  return {
    timeMs,
    logReturn: outcome.logReturn,
    long95: long.var95,
    long99: long.var99,
    short95: short.var95,
    short99: short.var99,
  };
}

const z2Distributions = new Map<string, Z2Distribution>();
const Z2_KEPT_MAX = 100;

/** Depends on two numbers that most assets share and costs more than all the tests: kept. */
function z2DistributionOf(observations: number, tailProbability: number): Z2Distribution {
  const key = `${observations} ${tailProbability}`;
  const known = z2Distributions.get(key);
  if (known !== undefined) return known;
  if (z2Distributions.size >= Z2_KEPT_MAX) z2Distributions.clear();
  const value = z2Distribution(observations, tailProbability);
  z2Distributions.set(key, value);
  return value;
}
