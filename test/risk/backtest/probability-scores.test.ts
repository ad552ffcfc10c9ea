import { describe, expect, it } from "vitest";
import { normalCdf } from "../../../src/math/normal.ts";
import { auc } from "../../../src/risk/backtest/auc.ts";
import { baseRate, brierScore, murphyDecomposition } from "../../../src/risk/backtest/brier.ts";
import { clusteredDieboldMariano } from "../../../src/risk/backtest/diebold-mariano.ts";
import { fitIsotonic, isotonicAt } from "../../../src/risk/backtest/isotonic.ts";
import { logLoss } from "../../../src/risk/backtest/log-loss.ts";
import { fitPlatt, plattAt } from "../../../src/risk/backtest/platt.ts";
import {
  type BinnedForecasts,
  equalMassBins,
  equalWidthBins,
  expectedCalibrationError,
} from "../../../src/risk/backtest/reliability.ts";
import { wilsonInterval } from "../../../src/risk/backtest/wilson-interval.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { forEachVector, vectorMismatches } from "../../support/vectors.ts";

describe.skipIf(!hasVectors)("probability scores against scikit-learn and statsmodels", () => {
  forEachVector("probability_scores", (vector) => {
    const { p, y, bins } = vector.input as { p: number[]; y: number[]; bins: number };
    const width = equalWidthBins(p, y, bins);
    const mass = equalMassBins(p, y, bins);
    const murphy = murphyDecomposition(p, y, bins)!;
    const largestGap = (forecasts: BinnedForecasts): number =>
      Math.max(...forecasts.bins.map((bin) => Math.abs(bin.meanForecast - bin.observedRate)));

    expect(
      vectorMismatches(vector, {
        n: p.length,
        base_rate: baseRate(y),
        brier: brierScore(p, y),
        log_loss: logLoss(p, y),
        murphy_width10: {
          reliability: murphy.reliability,
          resolution: murphy.resolution,
          uncertainty: murphy.uncertainty,
          within_bin_variance: murphy.withinBinVariance,
          within_bin_covariance: murphy.withinBinCovariance,
          identity:
            murphy.reliability -
            murphy.resolution +
            murphy.uncertainty +
            murphy.withinBinVariance -
            murphy.withinBinCovariance,
        },
        brier_skill: murphy.uncertainty === 0 ? null : 1 - brierScore(p, y)! / murphy.uncertainty,
        ece_width10: expectedCalibrationError(width),
        mce_width10: largestGap(width),
        ece_mass10_stable_sort: expectedCalibrationError(mass),
        mce_mass10_stable_sort: largestGap(mass),
        auc: auc(p, y),
        reliability_curve: width.bins.map((bin) => ({
          bin: bin.bin,
          n: bin.count,
          mean_forecast: bin.meanForecast,
          observed_rate: bin.observedRate,
        })),
      }),
    ).toEqual([]);
  });

  forEachVector("isotonic_pava", (vector) => {
    const { x, y, w, predict_at } = vector.input as {
      x: number[];
      y: number[];
      w: number[] | null;
      predict_at: number[];
    };
    const curve = fitIsotonic(x, y, w)!;

    expect(
      vectorMismatches(vector, {
        fitted: x.map((at) => isotonicAt(curve, at)),
        predict: predict_at.map((at) => isotonicAt(curve, at)),
      }),
    ).toEqual([]);
  });

  forEachVector("isotonic_recalibration", (vector) => {
    const { p, y } = vector.input as { p: number[]; y: number[] };
    const curve = fitIsotonic(p, y, null)!;
    const fitted = p.map((at) => isotonicAt(curve, at));

    expect(
      vectorMismatches(vector, {
        brier_before: brierScore(p, y),
        brier_after: brierScore(fitted, y),
        fitted_first20: fitted.slice(0, 20),
        n_blocks: new Set(curve.y).size,
      }),
    ).toEqual([]);
  });

  forEachVector("platt_scaling", (vector) => {
    const { p, y } = vector.input as { p: number[]; y: number[] };
    const map = fitPlatt(p, y, null, 0);
    const after = p.map((one) => plattAt(map, one));

    expect(
      vectorMismatches(vector, {
        intercept: map.intercept,
        slope: map.slope,
        loglik: -logLoss(after, y)! * y.length,
        log_loss_after: logLoss(after, y),
        brier_after: brierScore(after, y),
        mean_after: baseRate(after),
      }),
    ).toEqual([]);
  });

  forEachVector("wilson_interval", (vector) => {
    const { k, n, level } = vector.input as { k: number; n: number; level: number };

    expect(vectorMismatches(vector, { ...wilsonInterval(k, n, level) })).toEqual([]);
  });

  forEachVector("diebold_mariano", (vector) => {
    const lossA = Float64Array.from(vector.input["loss_a"] as number[]);
    const lossB = Float64Array.from(vector.input["loss_b"] as number[]);
    const at = (lags: number): { dm: number | null; p_two_sided: number | null } => {
      const { statistic } = clusteredDieboldMariano(
        lossA,
        lossB,
        lossA.map((_, t) => t),
        lags,
      );
      return { dm: statistic, p_two_sided: statistic === null ? null : 2 * normalCdf(-Math.abs(statistic)) };
    };

    expect(vectorMismatches(vector, { lag0: at(0), lag5: at(5) })).toEqual([]);
  });
});

describe("scores of nothing", () => {
  it("are null, never 0 or 1", () => {
    expect(brierScore([], [])).toBeNull();
    expect(logLoss([], [])).toBeNull();
    expect(auc([], [])).toBeNull();
    expect(murphyDecomposition([], [], 10)).toBeNull();
    expect(expectedCalibrationError(equalMassBins([], [], 10))).toBeNull();
    expect(fitIsotonic([], [], null)).toBeNull();
  });
});
