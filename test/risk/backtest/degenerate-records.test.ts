import { describe, expect, it } from "vitest";
import { eProcessesOf, eValueOfShortfall } from "../../../src/risk/backtest/e-process.ts";
import { fitPlatt, plattAt } from "../../../src/risk/backtest/platt.ts";

describe("the evidence of a shortfall", () => {
  it("is finite, though huge, where the forecast had its shortfall at its VaR", () => {
    const eValue = eValueOfShortfall(0.05, 0.04, 0.04, 0.01);

    expect(Number.isFinite(eValue)).toBe(true);
    expect(eValue).toBeGreaterThan(1_000_000);
    expect(eValueOfShortfall(0.04, 0.04, 0.04, 0.01)).toBe(0);
    // Ten times the notional, or a millionth of it, is the same record.
    for (const unit of [10, 1e-6]) {
      const inUnit = eValueOfShortfall(0.05 * unit, 0.04 * unit, 0.04 * unit, 0.01);
      expect(inUnit / eValue).toBeCloseTo(1, 9);
    }
  });

  it("begins anew in the same month of another year", () => {
    const capitalAfter = (...timesMs: number[]): number =>
      eProcessesOf(
        {
          tailProbability: 0.01,
          loss: Float64Array.from(timesMs, () => 0.05),
          valueAtRisk: Float64Array.from(timesMs, () => 0.04),
          expectedShortfall: Float64Array.from(timesMs, () => 0.05),
        },
        0.01,
        Float64Array.from(timesMs),
      ).valueAtRisk.logCapital;

    const one = Math.log(0.99 + 0.01 * 100);
    expect(capitalAfter(Date.UTC(2026, 0, 30), Date.UTC(2026, 0, 31))).toBeCloseTo(2 * one, 12);
    expect(capitalAfter(Date.UTC(2025, 0, 31), Date.UTC(2026, 0, 31))).toBeCloseTo(one, 12);
  });
});

describe("a Platt map of forecasts that are all the same", () => {
  it("gives the share of events, which no slope could tell better", () => {
    const outcomes = Uint8Array.from({ length: 40 }, (_, i) => Number(i % 4 === 0));
    const map = fitPlatt(new Float64Array(40).fill(0.05), outcomes, null, 0);

    expect(plattAt(map, 0.05)).toBeCloseTo(0.25, 9);
  });
});
