import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/domain/bar.ts";
import { conditionBars } from "../../../src/risk/volatility/conditioned-bars.ts";
import { fitVolatility } from "../../../src/risk/volatility/volatility-fit.ts";
import { forecastVolatility } from "../../../src/risk/volatility/volatility-forecast.ts";
import type { VolatilityModel } from "../../../src/risk/volatility/volatility-model.ts";
import { filterVolatility } from "../../../src/risk/volatility/volatility-state.ts";
import { syntheticBars } from "../../support/synthetic-bars.ts";

const MONTH_HOURS = 750;

describe("fitVolatility", () => {
  // A start fits the newest month first and all bars from there; a service that goes on, from the fit of the day before.
  it.each([1, 4])("finds the same model of a launch wherever it starts from (seed %i)", (seed) => {
    const hourFactor = (hour: number): number => 1 + 4 * Math.exp(-hour / 200);
    const bars = syntheticBars({ seed, length: 3_000, sigmaHour: 0.01, hourFactor });
    const fit = (from: number, until: number, previous: VolatilityModel | null): VolatilityModel =>
      fitVolatility(conditionBars(bars.slice(from, until)), {
        pooledSeasonality: null,
        peer: null,
        halfSpreadFraction: 0,
        previous,
      })!;
    const sigmasOf = (model: VolatilityModel): readonly number[] => {
      const { state } = filterVolatility(model, conditionBars(bars));
      return Object.values(forecastVolatility(model, state, state.openTimeMs + HOUR_MS).sigmas);
    };
    const { length } = bars;
    const expected = sigmasOf(fit(0, length, null));

    for (const from of [length - MONTH_HOURS, 0]) {
      const start = fit(from, from === 0 ? length - 24 : length, null);
      for (const [i, sigma] of sigmasOf(fit(0, length, start)).entries()) {
        expect(Math.abs(sigma / expected[i]! - 1)).toBeLessThan(0.003);
      }
    }
  });
});
