import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GeneralisedPareto } from "../../src/math/generalised-pareto.ts";
import {
  fitGeneralisedPareto,
  fitParetoScale,
  paretoExpectedShortfall,
  paretoQuantile,
} from "../../src/math/generalised-pareto.ts";
import { createRandom } from "../../src/math/random.ts";
import {
  hillExponent,
  paretoByWeightedMoments,
  paretoLogLikelihood,
  paretoStandardErrors,
} from "../oracle/tail-estimators.ts";
import { hasVectors } from "../support/shared-data.ts";
import { forEachVector, loadColumn, markCompared, vectorMismatches } from "../support/vectors.ts";
import { between } from "../support/arbitraries.ts";

// Mutants killed: ξ = mean ln(1+θy) without the mean, β = θ/ξ, one golden step, n_u/n inverted, ES without −ξu, sign
// of the Newton step in fitParetoScale, no support bound for ξ < 0, a maximum taken at either end of the search, products
// of many factors that overflow or underflow, ten excesses refused, a search that ends three digits in.

describe.skipIf(!hasVectors)("generalised Pareto oracles", () => {
  forEachVector("gpd_fit", (vector) => {
    const input = vector.input as {
      series_csv: string;
      column: string;
      transform: string;
      threshold: number;
      p: number[];
    };
    const sign = input.transform === "neg" ? -1 : 1;
    const losses = loadColumn(input.series_csv, input.column).map((value) => sign * value);
    const excesses = losses.filter((loss) => loss > input.threshold).map((loss) => loss - input.threshold);

    const fit = fitGeneralisedPareto(excesses)!;

    const tail = { threshold: input.threshold, exceedances: excesses.length, sampleSize: losses.length };
    // The service publishes no standard errors and fits by likelihood: these two are the oracle's own.
    const errors = paretoStandardErrors(excesses, fit);
    const moments = paretoByWeightedMoments(excesses);
    expect(
      vectorMismatches(vector, {
        n: losses.length,
        n_exceed: excesses.length,
        xi: fit.shape,
        beta: fit.scale,
        loglik: paretoLogLikelihood(excesses, fit),
        var: input.p.map((p) => paretoQuantile(fit, tail, p)),
        es: input.p.map((p) => paretoExpectedShortfall(fit, tail, p)),
        se_xi: errors.shape,
        se_beta: errors.scale,
        pwm: { xi: moments.shape, beta: moments.scale },
      }),
    ).toEqual([]);
  });

  forEachVector("gpd_var_es", (vector) => {
    const input = vector.input as {
      xi: number;
      beta: number;
      threshold: number;
      n_exceed: number;
      n: number;
      p: number;
    };
    const pareto = { shape: input.xi, scale: input.beta };
    const tail = { threshold: input.threshold, exceedances: input.n_exceed, sampleSize: input.n };

    expect(
      vectorMismatches(vector, {
        var: paretoQuantile(pareto, tail, input.p),
        es: paretoExpectedShortfall(pareto, tail, input.p),
      }),
    ).toEqual([]);
  });

  forEachVector("gpd_loglik", (vector) => {
    const { y, params } = vector.input as { y: number[]; params: { xi: number; beta: number }[] };

    const values = params.map(({ xi, beta }) => paretoLogLikelihood(y, { shape: xi, scale: beta }));

    expect(vectorMismatches(vector, { loglik: values })).toEqual([]);
  });

  forEachVector("gpd_guard", (vector) => {
    const { losses, threshold } = vector.input as { losses: number[]; threshold: number };
    const excesses = Float64Array.from(
      losses.filter((loss) => loss > threshold),
      (loss) => loss - threshold,
    );

    expect(fitGeneralisedPareto(excesses)).toBeUndefined();
    markCompared(vector, "must");
  });

  // The service takes its tail from the generalised Pareto; Hill's estimator is the oracle's.
  forEachVector("hill", (vector) => {
    const { series_csv, column, transform, k } = vector.input as {
      series_csv: string;
      column: string;
      transform: string;
      k: number[];
    };
    const sign = transform === "neg" ? -1 : 1;
    const losses = loadColumn(series_csv, column).map((value) => sign * value);
    const alpha = k.map((count) => hillExponent(losses, count));

    expect(vectorMismatches(vector, { alpha, xi: alpha.map((value) => 1 / value) })).toEqual([]);
  });
});

describe("fitGeneralisedPareto", () => {
  const shape = between(-0.2, 0.6);
  const scale = fc.double({ min: 1e-4, max: 1e3, noNaN: true });

  it("is at least as likely as the truth and as its neighbours", () => {
    fc.assert(
      fc.property(fc.nat(), shape, scale, (seed, trueShape, trueScale) => {
        const excesses = drawPareto(seed, 300, { shape: trueShape, scale: trueScale });
        const fit = fitGeneralisedPareto(excesses)!;
        const best = paretoLogLikelihood(excesses, fit) + 1e-7;
        expect(best).toBeGreaterThanOrEqual(
          paretoLogLikelihood(excesses, { shape: trueShape, scale: trueScale }),
        );
        for (const [dShape, kScale] of [
          [0.01, 1],
          [-0.01, 1],
          [0, 1.01],
          [0, 0.99],
        ] as const) {
          const other = { shape: fit.shape + dShape, scale: fit.scale * kScale };
          expect(best).toBeGreaterThanOrEqual(paretoLogLikelihood(excesses, other));
        }
        // Where the derivative by the scale is 0.
        const score = excesses.reduce(
          (sum, y) => sum + ((1 + fit.shape) * y) / (fit.scale + fit.shape * y),
          0,
        );
        expect(score / excesses.length).toBeCloseTo(1, 6);
      }),
      { numRuns: 50 },
    );
  });

  it("follows a change of unit in the scale only", () => {
    fc.assert(
      fc.property(fc.nat(), shape, scale, (seed, trueShape, factor) => {
        const excesses = drawPareto(seed, 200, { shape: trueShape, scale: 1 });
        const fit = fitGeneralisedPareto(excesses)!;
        const scaled = fitGeneralisedPareto(excesses.map((y) => factor * y))!;
        expect(Math.abs(scaled.shape - fit.shape)).toBeLessThan(1e-5);
        expect(scaled.scale / fit.scale / factor).toBeCloseTo(1, 4);
      }),
      { numRuns: 50 },
    );
  });

  it("finds the shape of thousands of excesses, whose product is beyond the range of doubles", () => {
    // Standard error of the shape by maximum likelihood, (1 + ξ)/√n, where ξ > −½.
    for (const trueShape of [-0.2, 0.8]) {
      const excesses = drawPareto(5, 8000, { shape: trueShape, scale: 0.02 });
      const fit = fitGeneralisedPareto(excesses)!;
      expect(Math.abs(fit.shape - trueShape)).toBeLessThan((4 * (1 + trueShape)) / Math.sqrt(8000));
    }
  });

  it("has no fit of fewer than ten excesses, nor where the likelihood only grows toward an end", () => {
    const ten = Float64Array.from({ length: 10 }, (_, i) => (1 - (i + 0.5) / 10) ** -0.5 - 1);
    expect(fitGeneralisedPareto(ten)).toBeDefined();
    expect(fitGeneralisedPareto(ten.subarray(1))).toBeUndefined();
    // All but equal: the more likely, the nearer the end of the support is to the largest.
    expect(fitGeneralisedPareto(Float64Array.from({ length: 30 }, (_, i) => 1 + i * 1e-6))).toBeUndefined();
    // Each ten times the one before: no shape of the search is heavy enough.
    expect(fitGeneralisedPareto(Float64Array.from({ length: 30 }, (_, i) => 10 ** i))).toBeUndefined();
  });

  it("refits the scale to the same optimum when the shape is left alone", () => {
    fc.assert(
      fc.property(fc.nat(), shape, scale, (seed, trueShape, start) => {
        const excesses = drawPareto(seed, 300, { shape: trueShape, scale: 1 });
        const fit = fitGeneralisedPareto(excesses)!;
        expect(fitParetoScale(excesses, fit.shape, start) / fit.scale).toBeCloseTo(1, 4);
      }),
      { numRuns: 50 },
    );
  });
});

describe("paretoQuantile", () => {
  const tail = { threshold: 0.03, exceedances: 800, sampleSize: 16_384 };

  it("is continuous at shape 0 and grows with the confidence", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.96, max: 0.9999, noNaN: true }), (p) => {
        const at = (shape: number): number => paretoQuantile({ shape, scale: 0.01 }, tail, p);
        expect(at(1e-9) / at(0)).toBeCloseTo(1, 6);
        expect(at(-1e-9) / at(0)).toBeCloseTo(1, 6);
        expect(paretoQuantile({ shape: 0.2, scale: 0.01 }, tail, p + 0.00005)).toBeGreaterThan(
          paretoQuantile({ shape: 0.2, scale: 0.01 }, tail, p),
        );
      }),
    );
  });
});

function drawPareto(seed: number, n: number, { shape, scale }: GeneralisedPareto): Float64Array {
  const random = createRandom(seed);
  return Float64Array.from({ length: n }, () => {
    const logSurvival = -Math.log(random.uniform());
    return Math.abs(shape) < 1e-9 ? scale * logSurvival : (scale * Math.expm1(shape * logSurvival)) / shape;
  });
}
