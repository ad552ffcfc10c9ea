import { describe, expect, it } from "vitest";
import { AssetBaselines, BaselineTables } from "../../src/refit/asset-baselines.ts";
import {
  fitGarchBaseline,
  type GarchBaseline,
  garchNormalTails,
  gjrFhsTails,
  residualsOfReturns,
  stepGarchBaseline,
} from "../../src/risk/backtest/baselines.ts";
import {
  sampleTailWeights,
  tailsOfSample,
  type TwoSidedForecast,
} from "../../src/risk/backtest/tail-forecast.ts";
import { buildScenarioIndex } from "../../src/risk/scenarios/scenario-index.ts";
import { filterGjrGarch } from "../../src/risk/volatility/gjr-garch.ts";
import { FIRST_HOUR, wanderingCandles } from "../support/candle-series.ts";

const DAYS = 262;
const SERIES = wanderingCandles("BTC", 11, DAYS * 24);
const HORIZONS = [1, 4, 24, 168] as const;

describe("AssetBaselines", () => {
  it("resamples 250 days: every hour's return, every fourth's, and over a day and a week each day's", () => {
    const last = FIRST_HOUR + 260 * 24 - 1;
    const baselines = new AssetBaselines(SERIES, new BaselineTables(), ["historical-simulation"]);
    baselines.startDay(last, true);

    const byDefinition = HORIZONS.map((hours) => {
      const stride = Math.min(hours, 24);
      const returns = Array.from({ length: (250 * 24) / stride }, (_, k) => {
        const end = last - k * stride;
        return Math.log(SERIES.closeAt(end) / SERIES.closeAt(end - hours));
      });
      return tailsOfSample(Float64Array.from(returns), sampleTailWeights(returns.length));
    });
    expect(baselines.forecastsOf("historical-simulation", 4)).toEqual(byDefinition);
    expect(baselines.forecastsOf("historical-simulation", 2)).toEqual(byDefinition.slice(0, 2));
  });

  it("fits GARCH and GJR on 4096 hours once a week, moves them by every hour, and fits the missing at once", () => {
    // A Saturday, the Monday after it, and the Thursday after that: the first fit cannot wait for its Monday.
    const [saturday, monday, thursday] = [257 * 24, 259 * 24, 262 * 24 - 5] as const;
    const baselines = new AssetBaselines(SERIES, new BaselineTables());
    const walk = (from: number, to: number): void => {
      for (let hour = from; hour < to; hour++) {
        if (hour % 24 === 0) baselines.startDay(FIRST_HOUR + hour - 1, hour % 168 === 0);
        baselines.closeBar(FIRST_HOUR + hour);
      }
    };
    expect(baselines.isReady).toBe(false);

    walk(saturday, monday);
    expect(baselines.isReady).toBe(true);
    expectForecastsOf(fittedAt(saturday), monday);

    walk(monday, thursday);
    expectForecastsOf(fittedAt(monday), thursday);

    function expectForecastsOf({ fitHour, window, garch, gjr }: Fitted, now: number): void {
      for (let hour = fitHour; hour < now; hour++) {
        const [logReturn] = returnsBefore(hour + 1, 1);
        stepGarchBaseline(garch, logReturn!);
        stepGarchBaseline(gjr, logReturn!);
      }
      expect(baselines.forecastsOf("garch-normal", 4)).toEqual(
        HORIZONS.map((h) => garchNormalTails(garch, h)),
      );
      expect(baselines.forecastsOf("gjr-t-fhs", 4)).toEqual(simulatedTails(gjr, window));
    }
  });

  it("draws as many paths from the fewer hours of a young asset", () => {
    const hours = 40 * 24;
    const baselines = new AssetBaselines(wanderingCandles("BTC", 11, hours), new BaselineTables());

    baselines.startDay(FIRST_HOUR + hours - 1, false);

    const window = returnsBefore(hours, hours - 1);
    const gjr = fitGarchBaseline(window, "gjr-t-fhs");
    expect(baselines.forecastsOf("gjr-t-fhs", 4)).toEqual(simulatedTails(gjr, window));
  });
});

describe("fitGarchBaseline", () => {
  const window = returnsBefore(100 * 24, 1500);
  const garch = fitGarchBaseline(window, "garch-normal");
  const gjr = fitGarchBaseline(window, "gjr-t-fhs");

  it("expects of the coming hour what the last return left", () => {
    for (const { recursion, varianceStep } of [garch, gjr]) {
      const before = { recursion, varianceStep: filterGjrGarch(recursion, window)[window.length - 1]! };

      stepGarchBaseline(before, window.at(-1)!);

      expect(varianceStep).toBeCloseTo(before.varianceStep, 15);
    }
  });

  it("is symmetric for GARCH and not for GJR", () => {
    expect(garch.recursion.gamma).toBe(0);
    expect(gjr.recursion.gamma).not.toBe(0);
  });

  it("lets one wild hour decide less of GJR, by Student's likelihood", () => {
    const wild = window.map((value, t) => (t === 700 ? 0.5 : value));
    const moved = (kind: "garch-normal" | "gjr-t-fhs", calm: GarchBaseline): number =>
      Math.abs(Math.log(fitGarchBaseline(wild, kind).recursion.omega / calm.recursion.omega));

    expect(moved("gjr-t-fhs", gjr)).toBeLessThan(0.5 * moved("garch-normal", garch));
  });
});

describe("BaselineTables", () => {
  it("builds the tables of a size once, and of each size its own", () => {
    const tables = new BaselineTables();

    for (const size of [50, 51]) {
      expect(tables.weightsOf(size)).toEqual(sampleTailWeights(size));
      expect(tables.weightsOf(size)).toBe(tables.weightsOf(size));
    }
    expect(tables.indexOf(60).windowHours).toBe(60);
    expect(tables.indexOf(60)).toBe(tables.indexOf(60));
  });

  it("keeps those of 32 sizes at most", () => {
    const tables = new BaselineTables();
    const first = tables.weightsOf(50);
    for (let size = 51; size < 82; size++) tables.weightsOf(size);
    expect(tables.weightsOf(50)).toBe(first);

    tables.weightsOf(82);

    expect(tables.weightsOf(50)).not.toBe(first);
  });
});

interface Fitted {
  readonly fitHour: number;
  readonly window: Float64Array;
  readonly garch: GarchBaseline;
  readonly gjr: GarchBaseline;
}

/** At the start of an hour of SERIES. */
function fittedAt(hour: number): Fitted {
  const window = returnsBefore(hour, 4096);
  return {
    fitHour: hour,
    window,
    garch: fitGarchBaseline(window, "garch-normal"),
    gjr: fitGarchBaseline(window, "gjr-t-fhs"),
  };
}

/** Of 4096 paths from the residuals of the window that the model was fitted on. */
function simulatedTails(gjr: GarchBaseline, window: Float64Array): readonly TwoSidedForecast[] {
  const pool = residualsOfReturns(gjr, window);
  const tables = {
    pool,
    sortedResiduals: window.map((_, t) => pool.tuples[4 * t]!).sort(),
    index: buildScenarioIndex(7, window.length, 4096, 168),
    pathWeights: sampleTailWeights(4096),
    poolWeights: sampleTailWeights(window.length),
    scratch: new Float64Array(4 * 3 * 4096),
  };
  return gjrFhsTails(gjr, tables, HORIZONS);
}

/** The last hourly returns before the start of an hour, oldest first. */
function returnsBefore(hour: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => {
    const at = FIRST_HOUR + hour - count + i;
    return Math.log(SERIES.closeAt(at) / SERIES.closeAt(at - 1));
  });
}
