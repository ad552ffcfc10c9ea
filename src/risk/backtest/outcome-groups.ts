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
  const { pnlUsd, pnlFraction, forecast, isAdverse } = columns;
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
  const total = (valueOf: (i: number) => number): number => indices.reduce((sum, i) => sum + valueOf(i), 0);
  const scored = indices.filter((i) => !Number.isNaN(forecast[i]!));
  return {
    count,
    lost: shareAmong(
      total((i) => Number(pnlUsd[i]! < 0)),
      count,
    ),
    profitable: shareAmong(
      total((i) => Number(pnlUsd[i]! > 0)),
      count,
    ),
    meanPnlFraction: total((i) => pnlFraction[i]!) / count,
    medianPnlFraction: medianOf(indices.map((i) => pnlFraction[i]!)),
    meanPnlUsd: total((i) => pnlUsd[i]!) / count,
    scored:
      scored.length === 0
        ? null
        : {
            count: scored.length,
            meanForecast: scored.reduce((sum, i) => sum + forecast[i]!, 0) / scored.length,
            adverse: shareAmong(
              scored.reduce((sum, i) => sum + isAdverse[i]!, 0),
              scored.length,
            ),
          },
  };
}

function shareAmong(events: number, count: number): Share {
  return { rate: events / count, interval: wilsonInterval(events, count, CONFIDENCE) };
}
