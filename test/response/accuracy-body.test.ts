import { describe, expect, it } from "vitest";
import { accuracyBody } from "../../src/response/accuracy-body.ts";
import type { AccuracyReport } from "../../src/risk/backtest/accuracy-report.ts";
import type { ForecastQuality } from "../../src/risk/backtest/forecast-quality.ts";
import type { OutcomeGroup } from "../../src/risk/backtest/outcome-groups.ts";
import { NOW_MS } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";

// Mutants killed by hand: each number of the report in the place of another, as fraction for percent or the other way
// round, or an interval's ends changed.

/** No two numbers are the same, so that each is found where it belongs. */
const QUALITY: ForecastQuality = {
  ...{ count: 31, baseRate: 0.11, brierScore: 0.12, brierSkill: 0.13, logLoss: 0.14, auc: 0.75 },
  expectedCalibrationError: 0.16,
  murphy: {
    ...{ reliability: 0.021, resolution: 0.022, uncertainty: 0.023 },
    ...{ withinBinVariance: 0.009, withinBinCovariance: 0.004 },
  },
};
const GROUP: OutcomeGroup = {
  count: 41,
  lost: { rate: 0.31, interval: { low: 0.3, high: 0.32 } },
  profitable: { rate: 0.61, interval: { low: 0.6, high: 0.62 } },
  ...{ meanPnlFraction: 0.051, medianPnlFraction: 0.052, meanPnlUsd: 53 },
  scored: {
    count: 40,
    meanForecast: 0.21,
    adverse: { rate: 0.25, interval: { low: 0.24, high: 0.26 } },
  },
};
const EMPTY: OutcomeGroup = {
  count: 0,
  ...{ lost: null, profitable: null, meanPnlFraction: null, medianPnlFraction: null, meanPnlUsd: null },
  scored: null,
};
const REPORT: AccuracyReport = {
  computedAtMs: NOW_MS,
  statistics: {
    ...{ count: 101, scoredCount: 102, brierScore: 0.103 },
    leftOut: { pricesOutsideMarket: 104, overKeyCap: 105 },
    byScore: [
      { fromScore: 0, toScore: 10, ...GROUP },
      { fromScore: 10, toScore: 20, ...EMPTY },
    ],
    byBand: [
      { recommendation: "proceed", ...GROUP },
      { recommendation: "abort", ...EMPTY },
    ],
  },
  quality: QUALITY,
  recent: { group: GROUP, brierScore: 0.106 },
  byCalibration: [
    { hash: "k", isKnown: true, count: 107, quality: QUALITY },
    {
      ...{ hash: "u", isKnown: false, count: 108 },
      quality: {
        ...{ count: 0, baseRate: null, brierScore: null, brierSkill: null, murphy: null },
        ...{ logLoss: null, auc: null, expectedCalibrationError: null },
      },
    },
  ],
  scoreMeaning: {
    ...{ method: "platt", observations: 201 },
    evidence: [
      {
        ...{ method: "platt", observations: 202, publishedLogLoss: 0.203, recalibratedLogLoss: 0.204 },
        standardError: 0.205,
      },
    ],
    curve: [{ score: 60, publishedProbability: 0.206, probability: 0.207 }],
  },
};

describe("the accuracy body", () => {
  const body = accuracyBody(REPORT);

  it("gives each number of the report under its own name and in its own unit", () => {
    const quality = {
      ...{ base_rate: 0.11, brier_skill: 0.13, log_loss: 0.14, auc: 0.75, expected_calibration_error: 0.16 },
      murphy: { reliability: 0.021, resolution: 0.022, uncertainty: 0.023, within_bin: 0.005 },
    };

    assertMatchesSchema("accuracy", body);
    expect(body).toMatchObject({
      computed_at: "2026-01-15T12:00:00.000Z",
      ...{ total_outcomes: 101, scored_outcomes: 102, brier_score: 0.103 },
      left_out: { prices_outside_market: 104, over_key_cap: 105 },
      recent_7d: { total_outcomes: 41, brier_score: 0.106, profitable_pct: 61 },
      ...quality,
      score_probability: {
        ...{ method: "platt", observations: 201 },
        evidence: [
          {
            ...{ method: "platt", observations: 202, published_log_loss: 0.203 },
            ...{ recalibrated_log_loss: 0.204, standard_error: 0.205 },
          },
        ],
        curve: [{ risk_score: 60, published_probability: 0.206, probability: 0.207 }],
      },
    });
    expect(body.by_calibration[0]).toEqual({
      ...{ calibration_hash: "k", known: true, total_outcomes: 107, scored_outcomes: 31, brier_score: 0.12 },
      ...quality,
    });
  });

  it("gives rates of a range as fractions, shares of a band in percent, and profit in both", () => {
    const adverse = {
      ...{ predicted_adverse_rate: 0.21, adverse_rate: 0.25, adverse_rate_interval: [0.24, 0.26] },
    };

    expect(body.calibration_curve[0]).toEqual({
      ...{ predicted_risk_range: "0-10", count: 41, actual_loss_rate: 0.31, avg_pnl_pct: 5.1 },
      loss_rate_interval: [0.3, 0.32],
      ...adverse,
    });
    expect(body.band_stats[0]).toEqual({
      ...{ recommendation: "proceed", count: 41, profitable_pct: 61, profitable_interval_pct: [60, 62] },
      ...{ avg_pnl_pct: 5.1, avg_pnl_usd: 53, median_pnl_pct: 5.2 },
      ...adverse,
    });
  });

  it("says nothing of what nobody reported, and not zero", () => {
    const numbersOf = (entry: object): unknown[] =>
      Object.values(entry).filter((value) => typeof value !== "string" && typeof value !== "boolean");

    for (const entry of [body.calibration_curve[1]!, body.band_stats[1]!]) {
      expect(new Set(numbersOf(entry))).toEqual(new Set([0, null]));
      expect(entry.count).toBe(0);
    }
    expect(numbersOf(body.by_calibration[1]!).filter((value) => value !== null)).toEqual([108, 0]);
    expect(body.by_calibration[1]!.known).toBe(false);
    expect(accuracyBody({ ...REPORT, recent: null }).recent_7d).toBeNull();
  });
});
