import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binomialCdf, binomialSf, estimatedProbability } from "../../src/math/binomial.ts";
import { betaQuantile, regularizedIncompleteBeta } from "../../src/math/incomplete-beta.ts";
import { chiSquareSf, regularizedGammaUpper } from "../../src/math/incomplete-gamma.ts";
import { lnGamma } from "../../src/math/log-gamma.ts";
import { normalCdf, normalDensity } from "../../src/math/normal.ts";
import { studentTCdf, studentTQuantile } from "../../src/math/student-t.ts";

// Mutants killed: a success more or fewer, either end of the support left to the incomplete beta function, guards of the
// domain left out, an infinite or a slightly negative statistic passed on, too few terms for a large shape.

describe("binomial distribution", () => {
  it("is the sum of the probabilities of the successes, up to k and beyond it, for every k", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (n, p) => {
          const probabilities = probabilitiesOf(n, p);
          for (let k = -1; k <= n; k++) {
            const upTo = probabilities.slice(0, k + 1).reduce((sum, value) => sum + value, 0);
            const beyond = probabilities.slice(k + 1).reduceRight((sum, value) => sum + value, 0);
            expect(Math.abs(binomialCdf(k, n, p) - upTo)).toBeLessThanOrEqual(1e-12 * upTo);
            expect(Math.abs(binomialSf(k, n, p) - beyond)).toBeLessThanOrEqual(1e-12 * beyond);
          }
        },
      ),
    );
  });
});

describe("estimatedProbability", () => {
  it("counts half a success and one trial more than there were", () => {
    expect([0, 4, 9].map((successes) => estimatedProbability(successes, 9))).toEqual([0.05, 0.45, 0.95]);
  });
});

describe("betaQuantile", () => {
  it("has the probability below it, and is that of the power law", () => {
    const shape = fc.double({ min: 1, max: 1e4, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), shape, shape, (p, a, b) => {
        expect(regularizedIncompleteBeta(betaQuantile(p, a, b), a, b)).toBeCloseTo(p, 8);
      }),
    );
    expect(betaQuantile(0.025, 3, 1)).toBeCloseTo(0.025 ** (1 / 3), 12);
  });
});

describe("special functions", () => {
  it("have half of a symmetric beta distribution below ½, also of shapes that take thousands of terms", () => {
    for (const shape of [0.5, 1, 40, 1e5, 1e8]) {
      expect(regularizedIncompleteBeta(0.5, shape, shape)).toBeCloseTo(0.5, 10);
    }
  });

  it("have the normal density as the slope of the normal distribution function", () => {
    const step = 1e-4;
    for (const x of [-3, -1, 0, 0.5, 2]) {
      const slope = (normalCdf(x + step) - normalCdf(x - step)) / (2 * step);
      expect(normalDensity(x) / slope).toBeCloseTo(1, 7);
    }
  });

  it("reach their limits", () => {
    expect([regularizedIncompleteBeta(0, 2, 3), regularizedIncompleteBeta(1, 2, 3)]).toEqual([0, 1]);
    expect([regularizedGammaUpper(2, 0), regularizedGammaUpper(2, Infinity)]).toEqual([1, 0]);
    expect([studentTCdf(-Infinity, 3), studentTCdf(Infinity, 3)]).toEqual([0, 1]);
    expect([studentTQuantile(0, 3), studentTQuantile(1, 3)]).toEqual([-Infinity, Infinity]);
    // A statistic that should be 0 may be less by rounding; one of a model that is impossible is infinite.
    expect([chiSquareSf(-1e-17, 1), chiSquareSf(0, 1), chiSquareSf(Infinity, 1)]).toEqual([1, 1, 0]);
  });

  it("say outside their domain that they are no number", () => {
    const outside = {
      logGammaOfNothing: lnGamma(0),
      logGammaOfLess: lnGamma(-1.5),
      betaWithoutFirstShape: regularizedIncompleteBeta(0.5, 0, 1),
      betaOfNegativeShape: regularizedIncompleteBeta(0.5, 2, -0.5),
      betaBelow: regularizedIncompleteBeta(-0.1, 2, 3),
      betaAbove: regularizedIncompleteBeta(1.1, 2, 3),
      gammaWithoutShape: regularizedGammaUpper(0, 1),
      gammaOfNegativeShape: regularizedGammaUpper(-0.5, 1),
      gammaBelow: regularizedGammaUpper(2, -1),
      binomialOfTooLikely: binomialCdf(1, 2, 1.5),
      binomialBeyondTooLikely: binomialSf(1, 2, 1.5),
      studentOfNoDegree: studentTCdf(1, 0),
      studentOfNoNumber: studentTCdf(Number.NaN, 3),
      studentQuantileOfNoDegree: studentTQuantile(0.4, 0),
      studentQuantileAbove: studentTQuantile(1.1, 3),
    };
    for (const [name, value] of Object.entries(outside)) expect(value, name).toBeNaN();
  });
});

/** By Pascal's rule, a trial at a time. */
function probabilitiesOf(n: number, p: number): readonly number[] {
  let row = [1];
  for (let trial = 0; trial < n; trial++) {
    row = [...row, 0].map((value, k) => value * (1 - p) + (k > 0 ? row[k - 1]! * p : 0));
  }
  return row;
}
