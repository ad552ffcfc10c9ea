import { describe, expect, it } from "vitest";
import { accuracyReport, outcomeStatistics } from "../../../src/risk/backtest/accuracy-report.ts";
import { forecastQuality } from "../../../src/risk/backtest/forecast-quality.ts";
import { forecastsOf, type OutcomeColumns } from "../../../src/risk/backtest/outcome-columns.ts";
import { forecastOfOutcome, isAdverseOutcome } from "../../../src/risk/backtest/outcome-judgement.ts";
import { SCORE } from "../../../src/risk/calibration/calibration.ts";
import { adversePoints } from "../../../src/risk/scoring/adverse-probability.ts";
import { scoreProbability } from "../../../src/risk/scoring/score-probability.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { allVectors, vectorMismatches } from "../../support/vectors.ts";

const CURVE = SCORE.adverseCurve.value;
const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 20);

interface Row {
  readonly score: number;
  readonly pnlUsd: number;
  readonly pnlFraction?: number;
  readonly isAdverse?: boolean;
  readonly forecast?: number | null;
  readonly ageDays?: number;
  readonly calibration?: string;
}

function columnsOf(rows: readonly Row[], known: readonly string[] = ["k"]): OutcomeColumns {
  const hashes = [...new Set(rows.map(({ calibration = "k" }) => calibration))];
  return {
    riskScore: Float64Array.from(rows, ({ score }) => score),
    pnlUsd: Float64Array.from(rows, ({ pnlUsd }) => pnlUsd),
    pnlFraction: Float64Array.from(rows, ({ pnlFraction = 0 }) => pnlFraction),
    isAdverse: Uint8Array.from(rows, ({ isAdverse = false }) => Number(isAdverse)),
    forecast: Float64Array.from(rows, ({ forecast = 0.1 }) => forecast ?? Number.NaN),
    recordedAtMs: Float64Array.from(rows, ({ ageDays = 0 }) => NOW_MS - ageDays * DAY_MS),
    calibration: Uint32Array.from(rows, ({ calibration = "k" }) => hashes.indexOf(calibration)),
    calibrations: hashes.map((hash) => ({ hash, isKnown: known.includes(hash) })),
    leftOut: { pricesOutsideMarket: 0, overKeyCap: 0 },
  };
}

describe("the outcome that a score forecasts", () => {
  it("is the loss of half the margin or more", () => {
    const of = (pnlUsd: number, sizeUsd: number, leverage: number): boolean =>
      isAdverseOutcome({ pnlUsd, sizeUsd, leverage }, null);

    expect(of(-1_000, 10_000, 5)).toBe(true);
    expect(of(-999.99, 10_000, 5)).toBe(false);
    expect(of(-1_000, 10_000, 4.9)).toBe(false);
    expect(of(-5_000, 10_000, 1)).toBe(true);
    expect(of(1_000, 10_000, 50)).toBe(false);
    expect(of(-1e15, 5e-324, 1e15)).toBe(true);
  });

  it("is a loss beyond the VaR that stood at entry, where one is known", () => {
    const of = (pnlUsd: number, var99Fraction: number | null): boolean =>
      isAdverseOutcome({ pnlUsd, sizeUsd: 10_000, leverage: 1 }, var99Fraction);

    expect(of(-401, 0.04)).toBe(true);
    expect(of(-400, 0.04)).toBe(false);
    expect(of(-401, null)).toBe(false);
    expect(of(401, 0.04)).toBe(false);
    expect(of(-5_000, 0.9)).toBe(true);
  });

  it("has the probability that the calibration's own curve gave the score", () => {
    const half = { at: [0.1, 0.5, 0.9], value: [0, 50, 100] };

    expect(forecastOfOutcome({ action: "long", riskScoreAtEntry: 50 }, half)).toBeCloseTo(0.5, 12);
    // Straight in log-odds: between 0 and ln 9 half-way is ln 3, odds of 3 to 1.
    expect(forecastOfOutcome({ action: "short", riskScoreAtEntry: 75 }, half)).toBeCloseTo(0.75, 12);
    expect(forecastOfOutcome({ action: "long", riskScoreAtEntry: 70 }, CURVE)).toBeCloseTo(0.2, 12);
  });

  it("has none for a close, whose score is capped, and for a calibration that nobody published", () => {
    expect(forecastOfOutcome({ action: "close", riskScoreAtEntry: 30 }, CURVE)).toBeNull();
    expect(forecastOfOutcome({ action: "long", riskScoreAtEntry: 30 }, undefined)).toBeNull();
  });

  it("is read back from the score exactly as the score was made from it", () => {
    for (let p = 0.001; p < 0.99; p += 0.0137) {
      expect(scoreProbability(CURVE, adversePoints(p))).toBeCloseTo(p, 10);
    }
    for (let score = 1; score <= 100; score += 1) {
      expect(scoreProbability(CURVE, score)).toBeGreaterThan(scoreProbability(CURVE, score - 1));
    }
  });
});

describe.skipIf(!hasVectors)("forecast quality against scikit-learn", () => {
  // The parts are compared one by one in probability-scores.test.ts; here, that the right ones are put together.
  it.each(allVectors().filter(({ fn }) => fn === "probability_scores"))("$id", (vector) => {
    const { p, y } = vector.input as { p: number[]; y: number[] };
    const quality = forecastQuality({ probabilities: Float64Array.from(p), outcomes: Uint8Array.from(y) });
    const { murphy } = quality;

    expect(
      vectorMismatches(vector, {
        n: quality.count,
        base_rate: quality.baseRate,
        brier: quality.brierScore,
        log_loss: quality.logLoss,
        ece_mass10_stable_sort: quality.expectedCalibrationError,
        auc: quality.auc,
      }),
    ).toEqual([]);
    const within = murphy!.withinBinVariance - murphy!.withinBinCovariance;
    expect(murphy!.reliability - murphy!.resolution + murphy!.uncertainty + within).toBeCloseTo(
      quality.brierScore!,
      12,
    );
  });
});

describe("the forecasts that are judged", () => {
  it("are each with its own outcome, in the order of the record, without those that were none", () => {
    const rows = [
      { score: 1, pnlUsd: 0, forecast: 0.9 },
      { score: 1, pnlUsd: 0, forecast: null, isAdverse: true },
      { score: 1, pnlUsd: 0, forecast: 0.2 },
      { score: 1, pnlUsd: 0, forecast: 0.4, isAdverse: true },
      { score: 1, pnlUsd: 0, forecast: null, isAdverse: true },
      { score: 1, pnlUsd: 0, forecast: 0.3 },
    ];
    const of = (isIncluded?: (i: number) => boolean): readonly (readonly number[])[] => {
      const { probabilities, outcomes } = forecastsOf(columnsOf(rows), isIncluded);
      return Array.from(probabilities, (probability, k) => [probability, outcomes[k]!]);
    };

    expect(of()).toEqual([
      [0.9, 0],
      [0.2, 0],
      [0.4, 1],
      [0.3, 0],
    ]);
    expect(of((i) => i >= 3)).toEqual([
      [0.4, 1],
      [0.3, 0],
    ]);
  });

  it("are taken apart over ten ranges of equal width", () => {
    // Two in each tenth of [0, 1], of which the first happens in every third range and the second in every other.
    const tenths = Array.from({ length: 10 }, (_, k) => k);
    const { murphy } = forecastQuality({
      probabilities: Float64Array.from(tenths.flatMap((k) => [k / 10 + 0.01, k / 10 + 0.06])),
      outcomes: Uint8Array.from(tenths.flatMap((k) => [Number(k % 3 === 0), k % 2])),
    });

    const rates = tenths.map((k) => (Number(k % 3 === 0) + (k % 2)) / 2);
    const mean = rates.reduce((sum, rate) => sum + rate) / 10;
    const gaps = rates.map((rate, k) => (k / 10 + 0.035 - rate) ** 2);
    expect(murphy!.reliability).toBeCloseTo(gaps.reduce((sum, gap) => sum + gap) / 10, 12);
    const spreads = rates.map((rate) => (rate - mean) ** 2);
    expect(murphy!.resolution).toBeCloseTo(spreads.reduce((sum, spread) => sum + spread) / 10, 12);
  });
});

describe("brier skill", () => {
  it("is over a forecaster who knows only the outcomes before", () => {
    // Base rates known: 1/2, then (0 + 1/2)/2 = 1/4, then (1 + 1/2)/3 = 1/2.
    const known = (0.5 ** 2 + 0.75 ** 2 + 0.5 ** 2) / 3;
    const own = (0.1 ** 2 + 0.1 ** 2 + 0.1 ** 2) / 3;
    const quality = forecastQuality({
      probabilities: Float64Array.of(0.1, 0.9, 0.1),
      outcomes: Uint8Array.of(0, 1, 0),
    });

    expect(quality.brierSkill).toBeCloseTo(1 - own / known, 12);
  });
});

describe("outcomeStatistics", () => {
  it("sorts scores into ranges, lower end included, the last both", () => {
    const scores = [0, 9.9, 10, 40, 40.3, 70, 99.9, 100];
    const { byScore, byBand, count } = outcomeStatistics(
      columnsOf(scores.map((score) => ({ score, pnlUsd: 1 }))),
    );

    expect(count).toBe(8);
    expect(byScore.map((range) => range.count)).toEqual([2, 1, 0, 0, 2, 0, 0, 1, 0, 2]);
    expect(byScore.map(({ fromScore, toScore }) => toScore - fromScore)).toEqual(Array(10).fill(10));
    expect(byBand.map((band) => [band.recommendation, band.count])).toEqual([
      ["proceed", 4],
      ["proceed_with_caution", 2],
      ["abort", 2],
    ]);
  });

  it("counts a break-even trade as neither loss nor profit, and averages", () => {
    const rows = [
      { score: 5, pnlUsd: -30, pnlFraction: -0.3, isAdverse: true },
      { score: 6, pnlUsd: 0, pnlFraction: 0 },
      { score: 7, pnlUsd: 50, pnlFraction: 0.1, forecast: 0.3 },
      { score: 8, pnlUsd: 10, pnlFraction: 0.05, forecast: null, isAdverse: true },
    ];
    const { byScore, scoredCount, brierScore } = outcomeStatistics(columnsOf(rows));
    const [range] = byScore;

    expect(scoredCount).toBe(3);
    expect(brierScore).toBeCloseTo((0.9 ** 2 + 0.1 ** 2 + 0.3 ** 2) / 3, 12);
    expect(range).toMatchObject({ count: 4, meanPnlUsd: 7.5, medianPnlFraction: 0.025 });
    expect(range!.meanPnlFraction).toBeCloseTo(-0.0375, 12);
    expect([range!.lost!.rate, range!.profitable!.rate]).toEqual([0.25, 0.5]);
    // The one without a forecast is not judged.
    expect(range!.scored).toMatchObject({ count: 3, adverse: { rate: 1 / 3 } });
    expect(range!.scored!.meanForecast).toBeCloseTo(0.5 / 3, 12);
    const { interval } = range!.lost!;
    expect(interval.low).toBeGreaterThan(0);
    expect(interval.high).toBeLessThan(1);
  });

  it("says null, not 0 and not NaN, of nothing", () => {
    const empty = outcomeStatistics(columnsOf([]));

    expect(empty).toMatchObject({ count: 0, scoredCount: 0, brierScore: null });
    for (const group of [...empty.byScore, ...empty.byBand]) {
      expect(group).toMatchObject({ count: 0, lost: null, profitable: null, meanPnlUsd: null, scored: null });
    }
  });
});

describe("accuracyReport", () => {
  it("looks at the last seven days apart, whatever a clock that was set back left in the future", () => {
    const rows = [
      { score: 5, pnlUsd: 1, ageDays: 7.1 },
      { score: 5, pnlUsd: 1, ageDays: 6.9, forecast: 0.5, isAdverse: true },
      { score: 5, pnlUsd: -1, ageDays: -30, forecast: null },
    ];
    const { recent } = accuracyReport(columnsOf(rows), CURVE, NOW_MS);

    expect(recent).toMatchObject({ group: { count: 2, profitable: { rate: 0.5 } }, brierScore: 0.25 });
    expect(accuracyReport(columnsOf(rows.slice(0, 1)), CURVE, NOW_MS).recent).toBeNull();
  });

  it("shows what every tenth score has meant, by the curve in force, and by the record where that knows better", () => {
    const { curve, method } = accuracyReport(columnsOf([]), CURVE, NOW_MS).scoreMeaning;
    expect(method).toBe("identity");
    expect(curve.map(({ score }) => score)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    for (const { score, publishedProbability, probability } of curve) {
      expect(publishedProbability).toBe(scoreProbability(CURVE, score));
      expect(probability).toBe(publishedProbability);
    }

    // Twice as much was forecast as happened.
    const rows = Array.from({ length: 400 }, (_, i) => {
      const forecast = i % 2 === 0 ? 0.2 : 0.6;
      return { score: 50, pnlUsd: 1, forecast, isAdverse: (7 * (i >> 1)) % 10 < 5 * forecast };
    });
    const mended = accuracyReport(columnsOf(rows), CURVE, NOW_MS).scoreMeaning;
    expect(mended.method).toBe("platt");
    expect(mended.curve[5]!.probability).toBeLessThan(mended.curve[5]!.publishedProbability);
    expect(mended.curve.map(({ publishedProbability }) => publishedProbability)).toEqual(
      curve.map(({ publishedProbability }) => publishedProbability),
    );
  });

  it("holds calibrations apart, the most used first, and judges none that nobody published", () => {
    const rows = [
      { score: 5, pnlUsd: 1, calibration: "k", forecast: 0.5 },
      { score: 5, pnlUsd: 1, calibration: "imported", forecast: null },
      { score: 5, pnlUsd: 1, calibration: "imported", forecast: null },
      ...Array.from({ length: 70 }, (_, i) => ({
        score: 5,
        pnlUsd: 1,
        calibration: `u${i}`,
        forecast: null,
      })),
    ];
    const { byCalibration } = accuracyReport(columnsOf(rows), CURVE, NOW_MS);

    expect(byCalibration).toHaveLength(50);
    expect(byCalibration[0]).toMatchObject({
      hash: "imported",
      isKnown: false,
      count: 2,
      quality: { brierScore: null },
    });
    expect(byCalibration.find(({ hash }) => hash === "k")).toMatchObject({
      isKnown: true,
      quality: { count: 1, brierScore: 0.25 },
    });
  });

  it.each([0, 1, 2, 9, 60])(
    "has only finite numbers and nulls over %i outcomes, whatever they are",
    (count) => {
      for (const isAdverse of [true, false]) {
        for (const forecast of [null, 1e-12, 0.5]) {
          const rows = Array.from({ length: count }, () => ({ score: 0, pnlUsd: 0, isAdverse, forecast }));
          const report = accuracyReport(columnsOf(rows), CURVE, NOW_MS);

          const numbers: number[] = [];
          JSON.stringify(report, (_key, value: unknown) => {
            if (typeof value === "number") numbers.push(value);
            return value;
          });
          expect(numbers.every(Number.isFinite)).toBe(true);
          expect(report.scoreMeaning).toMatchObject({ method: "identity", evidence: [] });
        }
      }
    },
  );
});
