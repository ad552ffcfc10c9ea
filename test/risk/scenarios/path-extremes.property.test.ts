import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import {
  buildPathExtremes,
  rescaleExtremes,
  touchProbability,
} from "../../../src/risk/scenarios/path-extremes.ts";

// Mutants killed: > for >=, long read from the top of the lows, thinned ranks off by one stride, no smoothing, ratio
// multiplied instead of divided, a probability above certainty, one rescaling forgotten by the next.

describe("touchProbability", () => {
  const direction = fc.constantFrom(1 as const, -1 as const);
  // Evenly spread: fc.double would give mostly distances next to 0.
  const distance = fc.integer({ min: 0, max: 40_000 }).map((steps) => steps / 10_000);

  it("counts the paths that went that far, exactly in the deep tail", () => {
    fc.assert(
      fc.property(fc.nat(), direction, fc.nat({ max: 16_383 }), (seed, side, path) => {
        const excursions = drawExcursions(seed, 16_384, side);
        // A barrier that one of the paths just reaches.
        const logDistance = -side * excursions[path]!;
        const hits = excursions.filter((value) => -side * value >= logDistance).length;

        const extremes = buildPathExtremes(excursions.slice(), side);
        const counted = touchProbability(extremes, logDistance) * 16_385 - 0.5;

        expect(Math.abs(counted - hits)).toBeLessThanOrEqual(hits < 1024 ? 1e-6 : 2.5);
      }),
      { numRuns: 40 },
    );
  });

  it("counts every path at no distance, also those behind the last that is kept", () => {
    for (const paths of [1023, 1025, 4097, 6000]) {
      const extremes = buildPathExtremes(drawExcursions(paths, paths, 1), 1);
      expect(touchProbability(extremes, 0)).toBeCloseTo((paths + 0.5) / (paths + 1), 12);
    }
  });

  it("is no more than certain where every path went further than that", () => {
    for (const paths of [500, 4097, 16_384]) {
      const extremes = buildPathExtremes(new Float32Array(paths).fill(-0.2), 1);
      expect(touchProbability(extremes, 0.1)).toBeCloseTo((paths + 0.5) / (paths + 1), 3);
      expect(touchProbability(extremes, 0.1)).toBeLessThan(1);
    }
  });

  it("is certain at no distance, never impossible, falls with distance and grows with sigma", () => {
    fc.assert(
      fc.property(fc.nat(), direction, distance, distance, (seed, side, a, b) => {
        const extremes = buildPathExtremes(drawExcursions(seed, 500, side), side);
        expect(touchProbability(extremes, 0)).toBeCloseTo(500.5 / 501, 12);
        expect(touchProbability(extremes, 50)).toBeCloseTo(0.5 / 501, 12);
        expect(touchProbability(extremes, Math.max(a, b))).toBeLessThanOrEqual(
          touchProbability(extremes, Math.min(a, b)),
        );
        const louder = rescaleExtremes(extremes, 2);
        expect(touchProbability(louder, 2 * a)).toBe(touchProbability(extremes, a));
        expect(rescaleExtremes(louder, 0.25).sigmaRatio).toBe(0.5);
      }),
    );
  });
});

function drawExcursions(seed: number, n: number, side: 1 | -1): Float32Array {
  const random = createRandom(seed);
  return Float32Array.from({ length: n }, () => -side * Math.abs(random.normal()));
}
