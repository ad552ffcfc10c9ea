import { describe, expect, it } from "vitest";
import type { BacktestResponse } from "../../src/contracts/generated/types.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { backtestBody } from "../../src/response/backtest-body.ts";
import { diagnose } from "../../src/risk/backtest/asset-diagnostics.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC, NOW_MS } from "../support/builders.ts";
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
    quantileLossesOf: () => null,
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
});
