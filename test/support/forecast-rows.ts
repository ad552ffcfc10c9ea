import type { ForecastRow, TailNumbers } from "../../src/domain/forecast-row.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";

/** VaR 95 and 99 % of 2 and 4 %, the shortfalls a little beyond. */
export const TAIL: TailNumbers = {
  var95: 0.02,
  var99: 0.04,
  expectedShortfall95: 0.03,
  expectedShortfall99: 0.05,
};

export function forecastRow(changes: Partial<ForecastRow> = {}): ForecastRow {
  return {
    timeMs: Date.UTC(2026, 0, 5),
    horizonHours: 24,
    sigma: 0.012,
    modelCode: 1,
    calibrationCode: 0x123456789abc,
    isReplayed: false,
    multipliers: UNCORRECTED,
    long: TAIL,
    short: TAIL,
    outcome: null,
    ...changes,
  };
}

/** The outcome of a simple return. */
export function returned(simpleReturn: number): NonNullable<ForecastRow["outcome"]> {
  const logReturn = Math.log1p(simpleReturn);
  return { logReturn, logLow: Math.min(0, logReturn), logHigh: Math.max(0, logReturn) };
}
