import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillVariances,
  gaussianObjective,
  qlikeObjective,
  studentTObjective,
} from "../../../src/risk/volatility/garch-likelihood.ts";
import {
  anchored,
  coefficientsOf,
  longRunOf,
  priorPenalty,
  thetaOf,
} from "../../../src/risk/volatility/garch-parameters.ts";
import {
  gaussianLogLikelihoodByDefinition,
  qlikeByDefinition,
  studentLogLikelihoodByDefinition,
  variancesByDefinition,
} from "../../oracle/garch-by-definition.ts";

// Mutants caught when tried: sign of the asymmetry, product not reset after its logarithm, last product forgotten,
// (nu + 1) for (nu - 1), h updated before it is used, tanh for its inverse,
// own long run clamped after it is drawn to the window's, persistence taken from the guarded model.

const theta = fc
  .tuple(
    fc.double({ min: -3, max: 9, noNaN: true }),
    fc.double({ min: -3, max: 3, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -2, max: 2, noNaN: true }),
  )
  .map((values) => Float64Array.from(values));
const move = fc.double({ min: -8, max: 8, noNaN: true });
const news = fc.double({ min: 0, max: 60, noNaN: true });
const bars = fc.array(fc.tuple(move, news), { minLength: 1, maxLength: 400 });
const first = fc.double({ min: 1e-3, max: 1e3, noNaN: true });

function columns(rows: readonly (readonly [number, number])[]): [number[], number[]] {
  return [rows.map(([r]) => r), rows.map(([, x]) => x)];
}

describe("GARCH likelihoods", () => {
  it("equal their definitions, one logarithm a bar", () => {
    fc.assert(
      fc.property(theta, bars, first, fc.double({ min: 2.1, max: 60, noNaN: true }), (at, rows, h1, nu) => {
        const model = coefficientsOf(at);
        const [returns, ranges] = columns(rows);
        const [r, x] = [Float64Array.from(returns), Float64Array.from(ranges)];
        const variances = variancesByDefinition(model, returns, ranges, h1);
        const out = new Float64Array(r.length + 1);
        fillVariances(model, r, x, h1, out);
        variances.forEach((h, t) => expect(out[t]! / h).toBeCloseTo(1, 12));
        const close = (fast: number, slow: number): void =>
          expect(Math.abs(fast - slow)).toBeLessThanOrEqual(1e-10 * (r.length + Math.abs(slow)));
        close(gaussianObjective(model, r, x, h1), -gaussianLogLikelihoodByDefinition(returns, variances));
        close(qlikeObjective(model, r, x, h1), qlikeByDefinition(ranges, variances));
        close(
          studentTObjective(model, r, x, h1, nu),
          -studentLogLikelihoodByDefinition(returns, variances, nu),
        );
      }),
    );
  });

  it("are searched among stationary models only, and the search can start anywhere it may end", () => {
    fc.assert(
      fc.property(theta, (at) => {
        const model = coefficientsOf(at);
        expect(model.omega).toBeGreaterThan(0);
        expect(model.reaction).toBeGreaterThan(0);
        expect(model.beta).toBeGreaterThanOrEqual(0);
        expect(model.reaction + model.beta).toBeLessThan(1);
        expect(Math.abs(model.asymmetry)).toBeLessThan(1);
        thetaOf(model).forEach((value, i) => expect(value).toBeCloseTo(at[i]!, 6));
      }),
    );
  });

  it("are anchored inside the guards, around a long run near the window's, also where news take the persistence past 1", () => {
    fc.assert(
      fc.property(
        theta,
        fc.double({ min: 0.5, max: 3, noNaN: true }),
        fc.double({ min: -8, max: 2, noNaN: true }),
        (at, newsRatio, logWindow) => {
          const model = coefficientsOf(at);
          const window = Math.exp(logWindow);
          const safe = anchored({ ...model, reaction: model.reaction * newsRatio }, window);
          expect(safe.reaction).toBeGreaterThanOrEqual(0.01);
          expect(safe.reaction).toBeLessThanOrEqual(0.6);
          expect(safe.reaction + safe.beta).toBeLessThanOrEqual(0.9995 + 1e-12);
          expect(safe.beta).toBeGreaterThanOrEqual(0.3);
          expect(Math.abs(safe.asymmetry)).toBeLessThanOrEqual(0.5);
          expect(longRunOf(safe) / window).toBeGreaterThan(0.25 - 1e-9);
          expect(longRunOf(safe) / window).toBeLessThan(4 + 1e-9);
        },
      ),
    );
  });

  it("are anchored alike on both sides of a persistence of 1", () => {
    fc.assert(
      fc.property(theta, fc.double({ min: 0.05, max: 20, noNaN: true }), (at, window) => {
        const { omega, reaction, asymmetry } = coefficientsOf(at);
        const [below, above] = [1 - 1e-9, 1 + 1e-9].map((persistence) =>
          longRunOf(anchored({ omega, reaction, asymmetry, beta: persistence - reaction }, window)),
        );
        expect(above! / below!).toBeCloseTo(1, 5);
      }),
    );
  });
});

describe("priorPenalty", () => {
  it("is what a normal prior takes off the log-likelihood: a half for one spread, two for two", () => {
    const prior = { centre: [1, -1, 0, 0.5], spread: [2, 0.5, 1, 1] } as const;
    const at = (...theta: number[]): number => priorPenalty(Float64Array.from(theta), prior);

    expect(at(1, -1, 0, 0.5)).toBe(0);
    expect(at(3, -1, 0, 0.5)).toBe(0.5);
    expect(at(1, -2, 0, 0.5)).toBe(2);
    expect(at(-1, -0.5, 1, -0.5)).toBe(2);
  });
});
