import type { Calibrated } from "../../domain/calibrated.ts";
import { normalCdf } from "../../math/normal.ts";
import { studentTQuantile } from "../../math/student-t.ts";

/** A number or a short table that speaks for or against a fit. */
export type Evidence = Readonly<Record<string, number | string | readonly number[]>>;

/** What a fit says about a constant: the value that data ask for, the one in force, and which of them to use. */
export interface FitFinding<T = unknown> {
  readonly fitted: T;
  /** How the fitted value comes about: the constant's source once it is adopted. */
  readonly method: string;
  /** Of the fitted value, or of the gain that the verdict rests on; null where it has none. */
  readonly standardError: number | null;
  readonly isAdopted: boolean;
  /** Why the fitted value is adopted, or why the one in force stays. */
  readonly verdict: string;
  /** What was fitted on: data and span. */
  readonly data: string;
  readonly evidence: Evidence;
}

/** A mean over clusters that are independent of each other, within which observations are not. */
export interface ClusteredMean {
  readonly mean: number;
  readonly standardError: number;
  readonly clusterCount: number;
}

/** Gains smaller than this many standard errors of very many clusters are noise. */
const CLEAR_GAIN_ERRORS = 2;

/**
 * As unlikely without a gain as two errors of a normal law. Of few clusters the error is itself uncertain: 2.3 errors
 * for ten of them, 14 for two.
 *
 * Source:  Cameron and Miller, A practitioner's guide to cluster-robust inference, J. Human Resources 50 (2015), VI
 */
export function isClearGain({ mean, standardError, clusterCount }: ClusteredMean): boolean {
  return mean > studentTQuantile(normalCdf(CLEAR_GAIN_ERRORS), clusterCount - 1) * standardError;
}

/** The constant that the next calibration file holds: fitted where that is adopted, as it was otherwise. */
export function constantAfter<T>(
  inForce: Calibrated<T>,
  { fitted, method, isAdopted, verdict, data, evidence }: FitFinding<T>,
  dateIso: string,
): Calibrated<T> & { readonly evidence: Evidence } {
  if (isAdopted) {
    const fittedOn = `${dateIso}: ${data}; ${verdict}`;
    return { value: fitted, unit: inForce.unit, source: method, fittedOn, evidence };
  }
  return { ...inForce, evidence: { ...evidence, judgedOn: `${dateIso}: ${data}`, kept: verdict } };
}

/**
 * Mean and its standard error from sums over clusters, of which each counts as one observation of its own weight:
 *
 *   error² = G/(G−1) Σ_g (sum_g − mean × count_g)² / count², G clusters
 *
 * One cluster says nothing of the error, which is NaN: no gain is clear beside it.
 */
export function clusteredMean(
  sums: readonly { readonly sum: number; readonly count: number }[],
): ClusteredMean {
  const clusterCount = sums.length;
  let total = 0;
  let count = 0;
  for (const cluster of sums) {
    total += cluster.sum;
    count += cluster.count;
  }
  const mean = total / count;
  let squares = 0;
  for (const cluster of sums) squares += (cluster.sum - mean * cluster.count) ** 2;
  const correction = clusterCount > 1 ? clusterCount / (clusterCount - 1) : Number.NaN;
  return { mean, standardError: Math.sqrt(correction * squares) / count, clusterCount };
}

/** The same over observations that are independent only from cluster to cluster. */
export function clusteredBy<T>(
  observations: readonly T[],
  clusterOf: (one: T) => number,
  sumOf: (one: T) => number,
  countOf: (one: T) => number = () => 1,
): ClusteredMean {
  const clusters = new Map<number, { sum: number; count: number }>();
  for (const one of observations) {
    const key = clusterOf(one);
    const cluster = clusters.get(key) ?? { sum: 0, count: 0 };
    clusters.set(key, cluster);
    cluster.sum += sumOf(one);
    cluster.count += countOf(one);
  }
  return clusteredMean([...clusters.values()]);
}

/** The cluster of what is independent only from day to day. */
export const dayOf = ({ day }: { readonly day: number }): number => day;

/** The first day of the later half of the observations. */
export function medianDay(observations: readonly { readonly day: number }[]): number {
  const days = Float64Array.from(observations, dayOf).sort();
  return days[days.length >>> 1]!;
}
