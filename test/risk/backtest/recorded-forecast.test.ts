import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/domain/bar.ts";
import { horizonsDue, startsDay, startsWeek } from "../../../src/risk/backtest/judged-periods.ts";
import { forecastRowsOf, type ForecastMoment } from "../../../src/risk/backtest/recorded-forecast.ts";
import { HORIZON_HOURS } from "../../../src/risk/scenarios/horizon.ts";
import { UNCORRECTED } from "../../../src/risk/scenarios/sigma-recalibration.ts";
import { NOW_MS } from "../../support/builders.ts";
import { assetView } from "../../support/market.ts";

// Mutants killed: the hour, the calibration, the mark of a replay or the multipliers left out, and the sigma of another
// horizon.

const { long, short } = assetView().tails!;
const MOMENT: ForecastMoment = {
  timeMs: NOW_MS,
  horizons: 4,
  tails: { long, short },
  sigmas: {
    sigma1hAnnual: 0.9,
    sigma4hAnnual: 0.8,
    sigma1dAnnual: 0.7,
    sigma7dAnnual: 0.6,
    longRunSigmaAnnual: 0.5,
  },
  modelKind: "gjr-garch",
  calibrationCode: 7,
  isReplayed: true,
  multipliers: UNCORRECTED,
};

describe("forecastRowsOf", () => {
  it("records each horizon's own sigma over that horizon, of a year of 8760 hours", () => {
    const sigmas = forecastRowsOf(MOMENT).map(({ sigma }) => sigma);

    const expected = [
      0.9 / Math.sqrt(8760),
      0.8 / Math.sqrt(2190),
      0.7 / Math.sqrt(365),
      0.6 * Math.sqrt(7 / 365),
    ];
    sigmas.forEach((sigma, i) => expect(sigma).toBeCloseTo(expected[i]!, 12));
    expect(sigmas).toHaveLength(4);
  });

  it("records what was forecast for each side, level and horizon, and nothing of what came", () => {
    forecastRowsOf(MOMENT).forEach((row, i) => {
      expect(row.horizonHours).toBe(HORIZON_HOURS[i]);
      expect(row.outcome).toBeNull();
      for (const [side, tails] of [
        ["long", long],
        ["short", short],
      ] as const) {
        const { var95, var99, expectedShortfall95, expectedShortfall99 } = tails.horizons[i]!;
        expect(row[side]).toEqual({ var95, var99, expectedShortfall95, expectedShortfall99 });
      }
    });
    expect(long.horizons[2]!.var99).not.toBe(short.horizons[2]!.var99);
  });

  it("says of each when it was made, with what, and whether it was replayed", () => {
    const multipliers = { long95: 1.1, long99: 1.2, short95: 1.3, short99: 1.4 };

    for (const isReplayed of [true, false]) {
      const rows = forecastRowsOf({ ...MOMENT, isReplayed, multipliers });
      expect(rows).toHaveLength(4);
      for (const row of rows) {
        expect(row).toMatchObject({ timeMs: NOW_MS, calibrationCode: 7, isReplayed, multipliers });
      }
    }
  });

  it("gives a rung of the model ladder the number that it has in the files of all versions", () => {
    const codes = (["range-garch", "gjr-garch", "ewma", "pooled"] as const).map(
      (modelKind) => forecastRowsOf({ ...MOMENT, modelKind })[0]!.modelCode,
    );

    expect(codes).toEqual([1, 2, 3, 4]);
  });

  it("leaves out the horizons that are not due", () => {
    expect(forecastRowsOf({ ...MOMENT, horizons: 2 }).map(({ horizonHours }) => horizonHours)).toEqual([
      1, 4,
    ]);
  });
});

describe("the periods that are judged", () => {
  it("begin at every hour, fourth hour, midnight and Monday, in UTC", () => {
    for (let hour = 0; hour < 400; hour++) {
      const date = new Date(NOW_MS - (NOW_MS % HOUR_MS) + hour * HOUR_MS);
      const at = date.getTime() / HOUR_MS;
      const isMidnight = date.getUTCHours() === 0;
      const isMonday = isMidnight && date.getUTCDay() === 1;

      expect(startsDay(at)).toBe(isMidnight);
      expect(startsWeek(at)).toBe(isMonday);
      expect(horizonsDue(at)).toBe(isMonday ? 4 : isMidnight ? 3 : date.getUTCHours() % 4 === 0 ? 2 : 1);
    }
  });
});
