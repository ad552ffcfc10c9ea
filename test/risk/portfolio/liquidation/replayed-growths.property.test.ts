import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createReplayedGrowths,
  fillGrowthStarts,
  GROWTHS_AT,
} from "../../../../src/risk/portfolio/liquidation/replayed-growths.ts";
import type { SheetPosition } from "../../../../src/risk/portfolio/portfolio-losses.ts";
import { createHourlyPath, replayPath } from "../../../../src/risk/scenarios/path-replay.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../../src/risk/scenarios/sheet-day.ts";
import { type ScenarioSheet, sheetRow, withDay } from "../../../../src/risk/scenarios/sheet.ts";
import { testAsset, testInputs } from "../../../support/scenarios.ts";

// Mutants killed: a changed day not noticed, places not forgotten when the memory is full, room made within an account, lows in place of highs.

const HOURS = 24;
const TURNS = 12;
const assets = [1, 2, 3].map((seed) => testAsset(seed));
const { sheet } = buildScenarioSheet(testInputs(21, assets));
const scratch = createSheetDayScratch(sheet.scenarios);

describe("fillGrowthStarts", () => {
  const asked = fc.record({
    rows: fc.uniqueArray(fc.nat(sheet.rows - 1)),
    scenario: fc.nat(sheet.scenarios - 1),
  });
  /** Some questions, then a row moves to another sigma. */
  const turn = fc.record({
    questions: fc.array(asked, { maxLength: 40, size: "max" }),
    moved: fc.nat(sheet.rows - 1),
    sigmaRatio: fc.double({ min: 0.5, max: 2, noNaN: true }),
  });

  it("are those of replaying the path, whatever was asked before", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const replayed = createReplayedGrowths(HOURS);
        let now = sheet;
        for (const { questions, moved, sigmaRatio } of turns) {
          for (const { rows, scenario } of questions) expectReplayed(now, rows, scenario, replayed);
          now = movedSheet(now, moved, sigmaRatio);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("stay so when there are more than it keeps", () => {
    const replayed = createReplayedGrowths(HOURS);
    let now = sheet;
    // The last row stands still, so that its paths are still asked for when others have taken their places.
    const still = sheet.rows - 1;
    for (let turn = 0; turn < TURNS; turn++) {
      for (let row = 0; row < still; row++) {
        for (let scenario = 0; scenario < sheet.scenarios; scenario++)
          fillGrowthStarts(now, positionsIn([row]), scenario, replayed, []);
        now = movedSheet(now, row, 1 + turn / 10);
      }
      for (let scenario = 0; scenario < 20; scenario++) expectReplayed(now, [still], scenario, replayed);
    }
    expect(TURNS * still * sheet.scenarios).toBeGreaterThan(4096);
  });

  it("are those of every position of an account, wherever in it the room ends", () => {
    for (const [full, known] of [
      [4094, []],
      [4095, [0]],
      [4096, [0]],
    ] as const) {
      const replayed = createReplayedGrowths(HOURS);
      expectReplayed(sheet, known, 0, replayed);
      let now = sheet;
      for (let n = 0; replayed.count < full; n++) {
        const scenario = 1 + (n % (sheet.scenarios - 1));
        if (scenario === 1) now = movedSheet(now, 1, 1 + n / 1e4);
        fillGrowthStarts(now, positionsIn([1]), scenario, replayed, []);
      }
      expectReplayed(now, [0, 1, 2], 0, replayed);
    }
  });
});

function movedSheet(from: ScenarioSheet, row: number, sigmaRatio: number): ScenarioSheet {
  return withDay(
    from,
    row,
    buildSheetDay(sheetRow(sheet, row, 24, "terminal"), sigmaRatio, sheet.version, scratch),
  );
}

function positionsIn(rows: readonly number[]): SheetPosition[] {
  return rows.map((row) => ({ row, notionalUsdSigned: 1 }));
}

function expectReplayed(
  now: ScenarioSheet,
  rows: readonly number[],
  scenario: number,
  replayed: ReturnType<typeof createReplayedGrowths>,
): void {
  const startsAt: number[] = [];
  fillGrowthStarts(now, positionsIn(rows), scenario, replayed, startsAt);
  const path = createHourlyPath(HOURS);
  for (let i = 0; i < rows.length; i++) {
    replayPath(now, rows[i]!, scenario, path);
    for (const fact of ["closes", "lows", "highs"] as const) {
      const from = startsAt[i]! + GROWTHS_AT[fact] * HOURS;
      const growths = path[fact].map((value) => Math.exp(value));
      expect(replayed.growths.slice(from, from + HOURS)).toEqual(growths);
    }
  }
}
