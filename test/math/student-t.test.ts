import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalCdf, normalDensity, normalQuantile } from "../../src/math/normal.ts";
import {
  standardisedTExpectedShortfall,
  standardisedTLogNormaliser,
  standardisedTQuantile,
  studentTCdf,
  studentTLogDensity,
  studentTQuantile,
} from "../../src/math/student-t.ts";
import { fitStudentT, skewedTQuantile, studentTTailMean } from "../oracle/student-t-fit.ts";
import { hasVectors } from "../support/shared-data.ts";
import { forEachVector, loadColumn, vectorMismatches } from "../support/vectors.ts";
import { between } from "../support/arbitraries.ts";

const probability = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true });
const degrees = fc.double({ min: 2.1, max: 300, noNaN: true });

describe("normal distribution", () => {
  it("has a quantile that inverts its distribution function", () => {
    fc.assert(
      fc.property(probability, (p) => {
        expect(Math.abs(normalCdf(normalQuantile(p)) - p)).toBeLessThanOrEqual(1e-13 * p + 1e-16);
        expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p), 6);
      }),
    );
  });

  it("has the tail of its continued fraction", () => {
    fc.assert(
      fc.property(fc.double({ min: 2, max: 30, noNaN: true }), (x) => {
        // Laplace's, φ(x) / (x + 1/(x + 2/(x + …))), from its far end.
        let fraction = x;
        for (let k = 400; k > 0; k--) fraction = x + k / fraction;
        expect(Math.abs((normalCdf(-x) * fraction) / normalDensity(x) - 1)).toBeLessThan(
          1e-15 * (x * x + 20),
        );
      }),
    );
  });

  it("has a density that is the slope of its distribution function", () => {
    fc.assert(
      fc.property(between(-6, 6), (x) => {
        expect(normalDensity(x)).toBeCloseTo((normalCdf(x + 1e-4) - normalCdf(x - 1e-4)) / 2e-4, 7);
      }),
    );
  });

  it("has the textbook values", () => {
    expect(normalCdf(1.96)).toBeCloseTo(0.9750021048517795, 15);
    expect(normalQuantile(0.99)).toBeCloseTo(2.3263478740408408, 14);
    expect(normalDensity(0)).toBeCloseTo(0.3989422804014327, 15);
    expect([normalQuantile(0), normalQuantile(1), normalQuantile(0.5)]).toEqual([-Infinity, Infinity, 0]);
    expect(normalQuantile(1.1)).toBeNaN();
  });
});

describe("Student t distribution", () => {
  it("has a quantile that inverts its distribution function, odd about the median", () => {
    fc.assert(
      fc.property(probability, degrees, (p, nu) => {
        const quantile = studentTQuantile(p, nu);
        expect(Math.abs(studentTCdf(quantile, nu) - p)).toBeLessThanOrEqual(1e-12 * p + 1e-15);
        expect(studentTCdf(-quantile, nu) + studentTCdf(quantile, nu)).toBeCloseTo(1, 14);
      }),
    );
  });

  it("has a density that is the slope of its distribution function", () => {
    fc.assert(
      fc.property(between(-8, 8), degrees, (x, nu) => {
        const slope = (studentTCdf(x + 1e-4, nu) - studentTCdf(x - 1e-4, nu)) / 2e-4;
        expect(Math.exp(studentTLogDensity(x, nu))).toBeCloseTo(slope, 7);
      }),
    );
  });

  it("has variance one in its standardised form", () => {
    for (const nu of [2.6, 4, 9]) {
      const scale = Math.sqrt((nu - 2) / nu);
      expect(standardisedTQuantile(0.01, nu)).toBeCloseTo(scale * studentTQuantile(0.01, nu), 12);
      expect(standardisedTLogNormaliser(nu) - ((nu + 1) / 2) * Math.log1p(0.49 / (nu - 2))).toBeCloseTo(
        studentTLogDensity(0.7 / scale, nu) - Math.log(scale),
        12,
      );
    }
  });
});

describe.skipIf(!hasVectors)("Student t against R", () => {
  // No answer rests on a fitted or skewed t (tails are resampled): fit and skew are the oracle's, quantiles the product's.
  forEachVector("student_t_fit", (vector) => {
    const { series_csv, column } = vector.input as { series_csv: string; column: string };
    const fit = fitStudentT(loadColumn(series_csv, column));
    const quantile = (p: number): number => fit.location + fit.scale * studentTQuantile(p, fit.nu);

    expect(
      vectorMismatches(vector, {
        mu: fit.location,
        scale: fit.scale,
        nu: fit.nu,
        loglik: fit.logLikelihood,
        q01: quantile(0.01),
        q05: quantile(0.05),
        es01: studentTTailMean(fit, 0.01),
        es05: studentTTailMean(fit, 0.05),
      }),
    ).toEqual([]);
  });

  forEachVector("sstd_quantile", (vector) => {
    const { nu, xi, alpha } = vector.input as Record<"nu" | "xi" | "alpha", number[]>;
    const outer = (vector.expected["q"] as unknown[]).length;
    const q = nu.map((degree) => xi.map((skew) => alpha.map((p) => skewedTQuantile(p, degree, skew))));

    expect(outer).toBe(nu.length);
    expect(vectorMismatches(vector, { q })).toEqual([]);
  });

  forEachVector("std_t_quantile_es", (vector) => {
    const { nu, alpha } = vector.input as { nu: number[]; alpha: number[] };
    expect(
      vectorMismatches(vector, {
        q: nu.map((degree) => alpha.map((p) => standardisedTQuantile(p, degree))),
        es: nu.map((degree) => alpha.map((p) => standardisedTExpectedShortfall(p, degree))),
      }),
    ).toEqual([]);
  });
});
