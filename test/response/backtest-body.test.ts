import { describe, expect, it } from "vitest";
import type { BacktestResponse } from "../../src/contracts/generated/types.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { backtestBody } from "../../src/response/backtest-body.ts";
import { type AssetDiagnostics, diagnose } from "../../src/risk/backtest/asset-diagnostics.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC, NOW_MS } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { forecastRow, returned } from "../support/forecast-rows.ts";

const DAY_MS = 24 * HOUR_MS;

/** A record of daily forecasts whose last day ends a day before now. */
function bodyOf(simpleReturns: readonly number[]): BacktestResponse {
  const rows = simpleReturns.map((simpleReturn, day) =>
    forecastRow({
      timeMs: NOW_MS + (day - simpleReturns.length - 1) * DAY_MS,
      outcome: returned(simpleReturn),
    }),
  );
  const diagnostics = diagnose({
    ticker: BTC,
    computedAtMs: NOW_MS,
    rows,
    multipliers: UNCORRECTED,
    quantileLosses: [],
  });
  return backtestBody("BTC", diagnostics, NOW_MS);
}

describe("the backtest body", () => {
  it("shows the newest days, with the returns that holders had and not their logarithms", () => {
    const { series } = bodyOf(Array.from({ length: 200 }, (_, day) => (day === 199 ? -0.1 : 0)));

    expect(series.at(-1)!.time).toBe(new Date(NOW_MS - 2 * DAY_MS).toISOString());
    expect(series.at(-1)!.return_pct).toBeCloseTo(-10, 8);
    expect(series.at(-2)!.return_pct).toBe(0);
  });

  it("calls a shortfall understated where losses beyond the VaR were larger than it said, and only there", () => {
    const testOf = (worst: number) =>
      bodyOf(Array.from({ length: 200 }, (_, day) => (day % 100 === 50 ? -worst : 0))).results.find(
        (one) => one.side === "long" && one.horizon_hours === 24 && one.confidence === 0.99,
      )!.expected_shortfall_test!;

    expect(testOf(0.3).understated).toBe(true);
    expect(testOf(0.3).z2).toBeLessThan(testOf(0.3).critical_value);
    expect(testOf(0.041).understated).toBe(false);
  });

  it("gives each number of the record under its own name, losses in percent and capital as it grew", () => {
    const body = backtestBody("BTC", DIAGNOSTICS, NOW_MS + DAY_MS);

    assertMatchesSchema("backtest", body);
    expect(body).toMatchObject({
      ...{ asset: "BTC", status: "too_many_breaches", computed_at: "2026-01-15T12:00:00.000Z" },
      ...{ observations: 400, var_99_breach_rate: 0.03, var_99_expected_rate: 0.01, kupiec_p_value: 0.002 },
      window: { from: "2026-01-13T12:00:00.000Z", to: "2026-01-14T12:00:00.000Z", refit_hours: 168 },
      forecasts: { live: 99, replayed: 1 },
    });
    expect(body.sigma_multiplier).toBeCloseTo(1.1, 9);
    expect(body.results).toEqual([
      {
        ...{ side: "short", horizon_hours: 4, confidence: 0.95, observations: 200, breaches: 16 },
        ...{ expected_breaches: 10, breach_rate: 0.08, basel_zone: "yellow" },
        kupiec: { statistic: 3.1, p_value: 0.078 },
        christoffersen_independence: { statistic: 1.2, p_value: 0.27 },
        christoffersen_conditional_coverage: { statistic: 4.3, p_value: 0.12 },
        ...{ dynamic_quantile_p_value: 0.33, duration_p_value: 0.44 },
        expected_shortfall_test: { z2: -0.5, critical_value: -0.6, understated: false },
        ...{ e_value_var: 20, e_value_es: expect.closeTo(1e15, -3) },
        quantile_loss: { model: 1, historical_simulation: 2, ewma: 3, gaussian: 4 },
      },
    ]);
    expect(body.series).toEqual([
      {
        ...{ time: "2026-01-13T12:00:00.000Z", return_pct: -5 },
        ...{ var_95_long_pct: 11, var_99_long_pct: 12, var_95_short_pct: 13, var_99_short_pct: 14 },
      },
    ]);
  });

  it("says of what was not judged yet that nothing was counted", () => {
    const body = backtestBody("BTC", null, NOW_MS);
    const results = [{ ...DIAGNOSTICS.results[0]!, verdict: null }];
    const [unjudged] = backtestBody("BTC", { ...DIAGNOSTICS, results }, NOW_MS).results;

    assertMatchesSchema("backtest", body);
    expect(body).toMatchObject({
      ...{ status: "insufficient_data", computed_at: "2026-01-15T12:00:00.000Z", window: null },
      ...{ forecasts: { live: 0, replayed: 0 }, sigma_multiplier: 1, results: [], series: [] },
    });
    expect(unjudged).toMatchObject({
      ...{ observations: 0, breaches: 0, expected_breaches: 0, breach_rate: null },
      ...{ kupiec: null, expected_shortfall_test: null },
    });
  });

  it("was fitted daily where nothing of it was replayed", () => {
    const { window, forecasts } = backtestBody("BTC", { ...DIAGNOSTICS, replayedPeriods: 0 }, NOW_MS);

    expect([window!.refit_hours, forecasts]).toEqual([24, { live: 100, replayed: 0 }]);
  });
});

/** No two numbers are the same, so that each is found where it belongs. */
const DIAGNOSTICS: AssetDiagnostics = {
  ...{ ticker: BTC, computedAtMs: NOW_MS, status: "too_many_breaches", understatementPValue: 0.001 },
  window: { fromMs: NOW_MS - 2 * DAY_MS, toMs: NOW_MS - DAY_MS },
  ...{ periods: 100, replayedPeriods: 1 },
  day99: { observations: 400, breaches: 12, kupiecPValue: 0.002 },
  results: [
    {
      ...{ side: "short", horizonHours: 4, level: 0.95, z2Critical: -0.6, z2PValue: 0.02 },
      verdict: {
        ...{ observations: 200, breaches: 16, expected: 10, zone: "yellow" },
        kupiec: { likelihoodRatio: 3.1, pValue: 0.078, tooManyPValue: 0.05, tooFewPValue: 0.97 },
        christoffersen: {
          transitions: { n00: 1, n01: 2, n10: 3, n11: 4 },
          ...{ breachAfterCalm: 0.1, breachAfterBreach: 0.2 },
          ...{ independenceRatio: 1.2, independencePValue: 0.27 },
          ...{ conditionalCoverageRatio: 4.3, conditionalCoveragePValue: 0.12 },
        },
        ...{ durationPValue: 0.44, dynamicQuantilePValue: 0.33, shortfallZ2: -0.5, mcNeilFreyPValue: 0.55 },
        ...{ fzLossMean: 0.66, logEvidenceVar: Math.log(20), logEvidenceShortfall: 900 },
      },
      quantileLosses: { model: 0.01, historicalSimulation: 0.02, ewma: 0.03, gaussian: 0.04 },
    },
  ],
  multipliers: { long95: 1.1, long99: 1.1, short95: 1.1, short99: 1.1 },
  days: [
    {
      ...{ timeMs: NOW_MS - 2 * DAY_MS, logReturn: Math.log(0.95) },
      ...{ long95: 0.11, long99: 0.12, short95: 0.13, short99: 0.14 },
    },
  ],
};
