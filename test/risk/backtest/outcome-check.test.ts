import { describe, expect, it } from "vitest";
import { type Bar, HOUR_MS } from "../../../src/domain/bar.ts";
import type { ForecastRow, TailNumbers } from "../../../src/domain/forecast-row.ts";
import { candleSeriesOf } from "../../../src/risk/backtest/hourly-candles.ts";
import { checkOutcome } from "../../../src/risk/backtest/outcome-check.ts";
import { forecastRow, TAIL } from "../../support/forecast-rows.ts";

// Mutants that these kill: the window from the report only; no tolerance; the candle of the report taken while open;
// the other side's VaR; a forecast made after entry; √t for the horizon; the wait for candles or forecasts without an end; no wait
// for forecasts.

const NOON = Date.UTC(2026, 5, 10, 12);
/** A price of 100 + k in the hour k before noon, 1 % to either side, hours 0 … 100. */
const bar = (hoursAgo: number): Bar => {
  const price = 100 + hoursAgo;
  return {
    openTimeMs: NOON - hoursAgo * HOUR_MS,
    open: price,
    high: price * 1.01,
    low: price * 0.99,
    close: price,
    volumeBase: 1,
  };
};
const SERIES = candleSeriesOf(
  "AAA",
  Array.from({ length: 101 }, (_, i) => bar(100 - i)),
);
const REPORT = {
  action: "long" as "long" | "close",
  entryPrice: 106,
  exitPrice: 100,
  holdingPeriodHours: 6,
  recordedAtMs: NOON + 10 * 60_000,
};
const LATER = NOON + 2 * HOUR_MS;

/** Shows that the record has reached the entry, and forecasts nothing for it. */
const REACHED = forecastRow({ timeMs: NOON, horizonHours: 168 });

function finding(changes: Partial<typeof REPORT>): string | undefined {
  return checkOutcome({ ...REPORT, ...changes }, SERIES, [REACHED], LATER)?.prices;
}

describe("the prices of an outcome", () => {
  it("are checked once the candle that they were reported in is closed", () => {
    const untilNow = candleSeriesOf(
      "AAA",
      Array.from({ length: 100 }, (_, i) => bar(100 - i)),
    );

    expect(checkOutcome(REPORT, untilNow, [REACHED], LATER)).toBeNull();
    expect(checkOutcome(REPORT, SERIES, [REACHED], LATER)?.prices).toBe("inside");
    // At noon exactly it is the hour after noon.
    expect(checkOutcome({ ...REPORT, recordedAtMs: NOON }, untilNow, [REACHED], LATER)).toBeNull();
  });

  it("wait for a record of forecasts that has not reached the entry, but not for ever", () => {
    const entryMs = REPORT.recordedAtMs - 6 * HOUR_MS;
    const upTo = (timeMs: number): readonly ForecastRow[] => [forecastRow({ timeMs, horizonHours: 1 })];

    expect(checkOutcome(REPORT, SERIES, [], LATER)).toBeNull();
    expect(checkOutcome(REPORT, SERIES, upTo(entryMs - HOUR_MS), LATER)).toBeNull();
    expect(checkOutcome(REPORT, SERIES, upTo(entryMs - HOUR_MS + 1), LATER)?.prices).toBe("inside");
    expect(checkOutcome({ ...REPORT, action: "close" }, SERIES, [], LATER)?.prices).toBe("inside");
    expect(checkOutcome(REPORT, SERIES, [], REPORT.recordedAtMs + 49 * HOUR_MS)?.prices).toBe("inside");
  });

  it.each([
    // The newest hour trades from 99, 24 + 6 hours before it up to 130 × 1.01; half a percent is allowed.
    [{ exitPrice: 98.51 }, "inside"],
    [{ exitPrice: 98.5 }, "outside"],
    [{ entryPrice: 131.95 }, "inside"],
    [{ entryPrice: 131.96 }, "outside"],
    [{ entryPrice: 132.1, holdingPeriodHours: 8 }, "inside"],
    [{ entryPrice: 132.1, holdingPeriodHours: 0.5 }, "outside"],
    [{ exitPrice: 1e9 }, "outside"],
  ])("with %j are %s", (changes, expected) => {
    expect(finding(changes)).toBe(expected);
  });

  it("are inside where an open or a close lies beyond what its candle calls its extremes", () => {
    const [first, ...rest] = Array.from({ length: 101 }, (_, i) => bar(100 - i));
    const at = (entryPrice: number, changes: Partial<Bar>): string | undefined => {
      const series = candleSeriesOf("AAA", [first!, ...rest.slice(0, -1), { ...rest.at(-1)!, ...changes }]);
      return checkOutcome({ ...REPORT, entryPrice }, series, [REACHED], LATER)?.prices;
    };

    expect([at(90, { open: 90 }), at(90, { close: 90 }), at(90, {})]).toEqual([
      "inside",
      "inside",
      "outside",
    ]);
    expect([at(150, { open: 150 }), at(150, { close: 150 })]).toEqual(["inside", "inside"]);
  });

  it("are those of the candles that there are, and unknown where all are missing", () => {
    const found = (bars: readonly Bar[], changes: Partial<typeof REPORT> = {}): string | undefined =>
      checkOutcome({ ...REPORT, ...changes }, candleSeriesOf("AAA", bars), [REACHED], LATER)?.prices;
    const gap = Array.from({ length: 101 }, (_, i) => bar(100 - i)).filter((_, i) => i !== 97);

    expect([found(gap), found(gap, { exitPrice: 98 })]).toEqual(["inside", "outside"]);
    expect(found([bar(80), bar(0)], { recordedAtMs: NOON - 1 })).toBe("unknown");
  });

  it("are read from bars in any order", () => {
    const bars = Array.from({ length: 101 }, (_, i) => bar(i));
    const { firstHour, endHour } = candleSeriesOf("AAA", bars)!;

    expect([firstHour, endHour]).toEqual([SERIES!.firstHour, SERIES!.endHour]);
  });

  it("are unknown where the candles do not reach back, and where there are none for two days", () => {
    expect(finding({ holdingPeriodHours: 76 })).toBe("inside");
    expect(finding({ holdingPeriodHours: 77 })).toBe("unknown");
    expect(checkOutcome(REPORT, null, [], REPORT.recordedAtMs + 48 * HOUR_MS)).toBeNull();
    expect(checkOutcome(REPORT, null, [], REPORT.recordedAtMs + 49 * HOUR_MS)).toEqual({
      prices: "unknown",
      var99Fraction: null,
    });
  });
});

describe("the VaR at entry", () => {
  /** Entry at 10:00 exactly, so that ages are whole hours. */
  const report = { ...REPORT, recordedAtMs: NOON, holdingPeriodHours: 2 };
  const entryMs = NOON - 2 * HOUR_MS;
  const made = (horizonHours: number, hoursBefore: number, long99: number, short99 = 9): ForecastRow => {
    const tail = (var99: number): TailNumbers => ({ ...TAIL, var99 });
    return forecastRow({
      timeMs: entryMs - hoursBefore * HOUR_MS,
      horizonHours,
      long: tail(long99),
      short: tail(short99),
    });
  };
  const at = (forecasts: readonly ForecastRow[], changes: object = {}): number | null =>
    checkOutcome({ ...report, ...changes }, SERIES, [...forecasts, REACHED], LATER)!.var99Fraction;

  it("is read between the horizons in logarithms", () => {
    const rows = [made(1, 0, 0.01), made(4, 2, 0.04)];

    expect(at(rows)).toBeCloseTo(0.02, 12);
    expect(at([made(1, 0, 0.01), made(4, 2, 0.02)])).toBeCloseTo(Math.sqrt(0.01 * 0.02), 12);
    expect(at([...rows, made(24, 10, 0.5)])).toBeCloseTo(0.02, 12);
    expect(at([made(24, 10, 0.5), ...rows.toReversed()])).toBeCloseTo(0.02, 12);
    // Without the hour's, the day's and nothing below: no forecast to read between.
    expect(at([made(4, 2, 0.04)])).toBeNull();
    // A VaR of nothing has no logarithm.
    expect(at([made(1, 0, 0), made(4, 2, 0.04)])).toBeNull();
    expect(at([made(1, 0, 0.01), made(24, 10, 0.24)])).toBeCloseTo(0.02, 12);
  });

  it("is read between the two horizons that are next to the period", () => {
    const hours = Math.sqrt(4 * 24);
    const rows = [made(1, 0, 0.01), made(4, 0, 0.04), made(24, 0, 0.09), made(168, 0, 0.5)].map((row) => ({
      ...row,
      timeMs: NOON - hours * HOUR_MS,
    }));

    expect(at(rows, { holdingPeriodHours: hours })).toBeCloseTo(0.06, 12);
  });

  it("is of the side that was taken, and of no close", () => {
    const rows = [made(1, 0, 0.01, 0.03), made(4, 2, 0.04, 0.12)];

    expect(at(rows, { action: "short" })).toBeCloseTo(0.06, 12);
    expect(at(rows, { action: "close" })).toBeNull();
  });

  it("is the newest that had been made, and nothing that came after or is long past", () => {
    const hour = (hoursBefore: number, value: number): ForecastRow => made(1, hoursBefore, value);
    const four = made(4, 0, 0.04);

    expect(at([hour(1, 0.03), hour(0, 0.01), hour(-1, 0.09), four])).toBeCloseTo(0.02, 12);
    expect(at([hour(0, 0.01), hour(1, 0.03), four])).toBeCloseTo(0.02, 12);
    expect(at([hour(3, 0.01), four])).toBeCloseTo(0.02, 12);
    expect(at([hour(4, 0.01), four])).toBeNull();
  });

  it("is the hour's for less than one, and nothing beyond the longest", () => {
    const held = (hours: number): number | null =>
      at(
        [made(1, 0, 0.01), made(4, 0, 0.04)].map((row) => ({ ...row, timeMs: NOON - hours * HOUR_MS })),
        {
          holdingPeriodHours: hours,
        },
      );

    expect([held(0), held(0.25), held(1)]).toEqual([0.01, 0.01, 0.01]);
    expect(held(4)).toBe(0.04);
    expect(held(4.01)).toBeNull();
  });
});
