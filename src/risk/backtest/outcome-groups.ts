import { medianOf } from "../../math/median.ts";
import { type Recommendation, recommendationOf, RECOMMENDATIONS } from "../scoring/bands.ts";
import type { OutcomeColumns } from "./outcome-columns.ts";
import { type Interval, wilsonInterval } from "./wilson-interval.ts";

/** A share of a group's outcomes with its 95 % Wilson interval. */
export interface Share {
  readonly rate: number;
  readonly interval: Interval;
}

/** Outcomes of one range of scores or one band. What needs at least one of them is null without. */
export interface OutcomeGroup {
  readonly count: number;
  readonly lost: Share | null;
  readonly profitable: Share | null;
  readonly meanPnlFraction: number | null;
  readonly medianPnlFraction: number | null;
  readonly meanPnlUsd: number | null;
  /** Of the outcomes at which a probability had been published: how many, their mean, and how many were adverse. */
  readonly scored: { readonly count: number; readonly meanForecast: number; readonly adverse: Share } | null;
}

export interface ScoreRangeGroup extends OutcomeGroup {
  /** Score points; the range holds its lower end, the last one both. */
  readonly fromScore: number;
  readonly toScore: number;
}

export interface BandGroup extends OutcomeGroup {
  readonly recommendation: Recommendation;
}

const RANGES = 10;
const POINTS_PER_RANGE = 10;
const CONFIDENCE = 0.95;

/** One group for every ten score points, empty ones included. */
export function outcomesByScore(columns: OutcomeColumns): readonly ScoreRangeGroup[] {
  const rangeOf = (score: number): number => Math.min(Math.floor(score / POINTS_PER_RANGE), RANGES - 1);
  const members = partition(columns, RANGES, rangeOf);
  return members.map((indices, range) => ({
    fromScore: range * POINTS_PER_RANGE,
    toScore: (range + 1) * POINTS_PER_RANGE,
    ...groupOf(columns, indices),
  }));
}

/** One group for each recommendation, empty ones included; the score at entry says which was given. */
export function outcomesByBand(columns: OutcomeColumns): readonly BandGroup[] {
  const members = partition(columns, RECOMMENDATIONS.length, (score) =>
    RECOMMENDATIONS.indexOf(recommendationOf(score)),
  );
  return members.map((indices, band) => ({
    recommendation: RECOMMENDATIONS[band]!,
    ...groupOf(columns, indices),
  }));
}

/** Some of the outcomes together. */
export function outcomesWhere(columns: OutcomeColumns, isIncluded: (i: number) => boolean): OutcomeGroup {
  const indices: number[] = [];
  for (let i = 0; i < columns.riskScore.length; i++) if (isIncluded(i)) indices.push(i);
  return groupOf(columns, indices);
}

function partition(columns: OutcomeColumns, parts: number, partOf: (score: number) => number): number[][] {
  const members = Array.from({ length: parts }, (): number[] => []);
  columns.riskScore.forEach((score, i) => members[partOf(score)]!.push(i));
  return members;
}

function groupOf(columns: OutcomeColumns, indices: readonly number[]): OutcomeGroup {
  const count = indices.length;
  if (count === 0) {
    return {
      count,
      lost: null,
      profitable: null,
      meanPnlFraction: null,
      medianPnlFraction: null,
      meanPnlUsd: null,
      scored: null,
    };
  }
  const { pnlUsd, pnlFraction, forecast, isAdverse } = columns;
  const fractions = new Float64Array(count);
  const total = { losses: 0, gains: 0, pnlUsd: 0, pnlFraction: 0, scored: 0, forecast: 0, adverse: 0 };
  for (let k = 0; k < count; k++) {
    const i = indices[k]!;
    if (pnlUsd[i]! < 0) total.losses += 1;
    if (pnlUsd[i]! > 0) total.gains += 1;
    total.pnlUsd += pnlUsd[i]!;
    total.pnlFraction += pnlFraction[i]!;
    fractions[k] = pnlFraction[i]!;
    if (Number.isNaN(forecast[i]!)) continue;
    total.scored += 1;
    total.forecast += forecast[i]!;
    total.adverse += isAdverse[i]!;
  }
  const { scored } = total;
  return {
    count,
    lost: shareAmong(total.losses, count),
    profitable: shareAmong(total.gains, count),
    meanPnlFraction: total.pnlFraction / count,
    medianPnlFraction: medianOf(fractions),
    meanPnlUsd: total.pnlUsd / count,
    scored:
      scored === 0
        ? null
        : {
            count: scored,
            meanForecast: total.forecast / scored,
            adverse: shareAmong(total.adverse, scored),
          },
  };
}

function shareAmong(events: number, count: number): Share {
  return { rate: events / count, interval: wilsonInterval(events, count, CONFIDENCE) };
}
