import { describe, expect, it } from "vitest";
import { HOUR_MS, type Bar } from "../../../src/domain/bar.ts";
import { mean, meanSquare } from "../../../src/math/moments.ts";
import { barMove, rangeScale } from "../../../src/risk/volatility/conditioned-bars.ts";
import { EWMA_DECAY, filterEwma } from "../../../src/risk/volatility/ewma.ts";
import { qlikeObjective } from "../../../src/risk/volatility/garch-likelihood.ts";
import { filterHexp, hexpOf, initialHexpState } from "../../../src/risk/volatility/hexp.ts";
import { fitLogHar } from "../../../src/risk/volatility/log-har.ts";
import {
  coefficientsOfRangeGarch,
  filterRangeGarch,
  fitRangeGarch,
  type RangeGarchObjective,
} from "../../../src/risk/volatility/range-garch.ts";
import {
  annualisedSigma,
  cumulativeVariance,
  halfLifeHours,
} from "../../../src/risk/volatility/term-structure.ts";
import {
  advanceVariance,
  persistenceOf,
  type VarianceRecursion,
} from "../../../src/risk/volatility/variance-recursion.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { loadSeries, vectorCases, vectorMismatches } from "../../support/vectors.ts";

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

describe.skipIf(!hasVectors)("range models against R and Python", () => {
  for (const vector of vectorCases("range_garch", "range_garch_fit")) {
    it(vector.id, () => {
      const { returns, ranges } = candleMoves(vector.input["series_csv"] as string);
      const c = rangeScale(returns, ranges);
      const x = ranges.map((k) => c * k);
      const fit = fitRangeGarch(returns, x, {
        objective: (vector.input["objective"] as string).replace("_", "-") as RangeGarchObjective,
        prior: null,
        start: null,
        evaluationsMax: 2000,
      });
      const h = filterRangeGarch(fit.recursion, returns, x);
      const next = h.at(-1) ?? Number.NaN;
      const persistence = persistenceOf(fit.recursion);
      const { omega, alpha, beta, asymmetry } = fit.recursion;
      const cumulative = (k: number): number => cumulativeVariance(next, omega, persistence, k);
      const z = returns.map((r, t) => r / Math.sqrt(h[t] ?? Number.NaN));
      expect(
        vectorMismatches(vector, {
          c,
          params: { omega, alpha, g: asymmetry, beta },
          objective_value: fit.objectiveValue,
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
    });
  }

  for (const vector of vectorCases("range_garch", "range_garch_filter")) {
    it(vector.id, () => {
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
          qlike: qlikeObjective(coefficientsOfRangeGarch(recursion), returns, x, mean(x)),
          k_first5: ranges.slice(0, 5),
        }),
      ).toEqual([]);
    });
  }

  for (const vector of vectorCases("range_garch", "hexp_filter")) {
    it(vector.id, () => {
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
  }

  for (const vector of vectorCases("range_garch", "log_har_ols")) {
    it(vector.id, () => {
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
  }

  for (const fn of ["range_garch_fhs", "hexp_fhs"]) {
    for (const vector of vectorCases("range_garch", fn)) {
      it(vector.id, () => {
        const { z, z_low, z_high, xi, index, steps } = vector.input as Record<string, number[]> & {
          index: number[][];
          steps: number;
        };
        const paths = index.map((row) => {
          const [recursion, state] = startOf(vector.input);
          let [h, sum, low, high] = [state[0]!, 0, 0, 0];
          for (const j of row.slice(0, steps)) {
            const s = Math.sqrt(h);
            low = Math.min(low, sum + s * z_low![j]!);
            high = Math.max(high, sum + s * z_high![j]!);
            sum += s * z![j]!;
            low = Math.min(low, sum);
            high = Math.max(high, sum);
            h = advanceVariance(recursion, state, z![j]!, xi![j]!);
          }
          return { sum, low, high };
        });
        expect(
          vectorMismatches(vector, {
            terminal: paths.map((path) => path.sum),
            path_min: paths.map((path) => path.low),
            path_max: paths.map((path) => path.high),
          }),
        ).toEqual([]);
      });
    }
  }

  for (const vector of vectorCases("risk_measures", "variance_term_structure")) {
    it(vector.id, () => {
      const { h, V, P } = vector.input as { h: number; V: number; P: number };
      const horizons = [1, 4, 24, 168];
      const cumulative = horizons.map((hours) => cumulativeVariance(h, V * (1 - P), P, hours));
      expect(
        vectorMismatches(vector, {
          cumvar: cumulative,
          closed_form: cumulative,
          sigma_annual: cumulative.map((value, i) => annualisedSigma(value, horizons[i]!)),
          half_life_hours: halfLifeHours(P),
        }),
      ).toEqual([]);
    });
  }

  for (const vector of vectorCases("risk_measures", "vol_estimators")) {
    it(`${vector.id}: the estimators that are used`, () => {
      const { r = [], high = [], low = [] } = loadSeries(vector.input["series_csv"] as string);
      const returns = Float64Array.from(r, Number).slice(0, 500);
      // Open and previous close inside the bar: what is left is the plain high-low range.
      const ranges = Float64Array.from({ length: 500 }, (_, i) => {
        const middle = Math.sqrt(Number(high[i]) * Number(low[i]));
        const bar = {
          openTimeMs: 0,
          open: middle,
          high: Number(high[i]),
          low: Number(low[i]),
          close: middle,
        };
        return barMove({ ...bar, volumeBase: 1 }, middle).rangeVariance;
      });
      const recursion = { kind: "ewma", decay: EWMA_DECAY.value } as const;
      const first = returns[0]! * returns[0]!;
      expect(EWMA_DECAY.value).toBe(vector.input["lambda"]);
      expect(
        vectorMismatches(vector, {
          parkinson_mean: mean(ranges),
          close_close_var_zero_mean: meanSquare(returns),
          ewma_after_all: filterEwma(recursion, returns, first).at(-1),
        }),
      ).toEqual([]);
    });
  }
});

function startOf(input: Readonly<Record<string, unknown>>): [VarianceRecursion, Float64Array] {
  const params = input["params"] as
    { omega: number; alpha: number; g: number; beta: number; h1: number } | undefined;
  if (params !== undefined) {
    const { omega, alpha, g, beta, h1 } = params;
    return [{ kind: "range-garch", omega, alpha, asymmetry: g, beta }, Float64Array.of(h1)];
  }
  const { V, b0, b, b_lev, E0, neg0 } = input as {
    V: number;
    b0: number;
    b: number[];
    b_lev: number;
    E0: number[];
    neg0: number;
  };
  const recursion = hexpOf(V, b0, b, b_lev);
  const h = b.reduce((sum, weight, k) => sum + weight * E0[k]!, b0 * V + b_lev * neg0);
  return [recursion, Float64Array.of(h, ...E0)];
}
