import { describe, expect } from "vitest";
import { HOUR_MS, type Bar } from "../../../src/domain/bar.ts";
import { mean, meanSquare } from "../../../src/math/moments.ts";
import { minimise } from "../../../src/math/nelder-mead.ts";
import { barMove, rangeScale } from "../../../src/risk/volatility/conditioned-bars.ts";
import { gaussianObjective } from "../../../src/risk/volatility/garch-likelihood.ts";
import { coefficientsOf, rescaled, thetaOf } from "../../../src/risk/volatility/garch-parameters.ts";
import { hexpOf, initialHexpState } from "../../../src/risk/volatility/hexp.ts";
import { fitLogHar } from "../../oracle/log-har.ts";
import {
  coefficientsOfRangeGarch,
  filterRangeGarch,
  fitRangeGarch,
  rangeGarchOf,
} from "../../../src/risk/volatility/range-garch.ts";
import {
  annualisedSigma,
  cumulativeVariance,
  halfLifeHours,
} from "../../../src/risk/volatility/term-structure.ts";
import { persistenceOf, type RangeGarchRecursion } from "../../../src/risk/volatility/variance-recursion.ts";
import { qlikeByDefinition } from "../../oracle/garch-by-definition.ts";
import {
  bipowerVariance,
  garmanKlassVariance,
  medianDeviationSigma,
  rogersSatchellVariance,
  trueRanges,
} from "../../oracle/ohlc-volatility.ts";
import { EMPTY_DRAWDOWN, updateDrawdown } from "../../../src/risk/drawdown.ts";
import { filterEwma, filterHexp } from "../../support/filtered-variances.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { loadSeries, forEachVector, vectorMismatches } from "../../support/vectors.ts";

/** Returns and Parkinson variances of a candle file; the previous close is close / exp(r), as the vectors define it. */
function candleMoves(path: string): { returns: Float64Array; ranges: Float64Array } {
  const { open = [], high = [], low = [], close = [], r = [] } = loadSeries(path);
  const moves = close.map((text, i) => {
    const bar: Bar = {
      openTimeMs: i * HOUR_MS,
      open: Number(open[i]),
      high: Number(high[i]),
      low: Number(low[i]),
      close: Number(text),
      volumeBase: 1,
    };
    return barMove(bar, bar.close / Math.exp(Number(r[i])));
  });
  return {
    returns: Float64Array.from(r, Number),
    ranges: Float64Array.from(moves, (move) => move.rangeVariance),
  };
}

/** Σ [ln h + x/h] of a recursion over a series. */
function qlikeOf(recursion: RangeGarchRecursion, returns: Float64Array, x: Float64Array): number {
  return qlikeByDefinition([...x], [...filterRangeGarch(recursion, returns, x).slice(0, -1)]);
}

/** The service's parameters and optimiser by a criterion that it does not use, of which there are vectors, too. */
function fitByQlike(returns: Float64Array, x: Float64Array): RangeGarchRecursion {
  const variance = mean(x);
  const scaled = x.map((value) => value / variance);
  const best = minimise(
    (theta) => qlikeOf(rangeGarchOf(coefficientsOf(theta)), returns, scaled),
    thetaOf({ omega: 0.035, reaction: 0.24, asymmetry: 0.01, beta: 0.725 }),
    { steps: [1, 0.5, 0.3, 0.3], evaluationsMax: 2000, tolerance: 1e-4, restarts: 1 },
  );
  return rangeGarchOf(rescaled(coefficientsOf(best), variance));
}

describe.skipIf(!hasVectors)("range models against R and Python", () => {
  forEachVector("range_garch_fit", (vector) => {
    const { returns, ranges } = candleMoves(vector.input["series_csv"] as string);
    const c = rangeScale(returns, ranges);
    const x = ranges.map((k) => c * k);
    const isQlike = vector.input["objective"] === "qlike";
    const recursion = isQlike
      ? fitByQlike(returns, x)
      : fitRangeGarch(returns, x, { prior: null, start: null, evaluationsMax: 2000 });
    const h = filterRangeGarch(recursion, returns, x);
    const next = h.at(-1) ?? Number.NaN;
    const persistence = persistenceOf(recursion);
    const { omega, alpha, beta, asymmetry } = recursion;
    const cumulative = (k: number): number => cumulativeVariance(next, omega, persistence, k);
    const z = returns.map((r, t) => r / Math.sqrt(h[t] ?? Number.NaN));
    expect(
      vectorMismatches(vector, {
        c,
        params: { omega, alpha, g: asymmetry, beta },
        objective_value: isQlike
          ? qlikeOf(recursion, returns, x)
          : gaussianObjective(coefficientsOfRangeGarch(recursion), returns, x, mean(x)),
        persistence,
        h_next: next,
        // Published as null where the fit is integrated.
        cumvar:
          vector.expected["cumvar"] === null
            ? null
            : { h1: cumulative(1), h4: cumulative(4), h24: cumulative(24), h168: cumulative(168) },
        z_second_moment: meanSquare(z),
        xi_mean: mean(x.map((value, t) => value / (h[t] ?? Number.NaN))),
      }),
    ).toEqual([]);
    // No tolerance is stated: a hundredth of the unit standard deviation, as for the second moment.
    expect(vectorMismatches(vector, { z_mean: mean(z) }, { z_mean: { rel: 0, abs: 0.01 } })).toEqual([]);
  });

  forEachVector("range_garch_filter", (vector) => {
    const { returns, ranges } = candleMoves(vector.input["series_csv"] as string);
    const c = rangeScale(returns, ranges);
    const x = ranges.map((k) => c * k);
    const { omega = 0, alpha = 0, g = 0, beta = 0 } = vector.input["params"] as Record<string, number>;
    const recursion = { kind: "range-garch", omega, alpha, asymmetry: g, beta } as const;
    const h = filterRangeGarch(recursion, returns, x);
    const rows = vector.expected["h_index_1based"] as number[];
    expect(
      vectorMismatches(vector, {
        c,
        h: rows.map((row) => h[row - 1]),
        qlike: qlikeOf(recursion, returns, x),
        k_first5: ranges.slice(0, 5),
      }),
    ).toEqual([]);
  });

  forEachVector("hexp_filter", (vector) => {
    const { returns, ranges } = candleMoves(vector.input["series_csv"] as string);
    const c = rangeScale(returns, ranges);
    const x = ranges.map((k) => c * k);
    const { b0, b, b_lev } = vector.input as { b0: number; b: number[]; b_lev: number };
    const V = mean(x);
    const recursion = hexpOf(V, b0, b, b_lev);
    const state = initialHexpState(recursion, V);
    const h = filterHexp(recursion, state, returns, x);
    const rows = vector.expected["h_index_1based"] as number[];
    let qlike = 0;
    for (let t = 200; t < x.length; t++) qlike += Math.log(h[t]!) + x[t]! / h[t]!;
    expect(
      vectorMismatches(vector, {
        V,
        h: rows.map((row) => h[row - 1]),
        E_last: state.slice(1),
        qlike_from_201: qlike,
      }),
    ).toEqual([]);
  });

  forEachVector("log_har_ols", (vector) => {
    const fit = fitLogHar(candleMoves(vector.input["series_csv"] as string).ranges);
    expect(
      vectorMismatches(vector, {
        coef: fit.coefficients,
        resid_sd: fit.residualSd,
        r2: fit.rSquared,
        next_log_k: fit.nextLogRange,
      }),
    ).toEqual([]);
  });

  forEachVector("variance_term_structure", (vector) => {
    const { h, V, P } = vector.input as { h: number; V: number; P: number };
    const horizons = [1, 4, 24, 168];
    const cumulative = horizons.map((hours) => cumulativeVariance(h, V * (1 - P), P, hours));
    expect(
      vectorMismatches(vector, {
        cumvar: cumulative,
        closed_form: cumulative,
        sigma_annual: cumulative.map((value, i) => annualisedSigma(value, horizons[i]!)),
        half_life_hours: halfLifeHours(P),
        // What the forecast is over one hour scaled by √t.
        naive_sqrt_time_ratio: cumulative.map((value, i) => Math.sqrt(value / (horizons[i]! * h))),
      }),
    ).toEqual([]);
  });

  forEachVector("vol_estimators", (vector) => {
    const { series_csv, rows, lambda } = vector.input as { series_csv: string; rows: string; lambda: number };
    const length = Number(/\d+/.exec(rows)![0]);
    const { r = [], open = [], high = [], low = [], close = [] } = loadSeries(series_csv);
    const returns = Float64Array.from(r.slice(0, length), Number);
    const bars = Array.from({ length }, (_, i) => ({
      openTimeMs: i * HOUR_MS,
      open: Number(open[i]),
      high: Number(high[i]),
      low: Number(low[i]),
      close: Number(close[i]),
      volumeBase: 1,
    }));
    // Open and previous close inside the bar: what is left is the plain high-low range.
    const ranges = Float64Array.from(bars, (bar) => {
      const middle = Math.sqrt(bar.high * bar.low);
      return barMove({ ...bar, open: middle, close: middle }, middle).rangeVariance;
    });
    const recursion = { kind: "ewma", decay: lambda } as const;
    const first = returns[0]! * returns[0]!;
    // The vectors' first true range is that of the second bar, against the first close.
    const fromSecond = bars.slice(1).map((bar, i) => (i === 0 ? { ...bar, open: bars[0]!.close } : bar));
    const { atr } = fromSecond.reduce(updateDrawdown, EMPTY_DRAWDOWN);

    expect(
      vectorMismatches(vector, {
        parkinson_mean: mean(ranges),
        close_close_var_zero_mean: meanSquare(returns),
        ewma_after_all: filterEwma(recursion, returns, first).at(-1),
        atr14_wilder_last: atr,
        // Not used by the service; the oracle's.
        garman_klass_mean: garmanKlassVariance(bars),
        rogers_satchell_mean: rogersSatchellVariance(bars),
        bipower: bipowerVariance(returns),
        mad_sigma: medianDeviationSigma(returns),
        true_range_last: trueRanges(bars).at(-1),
      }),
    ).toEqual([]);
  });
});
