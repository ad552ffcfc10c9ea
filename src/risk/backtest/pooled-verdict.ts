import { invariant } from "../../math/invariant.ts";
import { clusteredDieboldMariano } from "./diebold-mariano.ts";
import { breachesOf, type TailRecord } from "./tail-record.ts";
import { fzLosses, type TailVerdict } from "./tail-verdict.ts";

/** A record with the time that each forecast was made at, ascending. */
export interface DatedRecord {
  readonly timeMs: Float64Array;
  readonly record: TailRecord;
}

/** One model over many assets and sides. */
export interface PooledVerdict {
  readonly series: number;
  readonly observations: number;
  readonly breaches: number;
  readonly rate: number;
  /** Of the rate, summed over the series of one date first: coins breach together. Null of a single date. */
  readonly rateStandardError: number | null;
  readonly rateMin: number;
  readonly rateMax: number;
  /** Shares of the series that pass at 5 %. */
  readonly kupiecPassShare: number;
  readonly conditionalCoveragePassShare: number;
  readonly fzLossMean: number;
}

/** A model against a baseline: positive means the baseline loses more. */
export interface PooledComparison {
  readonly fzLossDifference: number;
  readonly statistic: number | null;
}

const SIGNIFICANCE = 0.05;

/** Shapes: one verdict per record, at least one. */
export function poolVerdicts(
  records: readonly DatedRecord[],
  verdicts: readonly TailVerdict[],
): PooledVerdict {
  invariant(records.length > 0 && verdicts.length === records.length, "a verdict for every record");
  const observations = verdicts.reduce((sum, one) => sum + one.observations, 0);
  const breaches = verdicts.reduce((sum, one) => sum + one.breaches, 0);
  const rate = breaches / observations;
  const rates = verdicts.map((one) => one.breaches / one.observations);
  const centred = byDate(records.map(({ timeMs, record }) => ({ timeMs, values: breachesOf(record) })));
  let square = 0;
  for (const { sum, count } of centred.values()) square += (sum - count * rate) ** 2;
  const share = (passes: (one: TailVerdict) => boolean): number =>
    verdicts.filter(passes).length / verdicts.length;
  return {
    series: records.length,
    observations,
    breaches,
    rate,
    rateStandardError: centred.size > 1 ? Math.sqrt(square) / observations : null,
    rateMin: Math.min(...rates),
    rateMax: Math.max(...rates),
    kupiecPassShare: share((one) => one.kupiec.pValue >= SIGNIFICANCE),
    conditionalCoveragePassShare: share(
      (one) => one.christoffersen.conditionalCoveragePValue >= SIGNIFICANCE,
    ),
    fzLossMean: verdicts.reduce((sum, one) => sum + one.fzLossMean * one.observations, 0) / observations,
  };
}

/**
 * Date-clustered Diebold–Mariano of FZ0, baseline minus model. The lags count dates and cover how long one move stays
 * in several forecasts. Shapes: both lists in the same order, their records made at the same times.
 */
export function comparePooled(
  model: readonly DatedRecord[],
  baseline: readonly DatedRecord[],
  lags: number,
): PooledComparison {
  const rows = model.flatMap(({ timeMs, record }, place) => {
    const ours = fzLosses(record);
    const theirs = fzLosses(baseline[place]!.record);
    invariant(ours.length === theirs.length, "both models forecast the same periods");
    return Array.from(timeMs, (time, t) => [time, theirs[t]!, ours[t]!] as const);
  });
  rows.sort((a, b) => a[0] - b[0]);
  const { meanDifference, statistic } = clusteredDieboldMariano(
    Float64Array.from(rows, ([, theirs]) => theirs),
    Float64Array.from(rows, ([, , ours]) => ours),
    Float64Array.from(rows, ([time]) => time),
    lags,
  );
  return { fzLossDifference: meanDifference, statistic };
}

function byDate(
  series: readonly { readonly timeMs: Float64Array; readonly values: Uint8Array }[],
): Map<number, { sum: number; count: number }> {
  const dates = new Map<number, { sum: number; count: number }>();
  for (const { timeMs, values } of series) {
    timeMs.forEach((time, t) => {
      const date = dates.get(time) ?? { sum: 0, count: 0 };
      date.sum += values[t]!;
      date.count++;
      dates.set(time, date);
    });
  }
  return dates;
}
