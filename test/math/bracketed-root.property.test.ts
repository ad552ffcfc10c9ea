import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lowerEndOfRoot } from "../../src/math/bracketed-root.ts";
import { between, magnitude } from "../support/arbitraries.ts";

// Mutants killed: the upper end given; the bound on the distance to the middle left out, halved or not shrunk; the secant
// through the first values for ever; no pull to the middle.

const WIDTH = 1e-3;

describe("lowerEndOfRoot", () => {
  it("ends within the width below a point beyond the root, in one evaluation more than bisection, whatever the function", () => {
    const step = fc.record({ at: between(0, 20), height: between(-50, 50) });
    fc.assert(
      fc.property(
        between(0, 5),
        magnitude(0.01, 20),
        magnitude(1e-6, 50),
        magnitude(1e-6, 50),
        fc.array(step, { maxLength: 6 }),
        between(-3, 3),
        (low, length, below, above, steps, slope) => {
          const high = low + length;
          const evaluated: number[] = [];
          const valueOf = (x: number): number =>
            steps.reduce((sum, { at, height }) => sum + (x > at ? height : 0), slope * (x - low));
          const valueAt = (x: number): number => {
            expect(x).toBeGreaterThan(low);
            expect(x).toBeLessThan(high);
            evaluated.push(x);
            return valueOf(x);
          };

          const found = lowerEndOfRoot({ low, high, valueLow: -below, valueHigh: above }, WIDTH, valueAt);

          const halvings = Math.max(0, Math.ceil(Math.log2(length / WIDTH)));
          expect(evaluated.length).toBeLessThanOrEqual(halvings + 1);
          expect(found === low || valueOf(found) <= 0).toBe(true);
          const beyond = [high, ...evaluated].filter((x) => x > found && (x === high || valueOf(x) > 0));
          expect(Math.min(...beyond) - found).toBeLessThanOrEqual(WIDTH);
        },
      ),
    );
  });

  it("counts a value of 0 to the lower side", () => {
    const bracket = { low: 0, high: 20, valueLow: 0, valueHigh: 30 };
    const found = lowerEndOfRoot(bracket, WIDTH, (x) => (x <= 10 ? 0 : 30));
    expect(found).toBeGreaterThanOrEqual(10 - WIDTH);
    expect(found).toBeLessThanOrEqual(10);
  });

  it("takes half of bisection's evaluations, or fewer, where the function is smooth", () => {
    const smooth: readonly ((x: number) => number)[] = [
      (x) => 4 * x - 43,
      (x) => 100 / (1 + Math.exp(11 - x)) - 40,
      (x) => Math.min(100, 20 + Math.exp(x) / 2e4) - 70,
      (x) => Math.min(100, 10 + 60 * Math.sqrt(Math.exp(x) / 3e5)) - 70,
    ];
    for (const valueOf of smooth) {
      const [low, high] = [Math.log(10), Math.log(5e7)];
      let evaluations = 0;
      const bracket = { low, high, valueLow: valueOf(low), valueHigh: valueOf(high) };
      const found = lowerEndOfRoot(bracket, WIDTH, (x) => {
        evaluations++;
        return valueOf(x);
      });
      expect(valueOf(found)).toBeLessThanOrEqual(0);
      expect(valueOf(found + WIDTH)).toBeGreaterThan(0);
      expect(evaluations).toBeLessThanOrEqual(7);
    }
  });
});
