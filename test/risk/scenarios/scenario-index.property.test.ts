import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildScenarioIndex } from "../../../src/risk/scenarios/scenario-index.ts";

// Mutants killed: one permutation for all steps, draws with replacement, blocks that shift the first one.

describe("buildScenarioIndex", () => {
  const window = fc.integer({ min: 2, max: 60 });

  it("uses every hour exactly once per step and block", () => {
    fc.assert(
      fc.property(fc.nat(), window, (seed, hours) => {
        const index = buildScenarioIndex(seed, hours, 2 * hours, 5);
        for (const first of [0, hours]) {
          for (let step = 0; step < 5; step++) {
            const used = Array.from({ length: hours }, (_, i) => index.hours[(first + i) * 5 + step]!);
            expect(used.sort((a, b) => a - b)).toEqual(Array.from({ length: hours }, (_, i) => i));
          }
        }
      }),
    );
  });

  it("begins with the same scenarios however many follow, and differs by seed and step", () => {
    const short = buildScenarioIndex(7, 50, 50, 4);
    const long = buildScenarioIndex(7, 50, 200, 4);
    const other = buildScenarioIndex(8, 50, 50, 4);
    const column = (step: number): number[] =>
      Array.from({ length: 50 }, (_, i) => short.hours[i * 4 + step]!);

    expect(long.hours.subarray(0, 200)).toEqual(short.hours);
    expect(other.hours).not.toEqual(short.hours);
    expect(column(0)).not.toEqual(column(1));
  });
});
