import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillVariances,
  gaussianObjective,
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
  studentLogLikelihoodByDefinition,
  variancesByDefinition,
} from "../../oracle/garch-by-definition.ts";
import { between } from "../../support/arbitraries.ts";

// Mutants caught when tried: sign of the asymmetry, product not reset after its logarithm, last product forgotten,
// (nu + 1) for (nu - 1), h updated before it is used, tanh for its inverse,
// own long run clamped after it is drawn to the window's, persistence taken from the guarded model, β without its own
// guard, the largest persistence kept for the inverse, products of thousands of bars left to overflow or underflow.

const theta = fc
  .tuple(
    between(-3, 9),
    // Down to reactions that leave all room to β.
    between(-6, 3),
    between(-1, 1),
    between(-2, 2),
  )
  .map((values) => Float64Array.from(values));
const move = between(-8, 8);
const news = between(0, 60);
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
        close(
          studentTObjective(model, r, x, h1, nu),
          -studentLogLikelihoodByDefinition(returns, variances, nu),
        );
      }),
    );
  });

  it("equal them over thousands of bars, whose products are beyond the range of doubles", () => {
    for (const level of [0.02, 50]) {
      const model = { omega: 0.1 * level, reaction: 0.1, asymmetry: 0.2, beta: 0.8 };
      const returns = Array.from({ length: 3000 }, (_, t) => 3 * Math.sqrt(level) * Math.sin(7 * t));
      const ranges = returns.map((e) => e * e);
      const [r, x] = [Float64Array.from(returns), Float64Array.from(ranges)];
      const variances = variancesByDefinition(model, returns, ranges, level);
      const fast = [-gaussianObjective(model, r, x, level), -studentTObjective(model, r, x, level, 3)];
      const slow = [
        gaussianLogLikelihoodByDefinition(returns, variances),
        studentLogLikelihoodByDefinition(returns, variances, 3),
      ];
      fast.forEach((value, i) => expect(value / slow[i]!).toBeCloseTo(1, 10));
    }
  });

  it("are infinite where a variance is no longer a number of its own", () => {
    const model = { omega: 1, reaction: 0.5, asymmetry: 0, beta: 0.4 };
    const [r, x] = [Float64Array.of(1, 1, 1), Float64Array.of(1, Infinity, 1)];
    expect(gaussianObjective(model, r, x, 1)).toBe(Infinity);
    expect(studentTObjective(model, r, x, 1, 4)).toBe(Infinity);
    // A product of nothing has a logarithm below every other.
    expect(gaussianObjective(model, Float64Array.of(0), Float64Array.of(1), 0)).toBe(Infinity);
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
    // So far out that the persistence is its supremum to the last bit.
    expect(thetaOf(coefficientsOf(Float64Array.of(50, 0, 0, 0))).every(Number.isFinite)).toBe(true);
  });

  it("are anchored inside the guards, around a long run near the window's, also where news take the persistence past 1", () => {
    fc.assert(
      fc.property(
        theta,
        fc.double({ min: 0.5, max: 3, noNaN: true }),
        between(-8, 2),
        (at, newsRatio, logWindow) => {
          const model = coefficientsOf(at);
          const window = Math.exp(logWindow);
          const safe = anchored({ ...model, reaction: model.reaction * newsRatio }, window);
          expect(safe.reaction).toBeGreaterThanOrEqual(0.01);
          expect(safe.reaction).toBeLessThanOrEqual(0.6);
          expect(safe.reaction + safe.beta).toBeLessThanOrEqual(0.9995 + 1e-12);
          expect(safe.beta).toBeGreaterThanOrEqual(0.3);
          expect(safe.beta).toBeLessThanOrEqual(0.985);
          expect(Math.abs(safe.asymmetry)).toBeLessThanOrEqual(0.5);
          expect(longRunOf(safe) / window).toBeGreaterThan(0.25 - 1e-9);
          expect(longRunOf(safe) / window).toBeLessThan(4 + 1e-9);
        },
      ),
    );
  });

  it("are left alone inside the guards, β from 0.3 to 0.985 and reaction from 0.01 to 0.6", () => {
    const inside = fc
      .record({
        reaction: fc.double({ min: 0.01, max: 0.6, noNaN: true }),
        asymmetry: between(-0.5, 0.5),
        beta: fc.double({ min: 0.3, max: 0.985, noNaN: true }),
      })
      .filter(({ reaction, beta }) => reaction + beta <= 0.9995);
    fc.assert(
      fc.property(inside, (model) => {
        const omega = 1 - model.reaction - model.beta;
        expect(anchored({ omega, ...model }, 1)).toMatchObject(model);
      }),
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
