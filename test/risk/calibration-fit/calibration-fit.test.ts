import { describe, expect, it } from "vitest";
import { medianOf } from "../../../src/math/median.ts";
import { createRandom } from "../../../src/math/random.ts";
import {
  clusteredMean,
  constantAfter,
  isClearGain,
  medianDay,
} from "../../../src/risk/calibration-fit/fit-finding.ts";
import {
  fitFundingForecast,
  type FundingFindings,
  type FundingHistory,
} from "../../../src/risk/calibration-fit/funding-fit.ts";
import { fitExcursionMax, fitResidualMax } from "../../../src/risk/calibration-fit/residual-fit.ts";
import { fitPooledDaySigma, fitPooledTouch } from "../../../src/risk/calibration-fit/touch-fit.ts";
import { RESIDUAL_MAX } from "../../../src/risk/scenarios/residual-pool.ts";

// Every fit is asked for a truth that the data were drawn from. Mutants seen to fail: funding's gain measured on the first
// half or with the other sign, the first of windows that err alike, funding summed an hour early, halves by the coin's own
// history, days or coins of a week counted by themselves; errors without the correction for few clusters, judged by the normal law; touches judged on the
// first half, with the other sign, by shares of all days, without enough coin-days, falls counted above instead of below,
// one-sided reflection; confirmation by the coin itself; the old source kept for a new value; clusters of one size.

const random = createRandom(7);

describe("clusteredMean", () => {
  it("is the mean over all, with the error of its clusters", () => {
    const found = clusteredMean([
      { sum: 4, count: 2 },
      { sum: 0, count: 2 },
    ]);

    expect(found.mean).toBe(1);
    expect(found.standardError).toBeCloseTo((Math.SQRT2 * Math.sqrt(8)) / 4, 12);
  });

  it("has the error of the mean of as many independent observations as there are clusters", () => {
    const values = Array.from({ length: 5 }, () => random.normal());
    const mean = values.reduce((sum, value) => sum + value, 0) / 5;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4;

    const found = clusteredMean(values.map((value) => ({ sum: 3 * value, count: 3 })));
    expect(found).toMatchObject({ mean: expect.closeTo(mean, 12), clusterCount: 5 });
    expect(found.standardError).toBeCloseTo(Math.sqrt(variance / 5), 12);
  });

  it("knows no error of one cluster, beside which a gain would be clear", () => {
    const alone = clusteredMean([{ sum: 4, count: 2 }]);
    expect(alone).toEqual({ mean: 2, standardError: Number.NaN, clusterCount: 1 });
    expect(isClearGain(alone)).toBe(false);
  });
});

describe("isClearGain", () => {
  it("finds one where there is none as seldom with three clusters as with thirty: in 2.3 % of draws", () => {
    const clearShareOf = (clusterCount: number): number => {
      const draws = 20_000;
      let clear = 0;
      for (let draw = 0; draw < draws; draw++) {
        const sums = Array.from({ length: clusterCount }, () => ({ sum: random.normal(), count: 1 }));
        if (isClearGain(clusteredMean(sums))) clear += 1;
      }
      return clear / draws;
    };

    // Four errors of the share are 0.0042; two errors of the normal law would find 9 % with three clusters.
    for (const clusterCount of [3, 30])
      expect(Math.abs(clearShareOf(clusterCount) - 0.0228)).toBeLessThan(0.0042);
  });
});

describe("medianDay", () => {
  it("leaves as many observations before it as from it on, or one fewer, in any order", () => {
    const daysOf = (...days: readonly number[]) => days.map((day) => ({ day }));

    expect(medianDay(daysOf(4, 1, 3, 2))).toBe(3);
    expect(medianDay(daysOf(5, 1, 2))).toBe(2);
  });
});

describe("constantAfter", () => {
  const inForce = { value: 1, unit: "1", source: "a book", fittedOn: "chosen" };
  const finding = {
    fitted: 2,
    standardError: 0.1,
    method: "counting",
    verdict: "because",
    data: "ten hours",
    evidence: { hours: 10 },
  };

  it("takes the fitted value with its date and data, or keeps the old one and says why", () => {
    expect(constantAfter(inForce, { ...finding, isAdopted: true }, "2026-11-20")).toEqual({
      ...inForce,
      value: 2,
      source: "counting",
      fittedOn: "2026-11-20: ten hours; because",
      evidence: { hours: 10 },
    });
    expect(constantAfter(inForce, { ...finding, isAdopted: false }, "2026-11-20")).toEqual({
      ...inForce,
      evidence: { hours: 10, judgedOn: "2026-11-20: ten hours", kept: "because" },
    });
  });
});

describe("fitFundingForecast", () => {
  const fitted = (histories: readonly FundingHistory[]): FundingFindings => fitFundingForecast(histories)!;
  const historiesOf = (rateAt: (hour: number, before: number) => number) =>
    ["A", "B", "C"].map((asset) => {
      let rate = 0;
      return {
        asset,
        firstHour: 0,
        ratesHourly: Float64Array.from({ length: 9600 }, (_, hour) => (rate = rateAt(hour, rate))),
      };
    });
  const persistent = (hour: number, before: number): number =>
    hour < 4800 ? 1e-5 + 0.97 * (before - 1e-5) + 2e-5 * random.normal() : (hour % 2 === 0 ? 1 : -1) * 1e-4;

  it("finds the persistence of an exact decay", () => {
    const decays = historiesOf((hour) => 1e-5 + 1e-3 * 0.9 ** (hour % 2400));

    expect(fitted(decays).persistence.fitted).toBe(0.9);
  });

  it("adopts what forecasts the later days better, and shows beside it what simpler forecasts would have erred", () => {
    const rateAt = (hour: number): number => 1e-5 + 1e-3 * 0.9 ** (hour % 240);
    const { isAdopted, standardError, verdict, evidence } = fitted(historiesOf(rateAt)).persistence;
    const errorBps = (forecastAt: (hour: number) => number): number => {
      const errors: number[] = [];
      // Of the 369 days from the 31st on, the later 185.
      for (let hour = (30 + 184) * 24; hour + 24 < 9_600; hour += 24) {
        let paid = 0;
        for (let k = 1; k <= 24; k++) paid += rateAt(hour + k);
        errors.push(Math.abs(paid - forecastAt(hour)));
      }
      return (1e4 * errors.reduce((sum, error) => sum + error, 0)) / errors.length;
    };
    const median = medianOf(Float64Array.from({ length: 240 }, (_, hour) => rateAt(hour)));
    const ownForecastAt = (hour: number): number => {
      const month = Array.from({ length: 720 }, (_, i) => rateAt(hour - 719 + i) - median);
      const pairs = month.slice(1).map((next, i) => [month[i]!, next] as const);
      const slope =
        pairs.reduce((sum, [x, y]) => sum + x * y, 0) / pairs.reduce((sum, [x]) => sum + x * x, 0);
      let sum = 0;
      for (let k = 1; k <= 24; k++) sum += median + slope ** k * (rateAt(hour) - median);
      return sum;
    };

    expect(isAdopted).toBe(true);
    expect(verdict).toContain(`± ${(1e4 * standardError!).toFixed(3)} bps`);
    expect(evidence["errorLastRateBps"]).toBeCloseTo(
      errorBps((hour) => 24 * rateAt(hour)),
      9,
    );
    expect(evidence["errorMedianRateBps"]).toBeCloseTo(
      errorBps(() => 24 * median),
      9,
    );
    expect(evidence["errorOwnPersistenceBps"]).toBeCloseTo(errorBps(ownForecastAt), 9);
  });

  it("takes a short memory of a mean that moves", () => {
    const level = (hour: number): number => (Math.floor(hour / 240) % 2 === 0 ? 1e-5 : 8e-5);
    const moving = historiesOf((hour) => level(hour) + (hour % 3 === 0 ? 6e-5 : 0));

    expect(fitted(moving).meanHours.fitted).toBeLessThanOrEqual(24);
  });

  it("takes a long memory of a mean that never moves, and the longest of windows that err alike", () => {
    const noisy = historiesOf((_hour, before) => 1e-5 + 0.9 * (before - 1e-5) + 2e-5 * random.normal());
    const spiked = historiesOf((hour) => (hour % 50 === 0 ? 1e-4 : 1e-5));

    expect(fitted(noisy).meanHours.fitted).toBe(720);
    expect(fitted(spiked).meanHours.fitted).toBe(720);
  });

  it("needs a day without a gap in either half: four days after the 30 that the first looks back on", () => {
    const historyOf = (days: number, rateAt: (hour: number) => number): FundingHistory[] => [
      {
        asset: "A",
        firstHour: 7,
        ratesHourly: Float64Array.from({ length: days * 24 + 1 }, (_, hour) => rateAt(hour)),
      },
    ];

    expect(fitFundingForecast([])).toBeNull();
    expect(fitFundingForecast(historyOf(33, () => 1e-5))).toBeNull();
    expect(fitFundingForecast(historyOf(34, () => 1e-5))).not.toBeNull();
    expect(fitFundingForecast(historyOf(300, (hour) => (hour % 23 === 0 ? Number.NaN : 1e-5)))).toBeNull();
  });

  it("takes a week of all coins for one observation: a coin that moves as another does adds none", () => {
    const [coin] = historiesOf((hour) => (hour % 50 === 0 ? 1e-4 : 1e-5));
    const one = fitted([coin!]).persistence;
    const two = fitted([coin!, { ...coin!, asset: "Z" }]).persistence;

    expect(two.fitted).toBe(one.fitted);
    expect(two.standardError!).toBeGreaterThan(0);
    expect(two.standardError!).toBeCloseTo(one.standardError!, 15);
  });

  it("knows no error where every week is like the last: days are not independent", () => {
    // 30 days that the first forecast looks back on, up to the start of a week, and two halves of 26 weeks.
    const length = (30 + 2 * 26 * 7) * 24 + 1;
    const weekly = Float64Array.from({ length }, (_, hour) => (hour % 168 < 36 ? 1e-4 : 1e-5));
    const { persistence } = fitted([{ asset: "A", firstHour: 5 * 24, ratesHourly: weekly }]);

    expect(persistence.isAdopted).toBe(true);
    expect(persistence.standardError!).toBeLessThan(1e-15);
  });

  it("chooses on days before those that it judges on, whatever the coin: what only a young one shows is not chosen", () => {
    const [old] = historiesOf((hour) => 1e-5 + 1e-3 * 0.9 ** (hour % 240));
    const ratesHourly = Float64Array.from({ length: 3_600 }, (_, hour) => 1e-5 + 1e-1 * 0.75 ** (hour % 240));
    const young = { asset: "Y", firstHour: 6_000, ratesHourly };

    expect(fitted([old!, young]).persistence.fitted).toBe(0.9);
  });

  it("judges on days that were not chosen on: a second half that reverses the first is no gain", () => {
    expect(fitted(historiesOf(persistent)).persistence).toMatchObject({ isAdopted: false });
  });
});

describe("fitPooledTouch", () => {
  it("counts how often a day fell at least so far, and solves the reflection for the day's deviation", () => {
    const sigma = 0.05;
    const days = Array.from({ length: 20_000 }, (_, i) => {
      // The lowest point of a Brownian path is distributed as -|N|.
      return { day: Math.floor(i / 5), depth: 1 - Math.exp(-sigma * Math.abs(random.normal())) };
    });
    const table = fitPooledTouch(days, "drawn");

    expect(table.fitted[1]![1]).toBeCloseTo(
      days.filter(({ depth }) => depth >= 0.05).length / days.length,
      12,
    );
    expect(table.isAdopted).toBe(true);
    expect(Math.abs(fitPooledDaySigma(table).fitted / sigma - 1)).toBeLessThan(0.03);
    expect(fitPooledTouch(days.slice(0, 500), "few").isAdopted).toBe(false);
  });

  it("is judged on the later days: a wild past is not adopted for a calm present", () => {
    const days = Array.from({ length: 20_000 }, (_, i) => {
      const sigma = i < 10_000 ? 0.12 : 0.04;
      return { day: Math.floor(i / 5), depth: 1 - Math.exp(-sigma * Math.abs(random.normal())) };
    });
    const { isAdopted, evidence } = fitPooledTouch(days, "drawn");
    const share = (name: string): number => (evidence[name] as readonly number[])[2]!;

    expect(isAdopted).toBe(false);
    // 2 Φ(ln(0.9) / σ): 38 % and 0.84 %.
    expect(Math.abs(share("sharesFirstHalf") - 0.38)).toBeLessThan(0.02);
    expect(Math.abs(share("sharesSecondHalf") - 0.0084)).toBeLessThan(0.004);
  });
});

describe("caps of residuals", () => {
  const move = (asset: string, hour: number, residual: number) => ({
    asset,
    hour,
    residual,
    excursion: residual + 1,
  });

  it("would not cut what another coin confirms, and leave the judgement to the backtest", () => {
    const alone = [move("A", 1, 40), move("A", 2, 12), move("B", 2, 6)];
    expect(fitResidualMax(alone, 100, "drawn")).toMatchObject({ fitted: 12, isAdopted: false });

    const together = [...alone, move("B", 1, 8)];
    expect(fitResidualMax(together, 100, "drawn")).toMatchObject({ fitted: 40, isAdopted: false });
    expect(fitExcursionMax(together, 100, "drawn")).toMatchObject({ fitted: 41, isAdopted: false });
  });

  it("count what the cap in force cuts, confirmed by a large move of another coin or not", () => {
    const cap = RESIDUAL_MAX.value;
    const moves = [move("A", 1, cap + 2.5), move("B", 1, 5), move("A", 2, cap + 1), move("B", 2, 5.1)];

    // At the cap nothing is cut, and a move of 5 confirms nothing.
    const { fitted, evidence } = fitResidualMax([...moves, move("C", 2, cap)], 100, "drawn");

    expect(fitted).toBe(Math.ceil(cap + 1));
    expect(evidence).toEqual({
      assetHours: 100,
      beyondCap: 2,
      confirmedBeyondCap: 1,
      largest: cap + 2.5,
      largestConfirmed: cap + 1,
    });
  });
});
