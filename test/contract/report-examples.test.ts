import { describe, expect, it } from "vitest";
import type {
  AccuracyResponse,
  AssetCalibration,
  BacktestResponse,
  BacktestResult,
  CalibrationHealthResponse,
  ModelInfoResponse,
  MonitoredPosition,
  MonitorResponse,
  OutcomesStatsResponse,
} from "../../src/contracts/generated/types.ts";
import { modelInfoBody } from "../../src/response/model-info-body.ts";
import { kupiecTest } from "../../src/risk/backtest/kupiec.ts";
import { SCORE } from "../../src/risk/calibration/calibration.ts";
import { scoreProbability } from "../../src/risk/scoring/score-probability.ts";
import { examplesOf } from "../support/schema-examples.ts";

// Mocks answer from the examples: each is an answer that the service could have given, by the constants in force, so
// that whoever changes one of these changes the examples that show it.

/** Published numbers of the examples have eight digits and more. */
const DIGITS = 6;

describe.each(examplesOf<ModelInfoResponse>("model-info"))("model-info/%s", (_, body) => {
  it("shows the scenarios, the flags and some of the models that are in force", () => {
    const { scenarios, flags, weights, recommendation_bands, models } = modelInfoBody("0.1.0", null, null);

    expect(body).toMatchObject({ scenarios, flags, weights, recommendation_bands });
    for (const model of body.models) {
      const inForce = models.find(({ name }) => name === model.name);

      expect({ ...inForce, parameters: byName(inForce?.parameters) }).toEqual({
        ...model,
        parameters: byName(model.parameters),
      });
    }
  });
});

describe.each([
  ...examplesOf<MonitoredPosition>("monitored-position"),
  ...examplesOf<MonitorResponse>("monitor").flatMap(([file, { positions }]) =>
    positions.map((position) => [`${file}, ${position.asset}`, position] as const),
  ),
])("the position of %s", (_, { size, entry_price, mark_price, var: tail, ...position }) => {
  it("gains what its size has moved by, and loses dollars by the percent of its value", () => {
    expect(position.unrealized_pnl).toBeCloseTo(size * (mark_price - entry_price), DIGITS);
    for (const key of ["95_24h", "99_24h", "99_4h", "99_7d"] as const) {
      const percent = tail[`pct_${key}`];
      const usd = percent === null ? null : (Math.abs(size) * mark_price * percent) / 100;

      expectClose(tail[`dollar_${key}`], usd);
    }
  });

  it("has one leverage", () => {
    if (tail.margin_var_99_pct === null) return;
    const leverage = tail.margin_var_99_pct / tail.pct_99_24h!;
    const marginUsd = (Math.abs(size) * entry_price) / leverage;

    expectClose(position.unrealized_pnl_pct, (position.unrealized_pnl / marginUsd) * 100);
  });
});

describe.each(examplesOf<MonitorResponse>("monitor"))("monitor/%s", (_, body) => {
  it("speaks of the same positions everywhere", () => {
    const { positions, portfolio_risk: risk, portfolio_attribution: attribution } = body;

    const tickers = positions.map(({ asset }) => asset);
    expect(attribution?.positions.map(({ asset }) => asset) ?? []).toEqual(tickers);
    expect(risk?.position_count).toBe(tickers.length > 1 ? tickers.length : undefined);
    expect(risk?.portfolio_var_99_24h ?? attribution?.total_var_99).toBe(attribution?.total_var_99);
  });

  it("takes a stress by the account's value", () => {
    const { portfolio_stress: stress, account_value } = body;
    if (stress) expectClose(stress.total_pnl_pct, (stress.total_pnl_usd / account_value) * 100);
  });
});

describe.each([
  ...examplesOf<AssetCalibration>("asset-calibration"),
  ...examplesOf<BacktestResponse>("backtest"),
  ...examplesOf<CalibrationHealthResponse>("calibration-health").flatMap(([file, { per_asset }]) =>
    per_asset.map((asset) => [`${file}, ${asset.asset}`, asset] as const),
  ),
])("the calibration of %s", (_, body) => {
  it("is tested by its own breaches", () => {
    const { observations, var_99_breach_rate: rate, var_99_expected_rate: expected } = body;
    if (rate === null) {
      expect([observations, body.kupiec_p_value]).toEqual([0, null]);
      return;
    }
    const breaches = Math.round(rate * observations);

    expectClose(rate, breaches / observations);
    expectClose(body.kupiec_p_value, kupiecTest(breaches, observations, expected).pValue);
  });
});

describe.each([
  ...examplesOf<BacktestResult>("backtest-result"),
  ...examplesOf<BacktestResponse>("backtest").flatMap(([file, { results }]) =>
    results.map((result, index) => [`${file}, result ${String(index)}`, result] as const),
  ),
])("the tests of %s", (_, { observations, breaches, confidence, ...result }) => {
  it("are of its own breaches", () => {
    if (result.kupiec === null) return;
    const { likelihoodRatio, pValue } = kupiecTest(breaches, observations, 1 - confidence);

    expectClose(result.kupiec.statistic, likelihoodRatio);
    expectClose(result.kupiec.p_value, pValue);
    expectClose(
      result.christoffersen_conditional_coverage!.statistic,
      likelihoodRatio + result.christoffersen_independence!.statistic,
    );
  });
});

const publishedOf = (score: number): number => scoreProbability(SCORE.adverseCurve.value, score);

describe.each([
  ...examplesOf<OutcomesStatsResponse>("outcomes-stats"),
  ...examplesOf<AccuracyResponse>("accuracy"),
])("the outcomes of %s", (_, { total_outcomes, calibration_curve, band_stats }) => {
  it("are each in one range and one band", () => {
    for (const groups of [calibration_curve, band_stats]) {
      expect(groups.reduce((total, { count }) => total + count, 0)).toBe(total_outcomes);
    }
  });

  it("were forecast as the scores of their range are", () => {
    for (const { predicted_risk_range: range, predicted_adverse_rate: predicted } of calibration_curve) {
      if (predicted === null) continue;
      const [low, high] = range.split("-").map(Number);

      expect(predicted).toBeGreaterThanOrEqual(publishedOf(low!));
      expect(predicted).toBeLessThanOrEqual(publishedOf(high!));
    }
  });
});

describe.each(examplesOf<AccuracyResponse>("accuracy"))(
  "accuracy/%s",
  (_, { score_probability, ...body }) => {
    it("shows the curve in force", () => {
      for (const { risk_score, published_probability } of score_probability.curve) {
        expectClose(published_probability, publishedOf(risk_score));
      }
    });

    it("takes the Brier score apart", () => {
      if (body.murphy === null) return;
      const { reliability, resolution, uncertainty, within_bin } = body.murphy;

      expectClose(reliability - resolution + uncertainty + within_bin, body.brier_score);
    });
  },
);

/** A module's exports come in an order of its loader's. */
function byName<T extends { readonly name: string }>(parameters: readonly T[] = []): readonly T[] {
  return parameters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function expectClose(actual: number | null, expected: number | null): void {
  if (expected === null || actual === null) expect(actual).toBe(expected);
  else expect(actual).toBeCloseTo(expected, DIGITS);
}
