import { describe, expect, it } from "vitest";
import { type Bar, DAY_MS, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { decodeForecast, type ForecastRow, splitForecasts } from "../../src/domain/forecast-row.ts";
import { type ReplayCursor, replayJob } from "../../src/refit/replay-job.ts";
import {
  sigmaMultiplierOf,
  UNCORRECTED,
  updateMultipliers,
} from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC } from "../support/builders.ts";
import { syntheticBars, SYNTHETIC_START_MS } from "../support/synthetic-bars.ts";

// Mutants killed by hand: the coming bar in the state, and in a fit; an outcome one hour early; yesterday's outcome learned
// a day late; a period settled an hour late; an hour skipped where pieces join; four-hour periods every three hours; a
// draw without the multipliers.

const HOURS = 48 * 24;
const BARS = syntheticBars({ seed: 5, length: HOURS, sigmaHour: 0.006 });
const START: ReplayCursor = { hour: 0, model: null, multipliers: UNCORRECTED, openDay: null };
const WHOLE = replay(BARS);

describe("replayJob", () => {
  it("forecasts from a month of moves on, in periods that do not overlap", () => {
    for (const horizonHours of [1, 4, 24, 168]) {
      const rows = WHOLE.filter((row) => row.horizonHours === horizonHours);

      expect(rows.length).toBeGreaterThan(1);
      rows.slice(1).forEach((row, i) => expect(row.timeMs - rows[i]!.timeMs).toBe(horizonHours * HOUR_MS));
    }
    expect(WHOLE[0]!.timeMs).toBe(SYNTHETIC_START_MS + 721 * HOUR_MS);
    expect(WHOLE.every(({ isReplayed }) => isReplayed)).toBe(true);
  });

  it("sets each forecast against what came after it, and leaves open what is not over", () => {
    for (const { timeMs, horizonHours, outcome } of WHOLE) {
      const first = (timeMs - SYNTHETIC_START_MS) / HOUR_MS;
      if (first + horizonHours > HOURS) {
        expect(outcome).toBeNull();
        continue;
      }
      const entry = BARS[first - 1]!.close;
      const period = BARS.slice(first, first + horizonHours);
      expect(outcome!.logReturn).toBeCloseTo(Math.log(period.at(-1)!.close / entry), 12);
      expect(outcome!.logLow).toBeCloseTo(
        Math.log(Math.min(entry, ...period.map(({ low }) => low)) / entry),
        12,
      );
    }
  });

  it("cannot see the future: other bars from an hour on change no forecast made before", () => {
    // The start of a Monday, when everything is fitted and drawn: a look at the coming hour would show.
    const changedFrom = 42 * 24;
    const changed = BARS.map((bar, i) => (i < changedFrom ? bar : doubled(bar)));
    const changedMs = SYNTHETIC_START_MS + changedFrom * HOUR_MS;

    const others = replay(changed);

    const forecastOf = (row: ForecastRow): unknown => ({ ...row, outcome: null });
    const before = (rows: readonly ForecastRow[]): unknown[] =>
      rows.filter(({ timeMs }) => timeMs <= changedMs).map(forecastOf);
    const after = (rows: readonly ForecastRow[]): unknown[] =>
      rows.filter(({ timeMs }) => timeMs > changedMs).map(forecastOf);
    expect(before(others)).toEqual(before(WHOLE));
    expect(before(WHOLE).length).toBeGreaterThan(200);
    expect(after(others)).not.toEqual(after(WHOLE));
  });

  it("gives the same when bars are missing that come later: what is not there yet cannot matter", () => {
    const upTo = 40 * 24 + 5;
    const known = replay(BARS.slice(0, upTo));

    known.forEach(({ outcome, ...forecast }, i) => {
      expect({ ...WHOLE[i]!, outcome: null }).toEqual({ ...forecast, outcome: null });
      if (outcome !== null) expect(outcome).toEqual(WHOLE[i]!.outcome);
    });
    // The running hour is forecast, too.
    expect(known.at(-1)!.timeMs).toBe(SYNTHETIC_START_MS + upTo * HOUR_MS);
  });

  it("joins pieces without a gap or a double, and learns across their seams", () => {
    const pieces = replay(BARS, 7 * 24);

    expect(pieces.map(keyOf)).toEqual(WHOLE.map(keyOf));
    const days = pieces.filter(({ horizonHours }) => horizonHours === 24);
    let multipliers = UNCORRECTED;
    for (const day of days) {
      expect(day.multipliers).toEqual(multipliers);
      if (day.outcome !== null)
        multipliers = updateMultipliers(multipliers, { ...day, outcome: day.outcome });
    }
    expect(sigmaMultiplierOf(multipliers)).not.toBe(1);
  });

  it("learns each day once, and none whose last bar is missing", () => {
    // Without the bar before midnight neither the day before can be settled nor the day after be forecast.
    const day = 40;
    const rows = replay(BARS.filter((_, i) => i !== day * 24 + 23));

    const days = rows.filter(({ horizonHours }) => horizonHours === 24);
    expect(days.some(({ timeMs }) => timeMs === dayMs(day - 1))).toBe(true);
    expect(days.some(({ timeMs }) => timeMs === dayMs(day) || timeMs === dayMs(day + 1))).toBe(false);
    for (const { timeMs, multipliers } of rows) {
      let taught = UNCORRECTED;
      for (const { outcome, ...forecast } of days) {
        if (outcome === null || forecast.timeMs + DAY_MS > timeMs) continue;
        taught = updateMultipliers(taught, { ...forecast, outcome });
      }
      expect(multipliers).toEqual(taught);
    }
  });

  it("goes on for as many hours as it is given, and is done after the running one", () => {
    const bars = barColumnsOf(BARS);
    const endHour = SYNTHETIC_START_MS / HOUR_MS + HOURS;
    const piece = (hour: number, hoursMax: number): readonly [number, number, boolean] => {
      const { rows, next, isDone } = replayJob({ ...JOB, bars, cursor: { ...START, hour }, hoursMax });
      const hours = splitForecasts(rows).map(decodeForecast);
      return [hours.filter(({ horizonHours }) => horizonHours === 1).length, next.hour - endHour, isDone];
    };

    expect(piece(endHour - 12, 10)).toEqual([10, -2, false]);
    expect(piece(endHour - 12, 12)).toEqual([12, 0, false]);
    expect(piece(endHour - 12, 13)).toEqual([13, 1, true]);
    expect(piece(endHour - 12, 20)).toEqual([13, 1, true]);
    // Never back to hours that are on record, though the bars after them were taken back.
    expect(piece(endHour + 5, 10)).toEqual([0, 5, true]);
  });

  it("has nothing to say of bars without a trade", () => {
    const bars = barColumnsOf(BARS.map((bar) => ({ ...bar, volumeBase: 0 })));

    const replayed = replayJob({ ...JOB, bars, cursor: START, hoursMax: HOURS });

    expect(replayed).toEqual({ rows: new Float64Array(0), next: START, isDone: true });
  });

  it("draws with the multipliers: raised by a quarter, so is every VaR", () => {
    const raised = { long95: 1.25, long99: 1.25, short95: 1.25, short99: 1.25 };
    const first = WHOLE.find(({ horizonHours }) => horizonHours === 24)!;
    const hour = first.timeMs / HOUR_MS;

    const plain = replay(BARS, 1, { ...START, hour })[2]!;
    const scaled = replay(BARS, 1, { ...START, hour, multipliers: raised })[2]!;

    expect(Math.log1p(-scaled.long.var99) / Math.log1p(-plain.long.var99)).toBeGreaterThan(1.2);
    expect(Math.log1p(-scaled.long.var99) / Math.log1p(-plain.long.var99)).toBeLessThan(1.3);
    expect(scaled.sigma).toBe(plain.sigma);
  });

  it("lets the day's draw follow sigma from hour to hour", () => {
    const hours = WHOLE.filter(({ horizonHours }) => horizonHours === 1);
    const day = hours.slice(24, 48);
    const [first] = day as [ForecastRow];
    const sigmas = day.map(({ sigma }) => sigma);

    expect(Math.max(...sigmas) / Math.min(...sigmas)).toBeGreaterThan(1.2);
    for (const { long, sigma } of day) {
      const moved = Math.log1p(-long.var99) / Math.log1p(-first.long.var99);
      expect(moved / (sigma / first.sigma)).toBeCloseTo(1, 1);
    }
  });

  it("makes no forecast on a bar that is missing, and settles none that would end with it", () => {
    const missing = 40 * 24 + 7;
    const rows = replay(BARS.filter((_, i) => i !== missing));
    const missingMs = SYNTHETIC_START_MS + missing * HOUR_MS;

    expect(rows.some(({ timeMs }) => timeMs === missingMs + HOUR_MS)).toBe(false);
    expect(rows.some((row) => row.timeMs + row.horizonHours * HOUR_MS === missingMs + HOUR_MS)).toBe(false);
    expect(rows.some(({ timeMs }) => timeMs === missingMs + 2 * HOUR_MS)).toBe(true);
  });

  it("says nothing of an asset with less than a month, and reaches the newest bar all the same", () => {
    const bars = barColumnsOf(BARS.slice(0, 700));

    const { rows, next, isDone } = replayJob({ ...JOB, bars, cursor: START, hoursMax: 336 });

    expect([rows.length, isDone]).toEqual([0, true]);
    expect((next.hour - 1) * HOUR_MS).toBe(SYNTHETIC_START_MS + 700 * HOUR_MS);
  });
});

const JOB = { kind: "replay", ticker: BTC, calibrationCode: 1 } as const;

function replay(bars: readonly Bar[], hoursMax = HOURS, start = START): readonly ForecastRow[] {
  const columns = barColumnsOf(bars);
  const rows: ForecastRow[] = [];
  let cursor = start;
  for (let isDone = false; !isDone;) {
    const piece = replayJob({
      kind: "replay",
      ticker: BTC,
      bars: columns,
      cursor,
      hoursMax,
      calibrationCode: 1,
    });
    rows.push(...splitForecasts(piece.rows).map(decodeForecast));
    cursor = piece.next;
    isDone = piece.isDone || start !== START;
  }
  return rows;
}

function doubled(bar: Bar): Bar {
  return { ...bar, open: 2 * bar.open, high: 2 * bar.high, low: 2 * bar.low, close: 2 * bar.close };
}

function dayMs(day: number): number {
  return SYNTHETIC_START_MS + day * DAY_MS;
}

function keyOf({ timeMs, horizonHours }: ForecastRow): string {
  return `${String(timeMs)} ${String(horizonHours)}`;
}
