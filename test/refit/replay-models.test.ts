import { describe, expect, it } from "vitest";
import { type Bar, BARS_KEPT, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { decodeForecast, type ForecastRow, splitForecasts } from "../../src/domain/forecast-row.ts";
import { drawReplayTails } from "../../src/refit/replay-draw.ts";
import { type ReplayCursor, type ReplayedForecasts, replayJob } from "../../src/refit/replay-job.ts";
import { drawSheetJob } from "../../src/refit/sheet-job.ts";
import { fitVolatilityJob } from "../../src/refit/volatility-job.ts";
import type { HorizonTails } from "../../src/risk/scenarios/horizon-tails.ts";
import { buildResidualPools } from "../../src/risk/scenarios/residual-borrowing.ts";
import { POOL_WINDOW_HOURS } from "../../src/risk/scenarios/residual-pool.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { conditionBars } from "../../src/risk/volatility/conditioned-bars.ts";
import { fitVolatility } from "../../src/risk/volatility/volatility-fit.ts";
import { forecastVolatility } from "../../src/risk/volatility/volatility-forecast.ts";
import type { VolatilityModel } from "../../src/risk/volatility/volatility-model.ts";
import { filterVolatility, updateVolatility } from "../../src/risk/volatility/volatility-state.ts";
import { windowHistory } from "../../src/risk/volatility/window-history.ts";
import { BTC } from "../support/builders.ts";
import { syntheticBars, SYNTHETIC_START_MS } from "../support/synthetic-bars.ts";

// When a replay fits and draws, and from what. Its rows alone do not show it: a model of another week forecasts as
// plausibly.

const FIRST_HOUR = SYNTHETIC_START_MS / HOUR_MS;
const WEEK_HOURS = 168;
const OPTIONS = { pooledSeasonality: null, peer: null, halfSpreadFraction: 0 } as const;
const BARS = syntheticBars({ seed: 5, length: 48 * 24, sigmaHour: 0.006 });

describe("replayJob", () => {
  it("forecasts what the service would have: its fit of the bars it keeps, and its sheet, bit for bit", () => {
    const monday = 27 * WEEK_HOURS;
    const bars = syntheticBars({ seed: 6, length: monday + 24, sigmaHour: 0.006 });
    const multipliers = { long95: 1.1, long99: 1.2, short95: 0.9, short99: 1.3 };
    expect(monday).toBeGreaterThan(BARS_KEPT);

    const { rows } = replay(bars, { ...START, hour: FIRST_HOUR + monday, multipliers }, 1);

    const kept = barColumnsOf(bars.slice(0, monday).slice(-BARS_KEPT));
    const { model } = fitVolatilityJob({
      kind: "volatility",
      ticker: BTC,
      bars: kept,
      options: { ...OPTIONS, previous: null },
    })!;
    const recalibration = (1.1 * 1.2 * 0.9 * 1.3) ** (1 / 4);
    const asset = { ticker: BTC, bars: kept, model, state: null, volume24hUsd: 1, recalibration };
    const service = drawSheetJob({
      kind: "sheet",
      version: 1,
      singleAssetBlocks: 1,
      assets: [asset],
    }).rows[0]!;
    expect(rows.map(({ horizonHours }) => horizonHours)).toEqual([1, 4, 24, 168]);
    rows.forEach((row, horizon) => {
      expectTails(row, service.tails, horizon);
      expect(row.sigma / Math.sqrt(service.cumulativeVariance[horizon]!)).toBeCloseTo(1, 12);
      expect([row.modelCode, row.calibrationCode]).toEqual([model.kind === "range-garch" ? 1 : 0, 17]);
    });
  });

  it("fits on Mondays, each time from the model in force, and hands on the last", () => {
    const monday = 5 * WEEK_HOURS;
    const inForce = fitted(monday - 60, null);
    const cursor = { ...START, hour: FIRST_HOUR + monday, model: inForce };

    const week = replay(BARS, cursor, WEEK_HOURS);
    const weekAndHour = replay(BARS, cursor, WEEK_HOURS + 1);

    const first = fitted(monday, inForce);
    expect(week.next.model).toEqual(first);
    expect(weekAndHour.next.model).toEqual(fitted(monday + WEEK_HOURS, first));
    expect(first).not.toEqual(fitted(monday, null));
  });

  it("draws at midnight, and for the hours up to the next one only rescales", () => {
    const { rows } = replay(BARS, { ...START, hour: FIRST_HOUR + 36 * 24 }, 4 * 24);
    const days = [0, 1, 2, 3].map((day) =>
      rows
        .filter(({ horizonHours }) => horizonHours === 4)
        .slice(6 * day, 6 * day + 6)
        .map(({ long, sigma }) => -Math.log1p(-long.var99) / sigma),
    );

    for (const [midnight, ...later] of days) {
      expect(later).toHaveLength(5);
      for (const inSigmas of later) expect(inSigmas / midnight!).toBeCloseTo(1, 10);
    }
    expect(new Set(days.map(([midnight]) => midnight!.toFixed(6))).size).toBe(days.length);
  });

  it("draws anew within the day when sigma has more than doubled", () => {
    const fitHour = 40 * 24;
    const fallHour = fitHour + 11;
    const bars = BARS.map((bar, i) => (i < fallHour ? bar : scaled(bar, i === fallHour)));

    const { rows } = replay(bars, { ...START, hour: FIRST_HOUR + fitHour }, 13);

    const model = fitted(fitHour, null);
    const conditioned = conditionBars(bars.slice(0, fitHour));
    const filtered = filterVolatility(model, conditioned);
    const windowStartMs = SYNTHETIC_START_MS + (fitHour - POOL_WINDOW_HOURS.value) * HOUR_MS;
    const history = windowHistory(conditioned, filtered, windowStartMs, POOL_WINDOW_HOURS.value);
    const stateAt = (hour: number): typeof filtered.state =>
      bars.slice(fitHour, hour).reduce((state, bar) => updateVolatility(model, state, bar), filtered.state);
    const [before, after] = [fitHour, fallHour + 1].map((hour) => forecastVolatility(model, stateAt(hour)));
    expect(after!.cumulativeVariance[0] / before!.cumulativeVariance[0]).toBeGreaterThan(2 ** 2);
    const tails = drawReplayTails(buildResidualPools([history], [1])[0]!, after!, 1, false);
    const made = rows.filter(({ timeMs }) => timeMs === SYNTHETIC_START_MS + (fallHour + 1) * HOUR_MS);
    expect(made.map(({ horizonHours }) => horizonHours)).toEqual([1, 4]);
    made.forEach((row, horizon) => {
      expectTails(row, tails, horizon);
    });
  });

  it("forecasts nothing for as long as every twelfth hour is missing, and all the same when every fortieth is", () => {
    const without = (every: number): ReplayedForecasts =>
      replayJob({ ...JOB, bars: barColumnsOf(BARS.filter((_, i) => i % every !== 5)), cursor: START });

    expect(without(12).rows).toHaveLength(0);
    expect(without(40).rows.length).toBeGreaterThan(0);
  });

  it("says nothing of a month that began and ended with one bar each", () => {
    const bars = [BARS[0]!, BARS[740]!];

    const { rows, next, isDone } = replay(bars, START, 1000);

    expect([rows, next.model, isDone]).toEqual([[], null, true]);
  });
});

const START: ReplayCursor = { hour: 0, model: null, multipliers: UNCORRECTED, openDay: null };
const JOB = { kind: "replay", ticker: BTC, calibrationCode: 17, hoursMax: BARS.length } as const;

function replay(
  bars: readonly Bar[],
  cursor: ReplayCursor,
  hoursMax: number,
): Omit<ReplayedForecasts, "rows"> & { readonly rows: readonly ForecastRow[] } {
  const replayed = replayJob({ ...JOB, bars: barColumnsOf(bars), cursor, hoursMax });
  return { ...replayed, rows: splitForecasts(replayed.rows).map(decodeForecast) };
}

/** On the bars before an hour of BARS. */
function fitted(hour: number, previous: VolatilityModel | null): VolatilityModel {
  return fitVolatility(conditionBars(BARS.slice(0, hour)), { ...OPTIONS, previous })!;
}

function expectTails(row: ForecastRow, { long, short }: HorizonTails, horizon: number): void {
  expect(long.horizons[horizon]).toMatchObject(row.long);
  expect(short.horizons[horizon]).toMatchObject(row.short);
}

/** A fall of a fifth within its hour, or afterwards. */
function scaled(bar: Bar, isFall: boolean): Bar {
  const { open, high, low, close } = bar;
  return {
    ...bar,
    open: isFall ? open : 0.8 * open,
    high: isFall ? high : 0.8 * high,
    low: 0.8 * low,
    close: 0.8 * close,
  };
}
