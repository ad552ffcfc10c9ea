import { DAY_MS } from "../../domain/bar.ts";
import type { Ramp } from "../../math/ramp.ts";
import { scoreProbability } from "../scoring/score-probability.ts";
import { brierScore } from "./brier.ts";
import { type ForecastQuality, forecastQuality } from "./forecast-quality.ts";
import { type ForecastColumns, forecastsOf, type LeftOut, type OutcomeColumns } from "./outcome-columns.ts";
import {
  type BandGroup,
  type OutcomeGroup,
  outcomesByBand,
  outcomesByScore,
  outcomesWhere,
  type ScoreRangeGroup,
} from "./outcome-groups.ts";
import { recalibrate, type Recalibration } from "./recalibration.ts";

/** What GET /v1/outcomes/stats shows. */
export interface OutcomeStatistics {
  readonly count: number;
  readonly scoredCount: number;
  readonly leftOut: LeftOut;
  readonly brierScore: number | null;
  readonly byScore: readonly ScoreRangeGroup[];
  readonly byBand: readonly BandGroup[];
}

export interface CalibrationAccuracy {
  readonly hash: string;
  readonly isKnown: boolean;
  readonly count: number;
  readonly quality: ForecastQuality;
}

/** What a score has turned out to mean, at one score. */
export interface ScoreMeaning {
  readonly score: number;
  readonly publishedProbability: number;
  readonly probability: number;
}

/** What GET /v1/accuracy shows. Plain data. */
export interface AccuracyReport {
  readonly computedAtMs: number;
  readonly statistics: OutcomeStatistics;
  readonly quality: ForecastQuality;
  readonly recent: { readonly group: OutcomeGroup; readonly brierScore: number | null } | null;
  readonly byCalibration: readonly CalibrationAccuracy[];
  readonly scoreMeaning: Omit<Recalibration, "map"> & { readonly curve: readonly ScoreMeaning[] };
}

const RECENT_MS = 7 * DAY_MS;
const SCORE_STEP = 10;
/** Reporters choose their hashes; the report does not grow with them. */
const CALIBRATIONS_MAX = 50;

export function outcomeStatistics(columns: OutcomeColumns): OutcomeStatistics {
  return statisticsOf(columns, forecastsOf(columns));
}

/** The forecasts are all that the columns hold. */
function statisticsOf(columns: OutcomeColumns, forecasts: ForecastColumns): OutcomeStatistics {
  return {
    count: columns.riskScore.length,
    scoredCount: forecasts.probabilities.length,
    leftOut: columns.leftOut,
    brierScore: brierOf(forecasts),
    byScore: outcomesByScore(columns),
    byBand: outcomesByBand(columns),
  };
}

/** Every statistic of the record. `curveInForce` is the one whose scores are being given now. */
export function accuracyReport(columns: OutcomeColumns, curveInForce: Ramp, nowMs: number): AccuracyReport {
  const forecasts = forecastsOf(columns);
  const { map, ...recalibration } = recalibrate(forecasts);
  const isRecent = (i: number): boolean => columns.recordedAtMs[i]! > nowMs - RECENT_MS;
  const recent = outcomesWhere(columns, isRecent);
  return {
    computedAtMs: nowMs,
    statistics: statisticsOf(columns, forecasts),
    quality: forecastQuality(forecasts),
    recent:
      recent.count === 0 ? null : { group: recent, brierScore: brierOf(forecastsOf(columns, isRecent)) },
    byCalibration: accuracyByCalibration(columns),
    scoreMeaning: {
      ...recalibration,
      curve: Array.from({ length: 100 / SCORE_STEP + 1 }, (_, step) => {
        const score = step * SCORE_STEP;
        const publishedProbability = scoreProbability(curveInForce, score);
        return { score, publishedProbability, probability: map(publishedProbability) };
      }),
    },
  };
}

function brierOf({ probabilities, outcomes }: ForecastColumns): number | null {
  return brierScore(probabilities, outcomes);
}

/** The calibrations with the most outcomes, most first. */
function accuracyByCalibration(columns: OutcomeColumns): readonly CalibrationAccuracy[] {
  const counts = new Uint32Array(columns.calibrations.length);
  for (const calibration of columns.calibration) counts[calibration]! += 1;
  return columns.calibrations
    .map(({ hash, isKnown }, calibration) => ({ hash, isKnown, calibration, count: counts[calibration]! }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, CALIBRATIONS_MAX)
    .map(({ hash, isKnown, calibration, count }) => ({
      hash,
      isKnown,
      count,
      quality: forecastQuality(forecastsOf(columns, (i) => columns.calibration[i] === calibration)),
    }));
}
