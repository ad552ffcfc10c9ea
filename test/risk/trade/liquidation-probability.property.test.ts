import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Direction } from "../../../src/domain/trade.ts";
import { liquidationProbability } from "../../../src/risk/trade/liquidation-probability.ts";
import {
  POOLED_DAY_SIGMA,
  POOLED_TOUCH,
  raisedToTouchFloor,
} from "../../../src/risk/scenarios/touch-floor.ts";
import { rescaleAssetTails } from "../../../src/risk/scenarios/asset-tails.ts";
import { sheetRow } from "../../../src/risk/scenarios/sheet.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: barrier of the other side, distance not in logs, floor taken as a sum.

const assets = [1, 2, 3].map((seed) => testAsset(seed, { sigmaMultiplier: 1.5 }));
const { sheet, tails } = buildScenarioSheet(testInputs(21, assets));

const direction = fc.constantFrom<Direction>(1, -1);
const distance = fc.double({ min: 0.0001, max: 0.8, noNaN: true });

describe("liquidationProbability", () => {
  const at = (side: Direction, distanceFraction: number, hours: 1 | 4 | 24 | 168 = 24, row = 0): number =>
    liquidationProbability(tails[row]!, side, 100, 100 * (1 - side * distanceFraction), hours);

  it("is the share of paths whose low, or high, reaches the barrier", () => {
    fc.assert(
      fc.property(direction, fc.double({ min: 0.002, max: 0.06, noNaN: true }), (side, fraction) => {
        // The joint sheet is the first quarter of the paths behind the tails.
        const extremes = sheetRow(sheet, 0, 24, side === 1 ? "low" : "high");
        const barrier = Math.log(1 - side * fraction);
        const share = extremes.filter((value) => side * value <= side * barrier).length / extremes.length;
        const error = Math.sqrt((share * (1 - share) + 0.01) / extremes.length);
        expect(Math.abs(at(side, fraction) - share)).toBeLessThan(4.5 * error);
      }),
    );
  });

  it("falls with the distance and grows with the horizon and sigma", () => {
    fc.assert(
      fc.property(direction, distance, distance, (side, a, b) => {
        expect(at(side, Math.max(a, b))).toBeLessThanOrEqual(at(side, Math.min(a, b)));
        expect(at(side, a, 4)).toBeGreaterThanOrEqual(at(side, a, 1));
        expect(at(side, a, 24)).toBeGreaterThanOrEqual(at(side, a, 4));
        expect(at(side, a, 168)).toBeGreaterThanOrEqual(at(side, a, 24));
        const louder = rescaleAssetTails(tails[0]!, Float64Array.of(1.7, 1.7, 1.7, 1.7));
        const price = 100 * (1 - side * a);
        expect(liquidationProbability(louder, side, 100, price, 24)).toBeGreaterThanOrEqual(at(side, a));
      }),
    );
  });

  it("is at least the chance of ending beyond the barrier", () => {
    fc.assert(
      fc.property(direction, fc.double({ min: 0.002, max: 0.1, noNaN: true }), (side, fraction) => {
        const { simulations } = tails[0]!;
        const tail = tails[0]![side === 1 ? "long" : "short"];
        // A path that ends a VaR away has touched it: VaR95 is a barrier with at least 5 %.
        expect(at(side, tail.horizons[2]!.var95)).toBeGreaterThan(0.05 - 3 / Math.sqrt(simulations));
        expect(at(side, fraction)).toBeGreaterThan(0);
      }),
    );
  });

  it("is at least the pooled floor at the asset's own sigma", () => {
    const wild = { ...tails[0]!, sigmaDay: 0.3 };
    const probability = liquidationProbability(wild, 1, 100, 70, 24);
    expect(probability).toBeCloseTo(touchFloor(-Math.log(0.7), 0.3), 12);
    expect(probability).toBeGreaterThan(liquidationProbability(tails[0]!, 1, 100, 70, 24));
    expect(liquidationProbability(wild, 1, 100, 70, 4)).toBeCloseTo(
      touchFloor(-Math.log(0.7), 0.3 / Math.sqrt(6)),
      12,
    );
  });

  it("is 1 at the barrier, 0 when no price liquidates, and never 0 otherwise", () => {
    expect(at(1, 0)).toBe(1);
    expect(liquidationProbability(tails[0]!, 1, 100, 101, 24)).toBe(1);
    expect(liquidationProbability(tails[0]!, 1, 100, null, 24)).toBe(0);
    expect(at(1, 0.99)).toBeGreaterThan(0);
    expect(at(1, 1e-9)).toBeGreaterThan(0.999);
  });
});

const touchFloor = (logDistance: number, sigma: number): number => raisedToTouchFloor(0, logDistance, sigma);

describe("raisedToTouchFloor", () => {
  it("is a tenth of the pooled table at the table's own sigma, and monotone between", () => {
    const floorOfFall = (fall: number): number => touchFloor(-Math.log(1 - fall), POOLED_DAY_SIGMA.value);
    for (const [fall, share] of POOLED_TOUCH.value) expect(floorOfFall(fall)).toBeCloseTo(share / 10, 12);
    expect(floorOfFall(0.05)).toBeCloseTo(0.0225, 12);
    expect(floorOfFall(0.3)).toBeCloseTo(0.00028, 12);
    expect(touchFloor(0, 0.04)).toBeCloseTo(0.1, 12);
    fc.assert(
      fc.property(distance, distance, fc.double({ min: 0.005, max: 0.3, noNaN: true }), (a, b, sigma) => {
        expect(touchFloor(Math.max(a, b), sigma)).toBeLessThanOrEqual(touchFloor(Math.min(a, b), sigma));
        expect(touchFloor(a, sigma * 1.5)).toBeGreaterThanOrEqual(touchFloor(a, sigma));
        expect(touchFloor(2 * a, 2 * sigma)).toBeCloseTo(touchFloor(a, sigma), 12);
      }),
    );
  });

  it("raises a probability below it and leaves one above", () => {
    const times = fc.oneof(
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      fc.constantFrom(1 - 1e-9, 1 + 1e-9),
    );
    fc.assert(
      fc.property(distance, fc.double({ min: 0.005, max: 0.3, noNaN: true }), times, (a, sigma, share) => {
        const floor = touchFloor(a, sigma);
        const raised = raisedToTouchFloor(share * floor, a, sigma);
        expect(raised / Math.max(share * floor, floor)).toBeCloseTo(1, 12);
      }),
    );
  });
});
