import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ResidualPool } from "../../../src/risk/scenarios/residual-pool.ts";
import { stationaryRecursion } from "../../../src/risk/scenarios/stationary-recursion.ts";
import {
  persistenceOf,
  varianceNext,
  type HexpRecursion,
  omegaOf,
  type ScalarVarianceRecursion,
} from "../../../src/risk/volatility/variance-recursion.ts";
import { between, magnitude } from "../../support/arbitraries.ts";
import { poolOf } from "../../support/scenarios.ts";

// Mutants killed: gamma counted in full, or left when alpha is cut, EWMA cut to the others' limit, or not at all, or in its
// memory, z² and ξ exchanged, leverage or weights of HExp left, a reaction below nothing.

/** Every hour once as a rise and once as a fall, so that neither is likelier. */
const pool = fc
  .array(fc.tuple(magnitude(0.3, 4), magnitude(0.3, 4)), { minLength: 1, maxLength: 20 })
  .map((hours) =>
    poolOf(
      hours.flatMap(([z]) => [z, -z]),
      { rangeRatio: hours.flatMap(([, ratio]) => [ratio, ratio]) },
    ),
  );
const share = fc.double({ min: 0.01, max: 0.6, noNaN: true });
const memory = fc.double({ min: 0.3, max: 0.9999, noNaN: true });
const tilt = between(-0.5, 0.5);

describe("stationaryRecursion", () => {
  const scalar: fc.Arbitrary<ScalarVarianceRecursion> = fc.oneof(
    fc.tuple(share, tilt, memory).map(([alpha, asymmetry, beta]) => ({
      kind: "range-garch" as const,
      omega: 1e-6,
      alpha,
      asymmetry,
      beta,
    })),
    fc
      .tuple(share, share, memory)
      .map(([alpha, gamma, beta]) => ({ kind: "gjr-garch" as const, omega: 1e-6, alpha, gamma, beta })),
    memory.map((decay) => ({ kind: "ewma" as const, decay })),
  );

  it("lets no mean of the pool's hours grow the variance, and cuts no more of it than needed", () => {
    fc.assert(
      fc.property(scalar, pool, (recursion, hours) => {
        const limit = recursion.kind === "ewma" ? 1 : 0.9995;
        const kept = recursion.kind === "ewma" ? recursion.decay : recursion.beta;

        const cut = stationaryRecursion(recursion, hours) as ScalarVarianceRecursion;

        const growth = meanGrowth(recursion, hours);
        if (growth < limit - 1e-9) expect(cut).toBe(recursion);
        // What it remembers is never cut, even where that alone is beyond the limit.
        if (growth > limit) expect(meanGrowth(cut, hours)).toBeCloseTo(Math.max(limit, kept), 10);
        expect(omegaOf(cut)).toBe(omegaOf(recursion));
      }),
    );
  });

  it("cuts the reactions to rises and to falls alike", () => {
    fc.assert(
      fc.property(scalar, pool, (recursion, hours) => {
        const cut = stationaryRecursion(recursion, hours) as ScalarVarianceRecursion;

        const tiltOf = (of: ScalarVarianceRecursion): number => {
          const reaction = (z: number): number => varianceNext(of, 1, z, 1) - varianceNext(of, 1, 0, 0);
          return reaction(-1) / (reaction(1) + reaction(-1));
        };
        // Of a reaction of nothing there is no share.
        if (meanGrowth(cut, hours) > 0.9996 && recursion.kind !== "ewma") return;
        expect(tiltOf(cut)).toBeCloseTo(tiltOf(recursion), 6);
      }),
    );
  });

  it("brings all that HExp comes back as to the limit, in proportion", () => {
    const hexp: fc.Arbitrary<HexpRecursion> = fc
      .tuple(fc.array(share, { minLength: 2, maxLength: 2 }), share)
      .map(([weights, leverage]) => ({
        kind: "hexp",
        baseVarianceStep: 1e-6,
        decays: [0.7, 0.97],
        weights,
        leverage,
      }));
    fc.assert(
      fc.property(hexp, pool, (recursion, hours) => {
        const ratio = meanRatio(hours);

        const cut = stationaryRecursion(recursion, hours) as HexpRecursion;

        const mass = persistenceOf(recursion) * ratio;
        if (mass < 0.9995 - 1e-9) expect(cut).toBe(recursion);
        if (mass > 0.9995) expect(persistenceOf(cut) * ratio).toBeCloseTo(0.9995, 10);
        const [first, second] = cut.weights as [number, number];
        expect(first / second).toBeCloseTo(recursion.weights[0]! / recursion.weights[1]!, 9);
        expect(cut.leverage / first).toBeCloseTo(recursion.leverage / recursion.weights[0]!, 9);
        expect([cut.decays, cut.baseVarianceStep]).toEqual([recursion.decays, recursion.baseVarianceStep]);
      }),
    );
  });
});

/** What the recursion makes of a variance of 1, on average over the hours, less its constant. */
function meanGrowth(recursion: ScalarVarianceRecursion, { tuples, windowHours }: ResidualPool): number {
  let sum = 0;
  for (let at = 0; at < tuples.length; at += 4) {
    sum += varianceNext(recursion, 1, tuples[at]!, tuples[at + 3]!) - omegaOf(recursion);
  }
  return sum / windowHours;
}

function meanRatio({ tuples, windowHours }: ResidualPool): number {
  let sum = 0;
  for (let at = 0; at < tuples.length; at += 4) sum += tuples[at + 3]!;
  return sum / windowHours;
}
