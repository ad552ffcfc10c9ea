import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankSeries } from "../../../../src/math/ranks.ts";
import { createRandom } from "../../../../src/math/random.ts";
import { buildRankQuantiles, tCopulaTailDependence } from "../../../../src/math/t-copula.ts";
import {
  empiricalTails,
  type RankedResiduals,
  rankResiduals,
  tailDependence,
} from "../../../../src/risk/portfolio/dependence/tail-dependence.ts";
import { between } from "../../../support/arbitraries.ts";

// Mutants killed: lower and upper swapped, λ not averaged, copula ρ reported as Pearson's, 2/π for π/2.

const HOURS = 400;
const table = buildRankQuantiles(HOURS);
const ranked = (series: Float64Array): RankedResiduals => rankResiduals(series, table);

describe("tailDependence", () => {
  const rho = between(-0.9, 0.95);

  it("lies in [0, 1] and does not care which asset comes first", () => {
    fc.assert(
      fc.property(fc.nat(), rho, (seed, correlation) => {
        const [a, b] = pairOf(seed, correlation).map(ranked);
        const forth = tailDependence(a!, b!, table)!;
        const back = tailDependence(b!, a!, table)!;
        for (const value of [forth.lowerTailLambda, forth.upperTailLambda]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
        for (const name of ["lowerTailLambda", "upperTailLambda", "degreesOfFreedom"] as const) {
          expect(back[name]).toBeCloseTo(forth[name], 9);
        }
        expect(forth.degreesOfFreedom).toBeGreaterThanOrEqual(2.1);
        expect(forth.degreesOfFreedom).toBeLessThanOrEqual(50);
      }),
      { numRuns: 60 },
    );
  });

  it("sees falls that come together and rises that do not", () => {
    const random = createRandom(3);
    const a = new Float64Array(HOURS);
    const b = new Float64Array(HOURS);
    for (let hour = 0; hour < HOURS; hour++) {
      const crash = hour % 20 === 0 ? -5 - random.uniform() : 0;
      a[hour] = crash + random.normal();
      b[hour] = crash + random.normal();
    }
    const { lowerTailLambda, upperTailLambda } = tailDependence(ranked(a), ranked(b), table)!;
    expect(lowerTailLambda).toBeGreaterThan(upperTailLambda + 0.3);
  });

  it("counts u <= q below and u > 1 − q above, as the definitions have it", () => {
    const { ranks } = rankSeries(Array.from({ length: 19 }, (_, i) => i));
    expect(empiricalTails(ranks, ranks, 0.05)).toEqual({ lower: 1 / (19 * 0.05), upper: 0 });
  });

  it("mirrors its tails when both series are mirrored", () => {
    const [a, b] = pairOf(8, 0.5);
    const straight = tailDependence(ranked(a), ranked(b), table)!;
    const mirrored = tailDependence(ranked(a.map((z) => -z)), ranked(b.map((z) => -z)), table)!;
    expect(mirrored.lowerTailLambda).toBeCloseTo(straight.upperTailLambda, 9);
    expect(mirrored.pearsonRho).toBeCloseTo(straight.pearsonRho, 12);
  });

  it("is certain for an asset with itself, and unknown for one that never moved", () => {
    const [a] = pairOf(1, 0);
    const own = ranked(a);
    const same = tailDependence(own, own, table)!;
    expect(same.lowerTailLambda).toBeGreaterThan(0.95);
    expect(same.pearsonRho).toBeCloseTo(1, 12);
    expect(tailDependence(own, ranked(new Float64Array(HOURS)), table)).toBeNull();
  });
});

describe("tCopulaTailDependence", () => {
  const nu = fc.double({ min: 2.1, max: 50, noNaN: true });
  const rho = between(-0.99, 0.99);

  it("rises with ρ, falls with ν, is 1 at ρ = 1", () => {
    fc.assert(
      fc.property(rho, rho, nu, nu, (a, b, m, n) => {
        const slack = 1e-12;
        expect(tCopulaTailDependence(Math.max(a, b), n)).toBeGreaterThanOrEqual(
          tCopulaTailDependence(Math.min(a, b), n) - slack,
        );
        expect(tCopulaTailDependence(a, Math.max(m, n))).toBeLessThanOrEqual(
          tCopulaTailDependence(a, Math.min(m, n)) + slack,
        );
        expect(tCopulaTailDependence(1, n)).toBe(1);
      }),
    );
  });
});

function pairOf(seed: number, correlation: number): readonly [Float64Array, Float64Array] {
  const random = createRandom(seed);
  const a = new Float64Array(HOURS);
  const b = new Float64Array(HOURS);
  for (let hour = 0; hour < HOURS; hour++) {
    a[hour] = random.normal();
    b[hour] = correlation * a[hour]! + Math.sqrt(1 - correlation * correlation) * random.normal();
  }
  return [a, b];
}
