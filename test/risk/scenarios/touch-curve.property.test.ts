import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  POOLED_DAY_SIGMA,
  POOLED_FLOOR_SHARE,
  POOLED_TOUCH,
  raisedToTouchFloor,
} from "../../../src/risk/scenarios/touch-floor.ts";
import { rescaleExtremes, touchProbability } from "../../../src/risk/scenarios/path-extremes.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { touchDistance, touchWithin } from "../../../src/risk/scenarios/touch-curve.ts";
import { sideTails } from "../../../src/risk/tails/var.ts";
import { direction, magnitude } from "../../support/arbitraries.ts";
import { testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: shorter horizons left out; only those rescaled by less counted; last line of the floor cut off; lines
// of the floor joined one too far right; the unsafe end of the halving returned, a search that
// ends at a price twenty times as high.

const { tails } = buildScenarioSheet(testInputs(21, [testAsset(1, { sigmaMultiplier: 1.5 })]));
const ratios = fc.array(magnitude(0.5, 2), { minLength: 4, maxLength: 4 });
const sigma = magnitude(0.005, 3);
const HORIZONS = [1, 4, 24, 168] as const;

describe("touchWithin", () => {
  it("is the most that any horizon up to it counts, and at least the pooled floor", () => {
    fc.assert(
      fc.property(
        ratios,
        sigma,
        direction,
        magnitude(1e-3, 0.2),
        fc.nat(3),
        (ratio, sigmaDay, side, distance, last) => {
          // The same depths at every horizon, so that only the ratios order them.
          const day = sideTails(tails[0]!, side).adversePaths[2]!;
          const adversePaths = ratio.map((r) => rescaleExtremes(day, r));
          const counted = adversePaths.slice(0, last + 1).map((paths) => touchProbability(paths, distance));
          const slow = Math.max(
            ...counted,
            floorByTable(distance, sigmaDay * Math.sqrt(HORIZONS[last]! / 24)),
          );

          const found = touchWithin(adversePaths, sigmaDay, distance, HORIZONS[last]!);

          expect(found / slow).toBeCloseTo(1, 11);
        },
      ),
    );
  });

  it("leaves the floor where no path goes", () => {
    fc.assert(
      fc.property(sigma, direction, magnitude(0.5, 3), (sigmaDay, side, distance) => {
        const { adversePaths } = sideTails(tails[0]!, side);

        const floor = raisedToTouchFloor(0, distance, sigmaDay);

        expect(floor / floorByTable(distance, sigmaDay)).toBeCloseTo(1, 11);
        expect(touchWithin(adversePaths, sigmaDay, distance, 24)).toBeGreaterThanOrEqual(floor);
      }),
    );
  });
});

describe("raisedToTouchFloor", () => {
  it("raises nothing where paths do not move", () => {
    expect([0, 0.1].map((distance) => raisedToTouchFloor(0.25, distance, 0))).toEqual([0.25, 0.25]);
  });

  it("raises a barrier that is behind the price as one at it", () => {
    expect(raisedToTouchFloor(0, -5, 0.01)).toBe(raisedToTouchFloor(0, 0, 0.01));
  });
});

describe("touchDistance", () => {
  it("is the least distance of a probability, to the last bit", () => {
    fc.assert(
      fc.property(ratios, direction, magnitude(1e-4, 0.9), (ratio, side, probability) => {
        const { adversePaths } = sideTails(tails[0]!, side);
        const sigmaDay = tails[0]!.sigmaDay * ratio[0]!;

        const distance = touchDistance(adversePaths, sigmaDay, probability);

        const at = (d: number): number => touchWithin(adversePaths, sigmaDay, d, 24);
        if (distance === Infinity) expect(at(32)).toBeGreaterThan(probability);
        else {
          expect(at(distance)).toBeLessThanOrEqual(probability);
          expect(at(distance * (1 - Number.EPSILON))).toBeGreaterThan(probability);
        }
      }),
    );
  });
});

describe("touchDistance of an asset whose day is wilder than any", () => {
  it("is beyond a price a hundred times as high, where that is touched still", () => {
    const paths = tails[0]!.short.adversePaths.map((extremes) => rescaleExtremes(extremes, 120));

    const distance = touchDistance(paths, 120 * tails[0]!.sigmaDay, 0.01);

    expect(distance).toBeGreaterThan(Math.log(100));
    expect(distance).toBeLessThan(32);
  });
});

/** The pooled table read by its definition: straight in logarithms between its entries and beyond the last two. */
function floorByTable(distance: number, sigma: number): number {
  const table = POOLED_TOUCH.value.map(([fall, share]) => [-Math.log(1 - fall), share] as const);
  const x = (distance / sigma) * POOLED_DAY_SIGMA.value;
  const [nearest, nearestShare] = table[0]!;
  if (x <= nearest) return POOLED_FLOOR_SHARE.value * (1 - (1 - nearestShare) * (x / nearest));
  const reached = table.findIndex(([at]) => x <= at);
  const end = reached < 0 ? table.length - 1 : reached;
  const [x0, y0] = table[end - 1]!;
  const [x1, y1] = table[end]!;
  return POOLED_FLOOR_SHARE.value * y0 * (y1 / y0) ** (Math.log(x / x0) / Math.log(x1 / x0));
}
