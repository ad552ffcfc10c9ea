import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { encodeForecast, type ForecastRow, joinForecasts } from "../../src/domain/forecast-row.ts";
import { normalQuantile } from "../../src/math/normal.ts";
import { diagnosisJob } from "../../src/refit/diagnosis-job.ts";
import type { AssetDiagnostics, QuantileLosses } from "../../src/risk/backtest/asset-diagnostics.ts";
import { fitGarchBaseline, garchNormalTails, stepGarchBaseline } from "../../src/risk/backtest/baselines.ts";
import { sampleTailWeights, tailsOfSample } from "../../src/risk/backtest/tail-forecast.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC } from "../support/builders.ts";
import { forecastRow } from "../support/forecast-rows.ts";
import { syntheticBars, SYNTHETIC_START_MS } from "../support/synthetic-bars.ts";

// Mutants killed by hand: a baseline that knows the coming day, or the coming hour; levels swapped.

const DAYS = 60;
const BARS = syntheticBars({ seed: 21, length: DAYS * 24, sigmaHour: 0.006 });
/** Days with a forecast and an outcome: the month before is the baselines' history. */
const JUDGED = Array.from({ length: DAYS - 31 }, (_, i) => 31 + i);
const ROWS = JUDGED.map((day) => dayRow(day));

describe("diagnosisJob", () => {
  const judged = diagnosed(ROWS);

  it("measures the model and EWMA by definition, on the same days, from the days before", () => {
    for (const [side, sign] of [
      ["long", -1],
      ["short", 1],
    ] as const) {
      let model = 0;
      let ewma = 0;
      for (const day of JUDGED) {
        const loss = sign * Math.expm1(dayReturn(day));
        const sigma = ewmaBefore(day);
        const z = normalQuantile(0.99);
        const valueAtRisk = side === "long" ? 1 - Math.exp(-z * sigma) : Math.exp(z * sigma) - 1;
        model += tick(loss, 0.04) / JUDGED.length;
        ewma += tick(loss, valueAtRisk) / JUDGED.length;
      }
      const losses = lossesOf(judged, side);
      expect(losses.model).toBeCloseTo(model, 12);
      expect(losses.ewma).toBeCloseTo(ewma, 10);
    }
  });

  it("compares the model with itself and no one else where its periods say so", () => {
    const half = diagnosed(ROWS.slice(0, 10));
    const { model } = lossesOf(half, "long");
    const expected = JUDGED.slice(0, 10).map((day) => tick(-Math.expm1(dayReturn(day)), 0.04));

    expect(model).toBeCloseTo(expected.reduce((sum, loss) => sum + loss, 0) / 10, 12);
    const week = half.results.find(({ horizonHours }) => horizonHours === 168)!;
    expect(week.quantileLosses).toBeNull();
  });

  it("moves the baselines along within the day, by every hour before and none after", () => {
    const at = 40 * 24 + 13;
    const logReturn = hourReturn(at);
    const outcome = { logReturn, logLow: Math.min(0, logReturn), logHigh: Math.max(0, logReturn) };
    const row = forecastRow({ timeMs: SYNTHETIC_START_MS + at * HOUR_MS, horizonHours: 1, outcome });

    const { quantileLosses } = diagnosed([row]).results.find(
      ({ side, horizonHours, level }) => side === "long" && horizonHours === 1 && level === 0.99,
    )!;

    const window = Array.from({ length: 500 }, (_, i) => hourReturn(40 * 24 - 500 + i));
    let variance = window.reduce((sum, value) => sum + value * value, 0) / window.length;
    for (let hour = 40 * 24 - 500; hour < at; hour++) {
      variance = 0.97 * variance + 0.03 * hourReturn(hour) ** 2;
    }
    const valueAtRisk = 1 - Math.exp(-normalQuantile(0.99) * Math.sqrt(variance));
    expect(quantileLosses!.ewma).toBeCloseTo(tick(-Math.expm1(logReturn), valueAtRisk), 10);
    // Fitted on the Monday before.
    const garch = fitGarchBaseline(hourReturns(1, 35 * 24), "garch-normal");
    for (const value of hourReturns(35 * 24, at)) stepGarchBaseline(garch, value);
    const gaussian = garchNormalTails(garch, 1).long.var99;
    expect(quantileLosses!.gaussian).toBeCloseTo(tick(-Math.expm1(logReturn), gaussian), 10);
    // Resampled at midnight.
    const past = hourReturns(1, 40 * 24);
    const resampled = tailsOfSample(past, sampleTailWeights(past.length)).long.var99;
    expect(quantileLosses!.historicalSimulation).toBeCloseTo(tick(-Math.expm1(logReturn), resampled), 10);
  });

  it("measures each of the periods that begin at one hour, at both levels, by its own forecast", () => {
    // A Monday: all four begin.
    const at = 35 * 24;
    const rows = [1, 4, 24, 168].map((horizonHours) =>
      forecastRow({
        timeMs: SYNTHETIC_START_MS + at * HOUR_MS,
        horizonHours,
        outcome: outcomeOf(returnOver(at, horizonHours)),
      }),
    );
    const { results } = diagnosed(rows);

    const window = Array.from({ length: 500 }, (_, i) => hourReturn(at - 500 + i));
    let variance = window.reduce((sum, value) => sum + value * value, 0) / window.length;
    for (const value of window) variance = 0.97 * variance + 0.03 * value ** 2;
    for (const { side, horizonHours, level, quantileLosses } of results) {
      const sign = side === "long" ? -1 : 1;
      const loss = sign * Math.expm1(returnOver(at, horizonHours));
      const sigma =
        horizonHours < 24
          ? Math.sqrt(variance * horizonHours)
          : ewmaBefore(35) * Math.sqrt(horizonHours / 24);
      const ewma = sign * Math.expm1(sign * normalQuantile(level) * sigma);
      expect(quantileLosses!.model).toBeCloseTo(tick(loss, level === 0.95 ? 0.02 : 0.04, level), 12);
      expect(quantileLosses!.ewma).toBeCloseTo(tick(loss, ewma, level), 10);
    }
  });

  it("compares up to the last bar, and past one that is missing", () => {
    const last = DAYS * 24;
    const row = (hour: number): ForecastRow =>
      forecastRow({
        timeMs: SYNTHETIC_START_MS + hour * HOUR_MS,
        horizonHours: 1,
        outcome: outcomeOf(hourReturn(hour)),
      });
    const missing = BARS.filter((_, i) => i !== last - 40);

    const { results } = diagnosed([row(last - 1)], missing);

    const losses = results.find(({ horizonHours }) => horizonHours === 1)!.quantileLosses!;
    expect(Object.values(losses).every(Number.isFinite)).toBe(true);
  });

  it("compares with nobody where a hole leaves too little to forecast from, until there is enough", () => {
    const lossesOver = (rows: readonly ForecastRow[], bars: typeof BARS): (QuantileLosses | null)[] =>
      diagnosed(rows, bars).results.map(({ quantileLosses }) => quantileLosses);
    const holed = [BARS[0]!, ...BARS.slice(35 * 24)];

    expect(lossesOver(ROWS, holed).every((losses) => losses === null)).toBe(true);

    // A month of the year before the last, and nothing of it within the baselines' reach.
    const yearMs = 365 * 24 * HOUR_MS;
    const past = BARS.slice(0, 31 * 24).map((bar) => ({ ...bar, openTimeMs: bar.openTimeMs - yearMs }));
    const { results } = diagnosed(ROWS, [...past, ...BARS]);

    const days = results.filter(({ horizonHours }) => horizonHours === 24);
    expect(days.map(({ quantileLosses }) => quantileLosses?.model)).toEqual(
      judged.results
        .filter(({ horizonHours }) => horizonHours === 24)
        .map(({ quantileLosses }) => quantileLosses?.model),
    );
  });

  it("has no use for bars after the last period", () => {
    const bars = [
      ...BARS,
      ...BARS.slice(-30).map((bar, i) => ({ ...bar, openTimeMs: END_MS + i * HOUR_MS, close: 1 })),
    ];

    expect(diagnosed(ROWS, bars).results).toEqual(judged.results);
  });

  it("takes known comparisons over and makes everything else anew", () => {
    const previous = judged.results.map((result, i) => ({
      ...result,
      quantileLosses: { model: i, historicalSimulation: 2, ewma: 3, gaussian: 4 },
    }));

    const again = diagnosisJob({ ...jobOf(ROWS.slice(0, 20)), previous });

    expect(again.results.map(({ quantileLosses }) => quantileLosses)).toEqual(
      previous.map(({ quantileLosses }) => quantileLosses),
    );
    expect(again.day99.observations).toBe(40);
  });
});

const END_MS = SYNTHETIC_START_MS + DAYS * 24 * HOUR_MS;

function diagnosed(rows: readonly ForecastRow[], bars = BARS): AssetDiagnostics {
  return diagnosisJob({ ...jobOf(rows), bars: barColumnsOf(bars) });
}

function jobOf(rows: readonly ForecastRow[]): Parameters<typeof diagnosisJob>[0] {
  return {
    kind: "diagnosis",
    ticker: BTC,
    computedAtMs: END_MS,
    rows: joinForecasts(rows.map(encodeForecast)),
    multipliers: UNCORRECTED,
    bars: barColumnsOf(BARS),
    previous: null,
  };
}

function dayRow(day: number): ForecastRow {
  const logReturn = dayReturn(day);
  return forecastRow({
    timeMs: SYNTHETIC_START_MS + day * 24 * HOUR_MS,
    outcome: { logReturn, logLow: Math.min(0, logReturn), logHigh: Math.max(0, logReturn) },
  });
}

/** From the close before a day to its own. */
function dayReturn(day: number): number {
  return Math.log(BARS[(day + 1) * 24 - 1]!.close / BARS[day * 24 - 1]!.close);
}

/** From the close before an hour on. */
function returnOver(hour: number, hours: number): number {
  return Math.log(BARS[hour + hours - 1]!.close / BARS[hour - 1]!.close);
}

function outcomeOf(logReturn: number): NonNullable<ForecastRow["outcome"]> {
  return { logReturn, logLow: Math.min(0, logReturn), logHigh: Math.max(0, logReturn) };
}

/** Of one bar. */
function hourReturn(hour: number): number {
  return Math.log(BARS[hour]!.close / BARS[hour - 1]!.close);
}

/** Of the bars from one to before another. */
function hourReturns(from: number, to: number): Float64Array {
  return Float64Array.from({ length: to - from }, (_, i) => hourReturn(from + i));
}

/** RiskMetrics from every whole day before, started at their mean square. */
function ewmaBefore(day: number): number {
  const returns = Array.from({ length: day - 1 }, (_, i) => dayReturn(i + 1));
  let variance = returns.reduce((sum, value) => sum + value * value, 0) / returns.length;
  for (const value of returns) variance = 0.94 * variance + 0.06 * value * value;
  return Math.sqrt(variance);
}

function tick(loss: number, valueAtRisk: number, level = 0.99): number {
  return (loss - valueAtRisk) * (level - (loss <= valueAtRisk ? 1 : 0));
}

function lossesOf({ results }: AssetDiagnostics, side: "long" | "short"): QuantileLosses {
  return results.find((one) => one.side === side && one.horizonHours === 24 && one.level === 0.99)!
    .quantileLosses!;
}
