import type { Calibrated } from "../../domain/calibrated.ts";

/** A number or a short table that speaks for or against a fit. */
export type Evidence = Readonly<Record<string, number | string | readonly number[]>>;

/** What a fit says about a constant: the value that data ask for, the one in force, and which of them to use. */
export interface FitFinding<T = unknown> {
  readonly fitted: T;
  /** Of the fitted value where it is a number, else of what the verdict rests on; null where it has none. */
  readonly standardError: number | null;
  readonly isAdopted: boolean;
  /** Why the fitted value is adopted, or why the one in force stays. */
  readonly verdict: string;
  /** What was fitted on: data and span. */
  readonly data: string;
  readonly evidence: Evidence;
}

/** Gains smaller than this many standard errors are noise. */
export const CLEAR_GAIN_ERRORS = 2;

/** The constant that the next calibration file holds: fitted where that is adopted, as it was otherwise. */
export function constantAfter<T>(
  inForce: Calibrated<T>,
  { fitted, isAdopted, verdict, data, evidence }: FitFinding<T>,
  dateIso: string,
): Calibrated<T> & { readonly evidence: Evidence } {
  const { unit, source } = inForce;
  if (isAdopted)
    return { value: fitted, unit, source, fittedOn: `${dateIso}: ${data}; ${verdict}`, evidence };
  return {
    value: inForce.value,
    unit,
    source,
    fittedOn: inForce.fittedOn,
    evidence: { ...evidence, kept: verdict },
  };
}

/** Mean and its standard error from sums over clusters, of which each counts as one observation of its own weight. */
export function clusteredMean(sums: readonly { readonly sum: number; readonly count: number }[]): {
  readonly mean: number;
  readonly standardError: number;
} {
  let total = 0;
  let count = 0;
  for (const cluster of sums) {
    total += cluster.sum;
    count += cluster.count;
  }
  const mean = total / count;
  let squares = 0;
  for (const cluster of sums) squares += (cluster.sum - mean * cluster.count) ** 2;
  return { mean, standardError: Math.sqrt(squares) / count };
}
