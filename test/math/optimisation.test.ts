import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mean, meanSquare, populationVariance } from "../../src/math/moments.ts";
import { minimise } from "../../src/math/nelder-mead.ts";

const coordinate = fc.double({ min: -20, max: 20, noNaN: true });

describe("Nelder-Mead", () => {
  const options = { steps: [1, 1], evaluationsMax: 4000, tolerance: 1e-14, restarts: 2 };

  it("finds the bottom of any bowl from anywhere", () => {
    fc.assert(
      fc.property(coordinate, coordinate, coordinate, coordinate, (a, b, x, y) => {
        const found = minimise(
          (at) => (at[0]! - a) ** 2 + 3 * (at[1]! - b) ** 2 + 5,
          Float64Array.of(x, y),
          options,
        );
        expect(found.evaluations).toBeLessThan(options.evaluationsMax);
        expect(found.value).toBeCloseTo(5, 10);
        expect(found.at[0]).toBeCloseTo(a, 4);
        expect(found.at[1]).toBeCloseTo(b, 4);
      }),
    );
  });

  it("follows Rosenbrock's valley to its end", () => {
    const rosenbrock = (at: Float64Array): number => (1 - at[0]!) ** 2 + 100 * (at[1]! - at[0]! ** 2) ** 2;
    const found = minimise(rosenbrock, Float64Array.of(-1.2, 1), options);
    expect(found.at[0]).toBeCloseTo(1, 5);
    expect(found.at[1]).toBeCloseTo(1, 5);
  });

  it("stays in its budget, says that it did not converge, and still returns the best point seen", () => {
    let best = Infinity;
    const objective = (at: Float64Array): number => {
      const value = Math.abs(at[0]! - 1e6) + Math.abs(at[1]!);
      best = Math.min(best, value);
      return value;
    };
    const found = minimise(objective, Float64Array.of(0, 0), { ...options, evaluationsMax: 30 });
    expect(found.evaluations).toBeGreaterThanOrEqual(30);
    // One step may finish with a shrink: dimension + 2 evaluations past the limit.
    expect(found.evaluations).toBeLessThanOrEqual(30 + 4);
    expect(found.value).toBe(best);
  });

  it("walks around points where the objective is not a number", () => {
    const found = minimise((at) => (at[0]! < 0.5 ? Number.NaN : at[0]! ** 2), Float64Array.of(3), {
      ...options,
      steps: [1],
    });
    expect(found.at[0]).toBeCloseTo(0.5, 4);
  });
});

describe("moments", () => {
  it("are those of a small sample by hand", () => {
    const sample = Float64Array.of(1, 2, 3, 6);
    expect(mean(sample)).toBe(3);
    expect(meanSquare(sample)).toBe(12.5);
    expect(populationVariance(sample)).toBe(3.5);
  });
});
