import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kendallTau } from "../../src/math/kendall-tau.ts";
import { createRandom } from "../../src/math/random.ts";
import { rankSeries } from "../../src/math/ranks.ts";
import {
  buildRankQuantiles,
  copulaMargin,
  fitTCopulaNu,
  tCopulaLogLikelihood,
  tCopulaTailDependence,
} from "../../src/math/t-copula.ts";
import {
  empiricalTails,
  rankResiduals,
  tailDependence,
} from "../../src/risk/portfolio/dependence/tail-dependence.ts";
import { kendallTauByPairs } from "../oracle/kendall-tau.ts";
import { fitTCopulaByLikelihood, fitTCopulaOfMany } from "../oracle/t-copula-estimators.ts";
import { hasVectors } from "../support/shared-data.ts";
import { loadColumn, loadSeries, forEachVector, vectorMismatches } from "../support/vectors.ts";

// Mutants killed: tau-a instead of tau-b, tied values of x entering one by one, pairs tied in
// both not counted, nodes of the tree left in one by one, min ranks for ties, u = rank/n, marginal term with the
// wrong sign, parabola in ν instead of 1/ν, λ with ν instead of ν + 1, upper tail counted with >=.

interface FitInput {
  readonly a?: string;
  readonly b?: string;
  readonly csv?: string;
  readonly transform: string;
  readonly columns?: readonly [string, string];
}

describe.skipIf(!hasVectors)("t copula oracles", () => {
  forEachVector("t_copula_fit", (vector) => {
    const [a, b] = pairOf(vector.input as unknown as FitInput);
    const table = buildRankQuantiles(a.length, [2.1, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 15, 20, 30, 50]);
    const first = rankResiduals(a, table);
    const second = rankResiduals(b, table);
    const rho = Math.sin((Math.PI * kendallTau(first, second)) / 2);

    const nu = fitTCopulaNu(first, second, rho, table);
    const dependence = tailDependence(first, second, table)!;
    const logLikelihoodAt = (atRho: number, nu: number): number => {
      const at = buildRankQuantiles(a.length, [nu]);
      const [marginA, marginB] = [copulaMargin(first.ranks, at), copulaMargin(second.ranks, at)];
      return tCopulaLogLikelihood(marginA, marginB, atRho, at, 0);
    };
    // The service inverts tau and fits nu; the full likelihood in both is the oracle's.
    const full = fitTCopulaByLikelihood(a, b, { rho, nu });

    expect(
      vectorMismatches(vector, {
        pearson: dependence.pearsonRho,
        kendall_tau: kendallTau(first, second),
        rho_tau_inversion: rho,
        nu_given_rho_tau: nu,
        lambda_itau: tCopulaTailDependence(rho, nu),
        loglik_itau: logLikelihoodAt(rho, nu),
        rho_mpl: full.rho,
        nu_mpl: full.nu,
        loglik_mpl: full.logLikelihood,
        lambda_mpl: tCopulaTailDependence(full.rho, full.nu),
      }),
    ).toEqual([]);
    const at = vector.expected["loglik_at"] as { rho: number; nu: number }[];
    const tails = vector.expected["empirical_tail"] as { q: number }[];
    expect(
      vectorMismatches(vector, {
        loglik_at: at.map((point) => ({ ...point, ll: logLikelihoodAt(point.rho, point.nu) })),
        empirical_tail: tails.map(({ q }) => ({ q, ...empiricalTails(first.ranks, second.ranks, q) })),
      }),
    ).toEqual([]);
  });

  forEachVector("t_copula_fit_d", (vector) => {
    const { csv, columns } = vector.input as { csv: string; columns: string[] };
    const { rhos, nu } = fitTCopulaOfMany(columns.map((column) => loadColumn(csv, column)));
    const order = columns.flatMap((_, i) => columns.slice(i + 1).map((_, j) => `${i + 1}${i + j + 2}`));

    expect(vectorMismatches(vector, { rho_upper: rhos, nu, order: order.join(",") })).toEqual([]);
  });

  forEachVector("t_copula_lambda", (vector) => {
    const { rho, nu } = vector.input as { rho: number[]; nu: number[] };

    const lambda = rho.map((value, i) => tCopulaTailDependence(value, nu[i]!));

    expect(vectorMismatches(vector, { lambda })).toEqual([]);
  });
});

describe("fitTCopulaNu", () => {
  it("is the end of its grid for tails thinner or fatter than those of any ν on it", () => {
    const n = 1500;
    const table = buildRankQuantiles(n);
    const nuOf = (spread: (chi: number) => number): number => {
      const random = createRandom(12);
      const draws = Array.from({ length: n }, () => {
        const common = spread(random.normal() ** 2);
        return [random.normal() / common, random.normal() / common] as const;
      });
      const [a, b] = [0, 1].map((side) =>
        rankResiduals(
          draws.map((pair) => pair[side]!),
          table,
        ),
      );
      return fitTCopulaNu(a!, b!, 0, table);
    };

    // A common divisor that does not vary makes normals, a χ² of one degree the t with ν = 1.
    expect(nuOf(() => 1)).toBe(50);
    expect(nuOf((chi) => Math.sqrt(chi))).toBe(2.1);
  });
});

describe("kendallTau", () => {
  it("equals counting every pair, ties and all", () => {
    const value = fc.integer({ min: -6, max: 6 });
    const pairs = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(pairs, (points) => {
        const x = points.map((point) => point[0]);
        const y = points.map((point) => point[1]);
        const wanted = kendallTauByPairs(x, y);
        const tau = kendallTau(rankSeries(x), rankSeries(y));
        if (Number.isNaN(wanted)) expect(tau).toBeNaN();
        else expect(tau).toBeCloseTo(wanted, 12);
      }),
    );
  });
});

describe("rankSeries", () => {
  it("gives twice the average rank less two, the order, and the ties", () => {
    const { ranks, order, tiedPairs } = rankSeries([30, 10, 20, 20]);
    expect(Array.from(ranks)).toEqual([6, 0, 3, 3]);
    expect(Array.from(order)).toEqual([1, 2, 3, 0]);
    expect(tiedPairs).toBe(1);
  });

  it("is what counting the smaller and the equal values gives", () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, Infinity));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), (values) => {
        const { ranks, order } = rankSeries(values);
        const smaller = values.map((own) => values.filter((other) => other < own).length);
        const equal = values.map((own) => values.filter((other) => other === own).length);
        expect(Array.from(ranks)).toEqual(values.map((_, i) => 2 * smaller[i]! + equal[i]! - 1));
        expect(Array.from(order).sort((a, b) => a - b)).toEqual(values.map((_, i) => i));
        const inOrder = Array.from(order, (place) => values[place]! + 0);
        expect(inOrder).toEqual(values.map((own) => own + 0).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      }),
    );
  });
});

function pairOf(input: FitInput): readonly [Float64Array, Float64Array] {
  const isDevolatilised = input.transform === "devolatilised";
  if (input.csv !== undefined) {
    const [a, b] = input.columns!;
    return [loadColumn(input.csv, a), loadColumn(input.csv, b)];
  }
  const first = loadSeries(input.a!);
  const second = loadSeries(input.b!);
  const places = new Map(second["ts"]!.map((ts, i) => [ts, i]));
  const a: number[] = [];
  const b: number[] = [];
  first["ts"]!.forEach((ts, i) => {
    const j = places.get(ts);
    if (j === undefined) return;
    a.push(Number(first["r"]![i]));
    b.push(Number(second["r"]![j]));
  });
  const of = (values: number[]): Float64Array =>
    isDevolatilised ? devolatilised(values) : Float64Array.from(values);
  return [of(a), of(b)];
}

function devolatilised(returns: readonly number[]): Float64Array {
  let h = returns.slice(0, 200).reduce((sum, r) => sum + r * r, 0) / 200;
  const z = returns.map((r) => {
    const value = r / Math.sqrt(h);
    h = 0.97 * h + 0.03 * r * r;
    return value;
  });
  return Float64Array.from(z.slice(200));
}
