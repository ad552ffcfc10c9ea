import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/math/random.ts";
import { buildMarginSchedule, maintenanceMarginUsd } from "../../../../src/risk/margin/margin.ts";
import type { MarginedPosition } from "../../../../src/risk/portfolio/liquidation/account-replay.ts";
import {
  createCrossLiquidationWorkspace,
  crossLiquidationProbability,
} from "../../../../src/risk/portfolio/liquidation/cross-liquidation.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import type { ScenarioSheet } from "../../../../src/risk/scenarios/sheet.ts";
import { liquidatedScenarios } from "../../../oracle/cross-liquidation.ts";
import { TEST_RECURSION, testAsset, testHistory, testInputs } from "../../../support/scenarios.ts";

// Mutants killed: hits counted without their weight, or with that of all scenarios; the first flagged, the last, the first
// half, or scenarios that were not flagged replayed; 32 at least instead of 64; half as many hours; any end counted as one
// at a close; strata of one size; those gone at the day's end not counted.

const SHEETS = 8;
const ASSETS = 10;
const WINDOW_HOURS = 600;
/** Positions of a book against scenarios that may be replayed: 12,288 hours of a position, but never fewer than 64. */
const AFFORDABLE = new Map([
  [5, 102],
  [8, 64],
  [10, 64],
]);

const schedule = buildMarginSchedule([
  { notionalLowerUsd: 0, maxLeverage: 20 },
  { notionalLowerUsd: 50_000, maxLeverage: 10 },
]);

/** One estimate beside the count that it stands for. */
interface Estimate {
  readonly estimated: number;
  readonly counted: number;
  /** Scenarios that could be lethal by their extremes. */
  readonly flagged: number;
  /** Those of them that may be followed, and those that were. */
  readonly affordable: number;
  readonly replayed: number;
}

/** Its scenarios' second half has four times the variance, so that they are not all alike. */
function sheetOf(seed: number): ScenarioSheet {
  const models = [2e-5, 8e-5].map((variance) => ({
    recursion: { ...TEST_RECURSION, omega: variance / 20 },
    state: Float64Array.of(variance),
  }));
  const assets = Array.from({ length: ASSETS }, (_, asset) => {
    const history = testHistory(1000 * seed + asset, { hours: WINDOW_HOURS, marketSeed: seed });
    return testAsset(0, { history, models });
  });
  return buildScenarioSheet({ ...testInputs(seed, assets), singleAssetBlocks: 1 }).sheet;
}

const HEDGED_HOURS = 2048;
const HEDGED_BOOKS = 8;

/** Coins that move together, half of them twice as far. */
function hedgedSheet(): ScenarioSheet {
  const assets = Array.from({ length: ASSETS }, (_, asset) => {
    const history = testHistory(asset + 1, { hours: HEDGED_HOURS, loading: 0.8 });
    return testAsset(0, { history, sigmaMultiplier: 1 + 0.5 * (asset % 4) });
  });
  return buildScenarioSheet({ ...testInputs(5, assets), singleAssetBlocks: 1 }).sheet;
}

function bookOf(count: number, seed: number): MarginedPosition[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, row) => {
    const side = random.uniform() < 0.8 ? 1 : -1;
    return { row, notionalUsdSigned: side * (2000 + 20_000 * random.uniform()), marginSchedule: schedule };
  });
}

/** In standard errors of drawing that many of the flagged without putting back. */
function errorsOff({ estimated, counted, flagged, affordable }: Estimate): number {
  const share = counted / flagged;
  const variance = ((share * (1 - share)) / affordable) * ((flagged - affordable) / (flagged - 1));
  return (estimated - counted) / (flagged * Math.sqrt(variance));
}

function estimatesOf(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  factor: number,
): Estimate[] {
  const maintenanceUsd = positions.reduce(
    (sum, { notionalUsdSigned }) => sum + maintenanceMarginUsd(schedule, Math.abs(notionalUsdSigned)),
    0,
  );
  const equityUsd = factor * maintenanceUsd;
  const memory = createCrossLiquidationWorkspace(sheet);
  const result = crossLiquidationProbability(sheet, positions, equityUsd, memory);
  const exact = liquidatedScenarios(sheet, positions, equityUsd);
  // Ascending in memory that was all zeros: the last that is not one is the last flagged.
  const flagged = memory.flagged.findLastIndex((scenario) => scenario > 0) + 1;
  const affordable = AFFORDABLE.get(positions.length)!;
  const replayed = memory.replay.replayed.count / positions.length;
  const countOf = (smoothed: number): number => smoothed * (sheet.scenarios + 1) - 0.5;
  return [
    { estimated: countOf(result.lowerBound), counted: exact.atClose, flagged, affordable, replayed },
    { estimated: countOf(result.upperBound), counted: exact.atWorst, flagged, affordable, replayed },
  ];
}

describe("crossLiquidationProbability, sampled", () => {
  const estimates: Estimate[] = [];
  for (let seed = 1; seed <= SHEETS; seed++) {
    const sheet = sheetOf(seed);
    for (const count of AFFORDABLE.keys()) {
      const positions = bookOf(count, 100 * seed + count);
      for (const factor of [1.3, 1.7, 2.2]) estimates.push(...estimatesOf(sheet, positions, factor));
    }
  }
  const sampled = estimates.filter(({ counted }) => counted > 0);
  const errors = sampled.map(errorsOff);
  const meanOf = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  it("follows as many as may be followed, fewer than were flagged", () => {
    for (const { flagged, affordable, replayed } of estimates) {
      expect(flagged).toBeGreaterThan(affordable);
      expect(replayed).toBe(affordable);
    }
  });

  it("is never further from the count of all scenarios than chance allows", () => {
    expect(sampled.length).toBeGreaterThan(130);
    for (const error of errors) expect(Math.abs(error)).toBeLessThan(4);
  });

  it("leans to neither side, and errs less than a plain sample of its size does", () => {
    expect(Math.abs(meanOf(errors))).toBeLessThan(0.3);
    expect(meanOf(errors.map((error) => error * error))).toBeLessThan(0.8);
  });

  it("takes both halves of the scenarios for what they are worth", () => {
    // Of the scenarios that were flagged first a sample would know the calmer model only.
    const ratio = meanOf(sampled.map(({ estimated, flagged }) => estimated / flagged));
    const exact = meanOf(sampled.map(({ counted, flagged }) => counted / flagged));
    expect(ratio / exact).toBeCloseTo(1, 1);
  });
});

describe("crossLiquidationProbability of hedged books, sampled", () => {
  const sheet = hedgedSheet();
  const memory = createCrossLiquidationWorkspace(sheet);
  const random = createRandom(5);
  const ratios: number[] = [];
  const harmless: Estimate[] = [];
  for (let i = 0; i < HEDGED_BOOKS; i++) {
    const positions = Array.from({ length: ASSETS }, (_, row) => ({
      row,
      notionalUsdSigned: (row % 2 === 0 ? 1 : -1) * (7000 + 6000 * random.uniform()),
      marginSchedule: schedule,
    }));
    const grossUsd = positions.reduce((sum, { notionalUsdSigned }) => sum + Math.abs(notionalUsdSigned), 0);
    const equityUsd = grossUsd * (0.045 + 0.02 * random.uniform());
    const { upperBound } = crossLiquidationProbability(sheet, positions, equityUsd, memory);
    const { atWorst } = liquidatedScenarios(sheet, positions, equityUsd);
    ratios.push((upperBound * (sheet.scenarios + 1)) / (atWorst + 0.5));
    harmless.push(...estimatesOf(sheet, positions, 2.6).filter(({ counted }) => counted === 0));
  }

  it("finds nothing where there is nothing to find", () => {
    expect(harmless.length).toBeGreaterThan(HEDGED_BOOKS / 2);
    for (const { estimated, flagged, affordable } of harmless) {
      expect(flagged).toBeGreaterThan(affordable);
      expect(estimated).toBeCloseTo(0, 9);
    }
  });

  it("finds the few that are lethal among the many whose extremes alone could be", () => {
    for (const ratio of ratios) {
      expect(ratio).toBeGreaterThan(1 / 2);
      expect(ratio).toBeLessThan(2);
    }
    const meanSquare = ratios.reduce((sum, ratio) => sum + Math.log(ratio) ** 2, 0) / ratios.length;
    expect(Math.sqrt(meanSquare)).toBeLessThan(0.35);
  });
});
