import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/math/random.ts";
import { createColumn } from "../../../../src/risk/portfolio/tail/candidate-column.ts";
import { createReachCover, isCovered } from "../../../../src/risk/portfolio/tail/reach-cover.ts";
import { createAskedBook } from "../../../../src/risk/portfolio/tail/asked-book.ts";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";
import { createRowExtremes } from "../../../../src/risk/portfolio/tail/row-extremes.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import type { ScenarioSheet } from "../../../../src/risk/scenarios/sheet.ts";
import { testAsset, testInputs } from "../../../support/scenarios.ts";

// Mutants killed: another far row, another column or a moved reference believed, the share not limited at either end, the
// rest, or what is left over of either change, left out.

const ROWS = 3;
const SCENARIOS = 24;
const { sheet: small } = buildScenarioSheet(testInputs(5, [testAsset(1)]));

const changeUsd = fc.constantFrom(0, 10, -10, 11, 30, -30);
const row = fc.nat({ max: ROWS - 1 });
const change = fc.record({ row, movedUsd: changeUsd, farRow: row, otherUsd: changeUsd });
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

describe("isCovered", () => {
  it("is never said where a scenario reaches what is searched, and is of the search that was made", () => {
    fc.assert(
      fc.property(fc.nat(), change, change, fc.boolean(), (seed, searched, given, isLike) => {
        const asked = isLike ? { ...searched, otherUsd: given.otherUsd, farRow: given.farRow } : given;
        const random = createRandom(seed);
        const days = Array.from({ length: ROWS }, () => ({
          ...small.days[0]!,
          returns: Float32Array.from({ length: SCENARIOS }, () => random.normal()),
        }));
        const sheet = { ...small, rows: ROWS, scenarios: SCENARIOS, days, pools: { ...small.pools } };
        const referenceUsd = Array.from({ length: SCENARIOS }, () => 50 * random.normal());
        const book = createAskedBook(SCENARIOS, new TailArena());
        const columns = days.map((day, at) =>
          createColumn(at, day, new Uint32Array(0), 0, new Float64Array(0), book),
        );
        const extremes = createRowExtremes(SCENARIOS);
        const reachedUsd = mostLost(sheet, referenceUsd, searched);
        const made = {
          ...createReachCover(),
          column: columns[searched.row]!,
          movedUsd: searched.movedUsd,
          far: columns[searched.farRow]!,
          otherUsd: searched.otherUsd,
          leastUsd: reachedUsd + 1e-6,
        };
        const isCoveredAt = (
          { row: at, movedUsd, farRow, otherUsd }: Change,
          leastUsd: number,
          moves = 0,
        ): boolean =>
          isCovered(
            made,
            sheet,
            columns[at]!,
            movedUsd,
            columns[farRow]!,
            otherUsd,
            leastUsd,
            Math.max(...referenceUsd),
            moves,
            extremes,
          );

        expect(isCoveredAt(asked, mostLost(sheet, referenceUsd, asked))).toBe(false);
        expect(isCoveredAt(searched, reachedUsd + 1e-3)).toBe(true);
        expect(isCoveredAt(searched, reachedUsd + 1e-3, 1)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

/** By definition, over every scenario. */
function mostLost(
  sheet: ScenarioSheet,
  referenceUsd: readonly number[],
  { row: at, movedUsd, farRow, otherUsd }: Change,
): number {
  const [moved, other] = [sheet.days[at]!.returns, sheet.days[farRow]!.returns];
  return Math.max(...referenceUsd.map((usd, s) => usd - movedUsd * moved[s]! - otherUsd * other[s]!));
}
