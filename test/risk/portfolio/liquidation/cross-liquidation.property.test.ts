import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildMarginSchedule, maintenanceMarginUsd } from "../../../../src/risk/margin/margin.ts";
import type { MarginedPosition } from "../../../../src/risk/portfolio/liquidation/account-replay.ts";
import {
  createCrossLiquidationWorkspace,
  crossLiquidationProbability,
} from "../../../../src/risk/portfolio/liquidation/cross-liquidation.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../../src/risk/scenarios/sheet-day.ts";
import { sheetRow, withDay } from "../../../../src/risk/scenarios/sheet.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import { liquidatedScenarios } from "../../../oracle/cross-liquidation.ts";
import { testAsset, testHistory, testInputs } from "../../../support/scenarios.ts";

// Mutants killed: closes in place of lows for the upper bound, maintenance at today's price, flag bound without
// maintenance, sampling without its weight, short bound linear in the rise, the bound at the draw's sigma, a group's
// limits from its first block, blocks of the first group read for all groups, the last group left out, blocks of the
// wrong place, the parabola for higher rises too, every higher rise taken as lethal, its maintenance at the lower tier, a
// tier without its upper end, or its lower, one path for all positions.

const assets = [1, 2, 3].map((seed) => testAsset(seed, { sigmaMultiplier: 1.5 }));
const { sheet } = buildScenarioSheet(testInputs(21, assets));
const workspace = createCrossLiquidationWorkspace(sheet);
const schedule = buildMarginSchedule([
  { notionalLowerUsd: 0, maxLeverage: 20 },
  { notionalLowerUsd: 50_000, maxLeverage: 10 },
]);

describe("crossLiquidationProbability", () => {
  const notional = fc
    .double({ min: 1000, max: 80_000, noNaN: true })
    .chain((size) => fc.constantFrom(size, -size));
  // Two positions of 256 scenarios are still followed without sampling.
  const book = fc.array(notional, { minLength: 1, maxLength: 2 }).map((sizes) =>
    sizes.map((notionalUsdSigned, row): MarginedPosition => ({
      row,
      notionalUsdSigned,
      marginSchedule: schedule,
    })),
  );
  const cushion = fc.double({ min: 1.01, max: 3, noNaN: true });

  it("equals following every scenario hour by hour, at closes and at each hour's worst", () => {
    fc.assert(
      fc.property(book, cushion, (positions, factor) => {
        const equityUsd = factor * maintenanceOf(positions);
        const result = crossLiquidationProbability(sheet, positions, equityUsd, workspace);
        const expected = liquidatedScenarios(sheet, positions, equityUsd);
        expect(result.lowerBound).toBeCloseTo((expected.atClose + 0.5) / (sheet.scenarios + 1), 12);
        expect(result.upperBound).toBeCloseTo((expected.atWorst + 0.5) / (sheet.scenarios + 1), 12);
        expect(result.probability).toBeCloseTo((result.lowerBound + result.upperBound) / 2, 12);
        expect(result.upperBound).toBeGreaterThanOrEqual(result.lowerBound);
      }),
      { numRuns: 60 },
    );
  });

  it("stays exact when a row's sigma has moved since the draw", () => {
    const scratch = createSheetDayScratch(sheet.scenarios);
    const ratio = fc.double({ min: 0.5, max: 2, noNaN: true });
    fc.assert(
      fc.property(book, cushion, ratio, (positions, factor, k) => {
        const day = buildSheetDay(sheetRow(sheet, 0, 24, "terminal"), k, sheet.version, scratch);
        const moved = withDay(sheet, 0, day);
        const equityUsd = factor * maintenanceOf(positions);
        const result = crossLiquidationProbability(moved, positions, equityUsd, workspace);
        const expected = liquidatedScenarios(moved, positions, equityUsd);
        expect(result.lowerBound).toBeCloseTo((expected.atClose + 0.5) / (sheet.scenarios + 1), 12);
        expect(result.upperBound).toBeCloseTo((expected.atWorst + 0.5) / (sheet.scenarios + 1), 12);
      }),
      { numRuns: 40 },
    );
  });

  it("finds them in every group of blocks, the last one not full", () => {
    const long = testInputs(5, [testAsset(1, { history: testHistory(1, { hours: 1300 }) })]);
    const { sheet: large } = buildScenarioSheet(long);
    const memory = createCrossLiquidationWorkspace(large);
    expect(memory.groupLossUsd.length).toBeGreaterThan(2);
    expect(large.scenarios % 512).not.toBe(0);
    for (const notionalUsdSigned of [10_000, -10_000]) {
      // As many as may be replayed without sampling, from those that one scenario alone reaches.
      for (const share of [0.05, 0.06, 0.07, 0.08, 0.1, 0.12]) {
        const positions = [{ row: 0, notionalUsdSigned, marginSchedule: schedule }];
        const result = crossLiquidationProbability(large, positions, share * 10_000, memory);
        const expected = liquidatedScenarios(large, positions, share * 10_000);
        expect(result.lowerBound).toBeCloseTo((expected.atClose + 0.5) / (large.scenarios + 1), 12);
        expect(result.upperBound).toBeCloseTo((expected.atWorst + 0.5) / (large.scenarios + 1), 12);
      }
    }
  });

  it("is of the draw that is in force, whatever was asked of another", () => {
    const { sheet: calmer } = buildScenarioSheet(testInputs(22, [testAsset(4), testAsset(5)]));
    const positions = [9_000, -9_000].map((notionalUsdSigned, row) => ({
      row,
      notionalUsdSigned,
      marginSchedule: schedule,
    }));
    for (const given of [calmer, sheet, calmer]) {
      const result = crossLiquidationProbability(given, positions, 800, workspace);
      const expected = liquidatedScenarios(given, positions, 800);
      expect(expected.atWorst).toBeGreaterThan(0);
      expect(result.lowerBound).toBeCloseTo((expected.atClose + 0.5) / (given.scenarios + 1), 12);
      expect(result.upperBound).toBeCloseTo((expected.atWorst + 0.5) / (given.scenarios + 1), 12);
    }
  });

  it("follows models with more averages than any of the draw that its memory was made for", () => {
    const hexp = {
      kind: "hexp",
      baseVarianceStep: 1e-6,
      decays: [0.7, 0.95],
      weights: [0.5, 0.4],
      leverage: 0.05,
    } as const;
    const models = [{ recursion: hexp, state: Float64Array.of(2e-5, 2e-5, 2e-5) }];
    const { sheet: later } = buildScenarioSheet(testInputs(6, [testAsset(1, { models })]));
    const positions = [{ row: 0, notionalUsdSigned: 10_000, marginSchedule: schedule }];

    const { upperBound } = crossLiquidationProbability(later, positions, 500, workspace);

    const barrier = Math.log(9500 / 9750);
    const hits = sheetRow(later, 0, 24, "low").filter((low) => low <= barrier).length;
    expect(Math.abs(upperBound * (later.scenarios + 1) - 0.5 - hits)).toBeLessThanOrEqual(1);
  });

  it("misses no short whose rise carries it into a dearer margin tier", () => {
    const steep = buildMarginSchedule([
      { notionalLowerUsd: 0, maxLeverage: 20 },
      { notionalLowerUsd: 50_000, maxLeverage: 3 },
    ]);
    const positions = [{ row: 0, notionalUsdSigned: -49_500, marginSchedule: steep }];
    for (let share = 0.05; share < 0.15; share += 0.005) {
      const result = crossLiquidationProbability(sheet, positions, share * 49_500, workspace);
      const expected = liquidatedScenarios(sheet, positions, share * 49_500);
      expect(result.upperBound).toBeCloseTo((expected.atWorst + 0.5) / (sheet.scenarios + 1), 12);
    }
  });

  it("replays shorts whose price more than doubles only where that may be lethal", () => {
    const { sheet: wild } = buildScenarioSheet(testInputs(5, [testAsset(1, { sigmaMultiplier: 25 })]));
    const rises = sheetRow(wild, 0, 24, "high").toSorted().reverse();
    // Beyond what the parabola says of a doubled price.
    const least = rises.findIndex((rise) => rise < 1);
    expect(least).toBeGreaterThan(5);
    const steep = buildMarginSchedule([
      { notionalLowerUsd: 0, maxLeverage: 20 },
      { notionalLowerUsd: 25_000, maxLeverage: 3 },
    ]);
    const positions = [{ row: 0, notionalUsdSigned: -10_000, marginSchedule: steep }];
    for (let rank = 0; rank < least; rank++) {
      const memory = createCrossLiquidationWorkspace(wild);
      const growth = Math.exp(rises[rank]!);
      const lethalUsd = 10_000 * (growth - 1) + maintenanceMarginUsd(steep, 10_000 * growth);
      // Between this rise and the next higher one: so many scenarios are lethal, and no other is replayed.
      const equityUsd = lethalUsd * (1 - 1e-5);
      const result = crossLiquidationProbability(wild, positions, equityUsd, memory);
      const expected = liquidatedScenarios(wild, positions, equityUsd);
      expect(result.upperBound).toBeCloseTo((expected.atWorst + 0.5) / (wild.scenarios + 1), 12);
      expect(memory.replay.replayed.count).toBe(expected.atWorst);
    }
  });

  it("falls as equity grows, and is 1 at maintenance", () => {
    fc.assert(
      fc.property(book, cushion, cushion, (positions, a, b) => {
        const at = (factor: number): number =>
          crossLiquidationProbability(sheet, positions, factor * maintenanceOf(positions), workspace)
            .probability;
        expect(at(Math.max(a, b))).toBeLessThanOrEqual(at(Math.min(a, b)));
        expect(at(1)).toBe(1);
      }),
      { numRuns: 40 },
    );
  });

  it("agrees with the barrier of a single position", () => {
    const positions = [{ row: 0, notionalUsdSigned: 10_000, marginSchedule: schedule }];
    const equityUsd = 500;
    // 10 000 (g − 1) + 500 = 0.025 × 10 000 g at g = 9500/9750.
    const { upperBound } = crossLiquidationProbability(sheet, positions, equityUsd, workspace);
    const barrier = Math.log(9500 / 9750);
    const hits = sheetRow(sheet, 0, 24, "low").filter((low) => low <= barrier).length;
    expect(Math.abs(upperBound * (sheet.scenarios + 1) - 0.5 - hits)).toBeLessThanOrEqual(1);
  });

  it("knows a hedge: two opposite halves of one asset are safer than either alone", () => {
    const long = { row: 0, notionalUsdSigned: 20_000, marginSchedule: schedule };
    const short = { row: 0, notionalUsdSigned: -20_000, marginSchedule: schedule };
    const hedged = crossLiquidationProbability(sheet, [long, short], 1400, workspace);
    const alone = crossLiquidationProbability(sheet, [long], 900, workspace);
    expect(hedged.lowerBound).toBeLessThan(alone.lowerBound);
  });

  it("stays near the full count when it samples the scenarios of a large book", () => {
    const many = Array.from({ length: 30 }, (_, i): MarginedPosition => ({
      row: i % 3,
      notionalUsdSigned: i % 2 === 0 ? 2000 : 1500,
      marginSchedule: schedule,
    }));
    const equityUsd = 1.4 * maintenanceOf(many);
    const result = crossLiquidationProbability(sheet, many, equityUsd, workspace);
    const expected = liquidatedScenarios(sheet, many, equityUsd);
    expect(Math.abs(result.upperBound - expected.atWorst / sheet.scenarios)).toBeLessThan(0.15);
    expect(expected.atWorst).toBeGreaterThan(20);
  });
});

function maintenanceOf(positions: readonly MarginedPosition[]): number {
  return positions.reduce(
    (sum, { notionalUsdSigned, marginSchedule }) =>
      sum + maintenanceMarginUsd(marginSchedule, Math.abs(notionalUsdSigned)),
    0,
  );
}
