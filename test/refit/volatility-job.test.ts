import { describe, expect, it } from "vitest";
import { barColumnsOf, NO_BARS } from "../../src/domain/bar-columns.ts";
import { LEARNED_HOURS_MAX } from "../../src/domain/learned-hour.ts";
import { fitVolatilityJob } from "../../src/refit/volatility-job.ts";
import { flatSeasonality } from "../../src/risk/volatility/seasonality.ts";
import { conditionBars } from "../../src/risk/volatility/conditioned-bars.ts";
import {
  type VolatilityRegime,
  volatilityRegime,
  VOLATILITY_REGIME_WINDOW_HOURS,
} from "../../src/risk/volatility/volatility-regime.ts";
import { filterVolatility } from "../../src/risk/volatility/volatility-state.ts";
import { BTC } from "../support/builders.ts";
import { syntheticBars } from "../support/synthetic-bars.ts";

const HOURS = VOLATILITY_REGIME_WINDOW_HOURS + 500;
const BARS = syntheticBars({ seed: 9, length: HOURS, sigmaHour: 0.006 });
const JOB = {
  kind: "volatility",
  ticker: BTC,
  bars: barColumnsOf(BARS),
  options: { pooledSeasonality: null, peer: null, halfSpreadFraction: 0, previous: null },
} as const;

describe("fitVolatilityJob", () => {
  it("says what was usual of the newest hours: ln of sigma over its long run, hour by hour", () => {
    const { model, state, dailySigmas, logSigmaRatios } = fitVolatilityJob(JOB)!;
    const filtered = filterVolatility(model, conditionBars(BARS));

    const { hoursMs, values } = logSigmaRatios;
    expect([hoursMs.length, values.length]).toEqual([LEARNED_HOURS_MAX, LEARNED_HOURS_MAX]);
    expect([hoursMs[0], hoursMs.at(-1)]).toEqual([
      BARS.at(-LEARNED_HOURS_MAX)!.openTimeMs,
      BARS.at(-1)!.openTimeMs,
    ]);
    for (const back of [1, 2, LEARNED_HOURS_MAX]) {
      const sigma = Math.sqrt(filtered.varianceStep.at(-back)!);
      const longRunSigma = Math.sqrt(model.longRunVarianceStep);
      expect(values.at(-back)).toBeCloseTo(Math.log(sigma / longRunSigma), 12);
    }
    expect(state.openTimeMs).toBe(BARS.at(-1)!.openTimeMs);
    expect(dailySigmas).toHaveLength(VOLATILITY_REGIME_WINDOW_HOURS);
  });

  it("says in which regime that history ends, as one who watched it would know", () => {
    const { model, dailySigmas, regime } = fitVolatilityJob(JOB)!;
    const longRunSigma = Math.sqrt(model.longRunVarianceStep * 365 * 24);

    let watched: VolatilityRegime | null = null;
    for (const sigma of dailySigmas.subarray(-500)) {
      watched = volatilityRegime(sigma, longRunSigma, dailySigmas, watched);
    }
    expect(regime).toBe(watched);
  });

  it("has no model of what has no bars, or too few", () => {
    const lent = { ...JOB.options, pooledSeasonality: flatSeasonality(), peer: { varianceStep: 1e-4 } };

    expect(fitVolatilityJob({ ...JOB, bars: NO_BARS, options: lent })).toBeNull();
    expect(fitVolatilityJob({ ...JOB, bars: barColumnsOf(BARS.slice(0, 10)) })).toBeNull();
  });
});
