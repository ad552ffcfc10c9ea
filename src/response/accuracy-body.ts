import type { AccuracyResponse } from "../contracts/generated/types.ts";
import type { AccuracyReport, CalibrationAccuracy } from "../risk/backtest/accuracy-report.ts";
import type { MurphyDecomposition } from "../risk/backtest/brier.ts";
import type { ForecastQuality } from "../risk/backtest/forecast-quality.ts";
import { outcomesStatsBody } from "./outcomes-stats-body.ts";
import { rounded, roundedOrNull, toPct } from "./units.ts";

/** Body of GET /v1/accuracy. */
export function accuracyBody(report: AccuracyReport): AccuracyResponse {
  const { quality, recent } = report;
  return {
    computed_at: new Date(report.computedAtMs).toISOString(),
    ...outcomesStatsBody(report.statistics),
    recent_7d:
      recent === null
        ? null
        : {
            total_outcomes: recent.group.count,
            brier_score: roundedOrNull(recent.brierScore),
            profitable_pct: toPct(recent.group.profitable?.rate ?? 0),
          },
    ...qualityFields(quality),
    by_calibration: report.byCalibration.map(calibrationEntry),
    score_probability: scoreProbabilityBlock(report.scoreMeaning),
  };
}

type QualityFields = Pick<
  AccuracyResponse,
  "base_rate" | "brier_skill" | "murphy" | "log_loss" | "auc" | "expected_calibration_error"
>;

function qualityFields(quality: ForecastQuality): QualityFields {
  return {
    base_rate: roundedOrNull(quality.baseRate),
    brier_skill: roundedOrNull(quality.brierSkill),
    murphy: quality.murphy === null ? null : murphyBlock(quality.murphy),
    log_loss: roundedOrNull(quality.logLoss),
    auc: roundedOrNull(quality.auc),
    expected_calibration_error: roundedOrNull(quality.expectedCalibrationError),
  };
}

function murphyBlock(murphy: MurphyDecomposition): NonNullable<AccuracyResponse["murphy"]> {
  return {
    reliability: rounded(murphy.reliability),
    resolution: rounded(murphy.resolution),
    uncertainty: rounded(murphy.uncertainty),
    within_bin: rounded(murphy.withinBinVariance - murphy.withinBinCovariance),
  };
}

function calibrationEntry(entry: CalibrationAccuracy): AccuracyResponse["by_calibration"][number] {
  const { quality } = entry;
  return {
    calibration_hash: entry.hash,
    known: entry.isKnown,
    total_outcomes: entry.count,
    scored_outcomes: quality.count,
    brier_score: roundedOrNull(quality.brierScore),
    ...qualityFields(quality),
  };
}

function scoreProbabilityBlock(
  meaning: AccuracyReport["scoreMeaning"],
): AccuracyResponse["score_probability"] {
  return {
    method: meaning.method,
    observations: meaning.observations,
    evidence: meaning.evidence.map((evidence) => ({
      method: evidence.method,
      observations: evidence.observations,
      published_log_loss: rounded(evidence.publishedLogLoss),
      recalibrated_log_loss: rounded(evidence.recalibratedLogLoss),
      standard_error: rounded(evidence.standardError),
    })),
    curve: meaning.curve.map((point) => ({
      risk_score: point.score,
      published_probability: rounded(point.publishedProbability),
      probability: rounded(point.probability),
    })),
  };
}
