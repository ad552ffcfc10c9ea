import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createReplayedGrowths,
  GROWTHS_AT,
  growthsOf,
} from "../../../src/risk/portfolio/replayed-growths.ts";
import { createHourlyPath, replayPath } from "../../../src/risk/scenarios/path-replay.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../src/risk/scenarios/sheet-day.ts";
import { type ScenarioSheet, sheetRow, withDay } from "../../../src/risk/scenarios/sheet.ts";
import { testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: a changed day not noticed, places not forgotten when the memory is full, lows in place of highs.

const HOURS = 24;
const TURNS = 12;
const assets = [1, 2, 3].map((seed) => testAsset(seed));
const { sheet } = buildScenarioSheet(testInputs(21, assets));
const scratch = createSheetDayScratch(sheet.scenarios);

describe("growthsOf", () => {
  const asked = fc.record({
    row: fc.nat(sheet.rows - 1),
    scenario: fc.nat(sheet.scenarios - 1),
  });
  /** Some questions, then a row moves to another sigma. */
  const turn = fc.record({
    questions: fc.array(asked, { maxLength: 40 }),
    moved: fc.nat(sheet.rows - 1),
    sigmaRatio: fc.double({ min: 0.5, max: 2, noNaN: true }),
  });

  it("are those of replaying the path, whatever was asked before", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const replayed = createReplayedGrowths(HOURS, sheet);
        let now = sheet;
        for (const { questions, moved, sigmaRatio } of turns) {
          for (const { row, scenario } of questions) expectReplayed(now, row, scenario, replayed);
          now = movedSheet(now, moved, sigmaRatio);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("stay so when there are more than it keeps", () => {
    const replayed = createReplayedGrowths(HOURS, sheet);
    let now = sheet;
    // The last row stands still, so that its paths are still asked for when others have taken their places.
    const still = sheet.rows - 1;
    for (let turn = 0; turn < TURNS; turn++) {
      for (let row = 0; row < still; row++) {
        for (let scenario = 0; scenario < sheet.scenarios; scenario++)
          growthsOf(now, row, scenario, replayed);
        now = movedSheet(now, row, 1 + turn / 10);
      }
      for (let scenario = 0; scenario < 20; scenario++) expectReplayed(now, still, scenario, replayed);
    }
    expect(TURNS * still * sheet.scenarios).toBeGreaterThan(4096);
  });
});

function movedSheet(from: ScenarioSheet, row: number, sigmaRatio: number): ScenarioSheet {
  return withDay(
    from,
    row,
    buildSheetDay(sheetRow(sheet, row, 24, "terminal"), sigmaRatio, sheet.version, scratch),
  );
}

function expectReplayed(
  now: ScenarioSheet,
  row: number,
  scenario: number,
  replayed: ReturnType<typeof createReplayedGrowths>,
): void {
  const path = createHourlyPath(HOURS, now);
  replayPath(now, row, scenario, path);
  const at = growthsOf(now, row, scenario, replayed);
  for (const fact of ["closes", "lows", "highs"] as const) {
    const from = at + GROWTHS_AT[fact] * HOURS;
    expect(replayed.growths.slice(from, from + HOURS)).toEqual(path[fact].map((value) => Math.exp(value)));
  }
}
