import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mean, meanSquare, populationVariance } from "../../src/math/moments.ts";
import { minimise, type MinimiserOptions } from "../../src/math/nelder-mead.ts";
import { nelderMeadTrace } from "../oracle/nelder-mead.ts";
import { between } from "../support/arbitraries.ts";

// Mutants killed: expansion as far as the reflection, shrinking outward, contraction on the worse side, the worst counted
// as the second worst or in the centre, restarts on a simplex of no extent or although the last one gained nothing, a NaN
// kept as it is, infinity taken for a minimum.

const coordinate = between(-20, 20);

/** The point found, what the objective is there, and how often it was asked. */
function search(
  objective: (at: Float64Array) => number,
  start: Float64Array,
  options: MinimiserOptions,
): { readonly at: Float64Array; readonly value: number; readonly evaluations: number } {
  let evaluations = 0;
  const counted = (at: Float64Array): number => {
    evaluations++;
    return objective(at);
  };
  const at = minimise(counted, start, options);
  return { at, value: objective(at), evaluations };
}

describe("Nelder-Mead", () => {
  const options = { steps: [1, 1], evaluationsMax: 4000, tolerance: 1e-14, restarts: 2 };

  it("finds the bottom of any bowl from anywhere", () => {
    fc.assert(
      fc.property(coordinate, coordinate, coordinate, coordinate, (a, b, x, y) => {
        const found = search(
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
    const found = search(rosenbrock, Float64Array.of(-1.2, 1), options);
    expect(found.at[0]).toBeCloseTo(1, 5);
    expect(found.at[1]).toBeCloseTo(1, 5);
  });

  it("stays in its budget and still returns the best point seen", () => {
    let best = Infinity;
    const objective = (at: Float64Array): number => {
      const value = Math.abs(at[0]! - 1e6) + Math.abs(at[1]!);
      best = Math.min(best, value);
      return value;
    };
    const found = search(objective, Float64Array.of(0, 0), { ...options, evaluationsMax: 30 });
    expect(found.evaluations).toBeGreaterThanOrEqual(30);
    // One step may finish with a shrink: dimension + 2 evaluations past the limit.
    expect(found.evaluations).toBeLessThanOrEqual(30 + 4);
    expect(found.value).toBe(best);
  });

  it("evaluates the points that its source evaluates, in its order", () => {
    const edge = fc.double({ min: 0.3, max: 2, noNaN: true });
    const place = fc.tuple(coordinate, coordinate, coordinate);
    fc.assert(
      fc.property(place, fc.tuple(edge, edge, edge), fc.constantFrom(0, 3), (start, steps, roughness) => {
        const seen: number[][] = [];
        const rugged = (at: ArrayLike<number>): number =>
          Array.from(at).reduce((sum, x, d) => sum + (d + 1) * x * x + roughness * Math.sin(7 * x), 0);

        minimise(
          (at) => {
            seen.push([...at]);
            return rugged(at);
          },
          Float64Array.from(start),
          { steps, evaluationsMax: 80, tolerance: 0, restarts: 0 },
        );

        // Rounding of the centre grows from step to step, so that only so many can be compared.
        const traced = nelderMeadTrace(rugged, start, steps, 60).slice(0, 60);
        traced.forEach((at, i) => at.forEach((x, d) => expect(seen[i]![d]).toBeCloseTo(x, 6)));
      }),
    );
  });

  it("leaves a point where its simplex collapsed without a minimum by a fresh simplex", () => {
    // McKinnon, SIAM J. Optim. 9 (1998): from these vertices it contracts for ever toward 0, which is no minimum.
    const [a, b] = [(1 + Math.sqrt(33)) / 8, (1 - Math.sqrt(33)) / 8];
    const mcKinnon = (at: Float64Array): number => {
      const x = 1 - at[0]! + (a - 1) * at[1]!;
      const y = 1 - at[0]! + (b - 1) * at[1]!;
      return (x < 0 ? 360 : 6) * x * x + y + y * y;
    };
    const from = Float64Array.of(0, 0);

    const once = search(mcKinnon, from, { ...options, restarts: 0 });
    const again = search(mcKinnon, from, { ...options, restarts: 3 });

    expect(once.value).toBeCloseTo(0, 6);
    expect(again.value).toBeCloseTo(-0.25, 6);
  });

  it("tries no further simplexes when one gained nothing", () => {
    const bowl = (at: Float64Array): number => at[0]! ** 2 + at[1]! ** 2;
    const effort = (restarts: number): number =>
      search(bowl, Float64Array.of(3, 4), { ...options, restarts }).evaluations;

    expect(effort(1)).toBeGreaterThan(effort(0));
    expect(effort(50)).toBe(effort(1));
  });

  it("takes what is infinite everywhere for no minimum", () => {
    const found = search(() => Number.NaN, Float64Array.of(3, 4), options);

    // Nor for one to try further simplexes around.
    expect(found.evaluations).toBe(3);
  });

  it("walks around points where the objective is not a number", () => {
    const found = search((at) => (at[0]! < 0.5 ? Number.NaN : at[0]! ** 2), Float64Array.of(3), {
      ...options,
      steps: [1],
    });
    expect(found.at[0]).toBeCloseTo(0.5, 4);
    const inside = search((at) => (at[0]! < 0.5 ? Number.NaN : at[0]! ** 2), Float64Array.of(0.2), {
      ...options,
      steps: [1],
    });
    expect(inside.at[0]).toBeCloseTo(0.5, 4);
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
