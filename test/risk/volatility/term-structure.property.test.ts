import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cumulativeVariance,
  guardedLongRunVariance,
  halfLifeHours,
} from "../../../src/risk/volatility/term-structure.ts";
import { between } from "../../support/arbitraries.ts";

// Mutants caught when tried: horizon off by one, series sign, near-unit branch threshold at 10, ω counted from step 1,
// clamp left out of the guard, or wider on either side, its weight spread over a tenth of persistence.

const variance = fc.double({ min: 1e-8, max: 1e-2, noNaN: true });
/** Persistences of which many lie so near 1 that the closed form would cancel. */
const persistence = fc
  .tuple(fc.double({ min: 0.5, max: 12, noNaN: true }), fc.boolean())
  .map(([digits, isUnit]) => (isUnit ? 1 : 1 - 10 ** -digits));

describe("variance term structure", () => {
  it("is the sum of the expected steps, for every persistence up to one", () => {
    fc.assert(
      fc.property(variance, variance, persistence, fc.integer({ min: 1, max: 400 }), (h, omega, p, hours) => {
        let [sum, step] = [0, h];
        for (let k = 0; k < hours; k++) {
          sum += step;
          step = omega + p * step;
        }
        expect(cumulativeVariance(h, omega, p, hours) / sum).toBeCloseTo(1, 9);
      }),
    );
  });

  it("counts a persistence above one as one", () => {
    expect(cumulativeVariance(2, 1, 1.0000005, 10)).toBe(cumulativeVariance(2, 1, 1, 10));
    expect(cumulativeVariance(2, 1, 1, 10)).toBe(20 + 45);
  });

  it("halves a shock in its half-life", () => {
    expect(0.985 ** halfLifeHours(0.985)).toBeCloseTo(0.5, 12);
    expect(halfLifeHours(1)).toBe(Infinity);
  });

  it("publishes a long run within four times the window's variance, its own where that is identified", () => {
    const ownOverWindow = fc.double({ min: 0.1, max: 10, noNaN: true });
    const persistence = fc.oneof(between(0, 0.99), fc.double({ min: 0.99, max: 1.2, noNaN: true }));
    fc.assert(
      fc.property(variance, ownOverWindow, persistence, (window, ratio, p) => {
        const guarded = guardedLongRunVariance(ratio * window * Math.abs(1 - p), p, window);
        const own = p < 1 ? Math.min(4, Math.max(0.25, ratio)) : 1;
        // From a persistence of 0.99 on, the less it is identified the more of it is the window's.
        const share = Math.min(1, Math.max(0, (1 - p) / 0.01));
        expect(guarded / window).toBeCloseTo(share * own + (1 - share), 9);
        if (p >= 1) expect(guarded).toBe(window);
      }),
    );
  });
});
