import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeptLosses, fillLossesFromKept } from "../../../src/risk/portfolio/kept-losses.ts";
import { fillPortfolioLosses, type SheetPosition } from "../../../src/risk/portfolio/portfolio-var.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../src/risk/scenarios/sheet-day.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { type ScenarioSheet, sheetRow, withDay } from "../../../src/risk/scenarios/sheet.ts";
import { testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: days not compared, sizes not compared, length not compared, the draw in place of the day, sizes
// not remembered.

const assets = [1, 2, 3, 4, 5, 6].map((seed) => testAsset(seed));
const { sheet: drawn } = buildScenarioSheet(testInputs(31, assets));
const { sheet: redrawn } = buildScenarioSheet(testInputs(32, assets));
const dayScratch = createSheetDayScratch(drawn.scenarios);

// Few sizes, so that books share most of their positions.
const position = fc.record<SheetPosition>({
  row: fc.nat({ max: assets.length - 1 }),
  notionalUsdSigned: fc.constantFrom(1000, -1000, 1000.1, 7e5),
});
const change = fc.oneof(
  fc.record({ kind: fc.constant("trade" as const), position }),
  fc.record({ kind: fc.constant("resize" as const), at: fc.nat(), position }),
  fc.record({ kind: fc.constant("close" as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant("rescale" as const),
    row: fc.nat({ max: 5 }),
    ratio: fc.constantFrom(0.7, 1.3),
  }),
  fc.record({ kind: fc.constant("redraw" as const) }),
  fc.record({ kind: fc.constant("other wallet" as const), book: fc.array(position, { maxLength: 6 }) }),
);

describe("fillLossesFromKept", () => {
  it("does not sum again what it has kept", () => {
    const kept = createKeptLosses(drawn.scenarios);
    const held = [0, 1].map((row) => ({ row, notionalUsdSigned: 1000 }));
    const traded = { row: 2, notionalUsdSigned: -500 };
    const found = new Float64Array(drawn.scenarios);
    fillLossesFromKept(drawn, [...held, { row: 3, notionalUsdSigned: 1 }], kept, found);
    kept.lossesUsd.fill(0);

    fillLossesFromKept(drawn, [...held, traded], kept, found);

    const alone = new Float64Array(drawn.scenarios);
    fillPortfolioLosses(drawn, [traded], alone);
    expect(found).toEqual(alone);
  });

  it("fills what the whole sum is, to the last bit, whatever was asked before", () => {
    fc.assert(
      fc.property(
        fc.array(position, { maxLength: 6 }),
        fc.array(change, { maxLength: 12 }),
        (first, changes) => {
          const kept = createKeptLosses(drawn.scenarios);
          let sheet = drawn;
          let book = first;
          expectSame(sheet, book, kept);
          for (const next of changes) {
            if (next.kind === "trade") book = [...book, next.position];
            if (next.kind === "resize" && book.length > 0)
              book = book.with(next.at % book.length, next.position);
            if (next.kind === "close") book = book.toSpliced(next.at % (book.length || 1), 1);
            if (next.kind === "other wallet") book = next.book;
            if (next.kind === "redraw") sheet = sheet.seed === drawn.seed ? redrawn : drawn;
            if (next.kind === "rescale") {
              const logReturns = sheetRow(sheet, next.row, 24, "terminal");
              sheet = withDay(
                sheet,
                next.row,
                buildSheetDay(logReturns, next.ratio, sheet.version, dayScratch),
              );
            }
            expectSame(sheet, book, kept);
            expectSame(sheet, book, kept);
          }
        },
      ),
    );
  });
});

function expectSame(
  sheet: ScenarioSheet,
  book: readonly SheetPosition[],
  kept: ReturnType<typeof createKeptLosses>,
): void {
  const whole = new Float64Array(sheet.scenarios);
  const found = new Float64Array(sheet.scenarios).fill(Number.NaN);
  fillPortfolioLosses(sheet, book, whole);
  fillLossesFromKept(sheet, book, kept, found);
  expect(found.every((lossUsd, scenario) => lossUsd === whole[scenario])).toBe(true);
}
