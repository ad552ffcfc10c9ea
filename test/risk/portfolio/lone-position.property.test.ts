import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { portfolioAttribution } from "../../../src/risk/portfolio/attribution.ts";
import {
  changedShortfalls99Usd,
  type JointRisk,
  type RowChanges,
} from "../../../src/risk/portfolio/joint-risk.ts";
import { lonePositionOf, lonePositionRisk } from "../../../src/risk/portfolio/lone-position.ts";
import type { BoundedPosition } from "../../../src/risk/portfolio/loss-bound.ts";
import { createPortfolioWorkspace } from "../../../src/risk/portfolio/portfolio-var.ts";
import { createTailCandidates } from "../../../src/risk/portfolio/tail/tail-candidates.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../src/risk/scenarios/sheet-day.ts";
import { type ScenarioSheet, sheetRow, withDay } from "../../../src/risk/scenarios/sheet.ts";
import { testAsset, testHistory, testInputs } from "../../support/scenarios.ts";

/** More scenarios than a row has extremes. */
const HOURS = 2048;
const assets = [1, 2].map((seed) => testAsset(seed, { history: testHistory(seed, { hours: HOURS }) }));
const { sheet: drawn } = buildScenarioSheet(testInputs(5, assets));
const scratch = createSheetDayScratch(drawn.scenarios);
const workspace = createPortfolioWorkspace(drawn.scenarios);
const general = createPortfolioWorkspace(drawn.scenarios);

/** The drawn one, and those whose rows have moved to another sigma since. */
const sheets = [drawn, atSigma(drawn, 0.4), atSigma(drawn, 3)];
const sizeUsd = fc.constantFrom(0, 1e-6, 25_000, 3e6).chain((usd) => fc.constantFrom(usd, -usd));
const margin = fc.record({
  share: fc.constantFrom(0, 1e-12, 0.005, 0.05, 0.3),
  distance: fc.constantFrom(0, 0.01, 0.03, 0.08, 0.3, null),
});
const position = fc
  .record({ row: fc.nat({ max: 1 }), notionalUsdSigned: sizeUsd, margin: fc.option(margin, { freq: 3 }) })
  .map(({ row, notionalUsdSigned, margin: behind }) => positionOf(row, notionalUsdSigned, behind));

// Mutants killed: the other end of the row's extremes, losses that are out of order at another sigma, a bound not looked
// for, met scenarios counted twice or at their price's loss, a list believed that ends early, the bound counted in trials or
// in what is asked about, trials from nothing instead of from what is held, a share of nothing, another row's changes taken.

describe("lonePositionRisk", () => {
  it("is what the general way says of a book of one position", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: sheets.length - 1 }),
        position,
        fc.array(fc.constantFrom(0, 300, -40_000, 25_000, -25_000, 2e6), { maxLength: 5 }),
        fc.constantFrom("own row", "other row", "no row"),
        (at, held, changesUsd, asked) => {
          const sheet = sheets[at]!;
          const changes = {
            "own row": { row: held.row, changesUsd },
            "other row": { row: 1 - held.row, changesUsd: [] },
            "no row": null,
          }[asked];
          const found = lonePositionRisk(sheet, held, changes, workspace);
          const wanted = generalRisk(sheet, held, changes);
          if (held.bound === null) expect(found).not.toBeNull();
          if (found === null) return;

          if (held.bound === null) {
            expect(found.attribution.tail).toEqual(wanted.attribution.tail);
            expect(found.tailLossesUsd).toEqual(wanted.tailLossesUsd);
            expect(found.attribution.aloneVar99Usd).toBe(wanted.attribution.aloneVar99Usd);
          }
          const scaleUsd = Math.abs(held.notionalUsdSigned);
          expectClose(numbersOf(found), numbersOf(wanted), scaleUsd);
          expectClose(found.tailLossesUsd, wanted.tailLossesUsd, scaleUsd);
          expectClose(found.changedShortfalls99Usd, wanted.changedShortfalls99Usd, scaleUsd);
          const isShared = wanted.attribution.positions[0]!.componentVarShare !== null;
          expect(found.attribution.positions[0]!.componentVarShare).toBe(isShared ? 1 : null);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("needs the general way only where little is behind a position that many scenarios liquidate", () => {
    const near = { share: 0.011, distance: 0.01 };
    const thin = { share: 0, distance: 0.02 };

    expect(lonePositionRisk(drawn, positionOf(0, 25_000, near), null, workspace)).not.toBeNull();
    expect(lonePositionRisk(drawn, positionOf(0, -25_000, near), null, workspace)).not.toBeNull();
    expect(workspace.book.met.total).toBeGreaterThan(0);
    expect(lonePositionRisk(drawn, positionOf(0, 25_000, thin), null, workspace)).toBeNull();
  });

  it("is of an account with one position whose own row is changed, if any is", () => {
    const held = positionOf(1, 25_000, null);

    expect(lonePositionOf([held], null)).toBe(held);
    expect(lonePositionOf([held], { row: 1, changesUsd: [5] })).toBe(held);
    expect(lonePositionOf([held], { row: 0, changesUsd: [] })).toBe(held);
    expect(lonePositionOf([held], { row: 0, changesUsd: [5] })).toBeNull();
    expect(lonePositionOf([held, positionOf(0, 1, null)], null)).toBeNull();
    expect(lonePositionOf([], null)).toBeNull();
  });
});

function positionOf(
  row: number,
  notionalUsdSigned: number,
  behind: { readonly share: number; readonly distance: number | null } | null,
): BoundedPosition {
  if (behind === null) return { row, notionalUsdSigned, bound: null };
  const logBarrier = behind.distance === null ? null : -Math.sign(notionalUsdSigned) * behind.distance;
  return {
    row,
    notionalUsdSigned,
    bound: { equityUsd: behind.share * Math.abs(notionalUsdSigned), logBarrier },
  };
}

function generalRisk(sheet: ScenarioSheet, held: BoundedPosition, changes: RowChanges | null): JointRisk {
  const candidates = createTailCandidates(sheet.scenarios, general.arena);
  const attribution = portfolioAttribution(sheet, [held], null, candidates, general);
  const tailLossesUsd = general.tailLossesUsd.slice();
  const { asked, changed } =
    changes === null
      ? { asked: null, changed: [] }
      : changedShortfalls99Usd(sheet, [held], changes, candidates, general);
  return {
    attribution,
    askedShortfall99Usd: asked ?? attribution.tail.expectedShortfall99Usd,
    changedShortfalls99Usd: changed,
    tailLossesUsd,
  };
}

function atSigma(sheet: ScenarioSheet, ratio: number): ScenarioSheet {
  if (ratio === 1) return sheet;
  return [0, 1].reduce(
    (moved, row) =>
      withDay(moved, row, buildSheetDay(sheetRow(sheet, row, 24, "terminal"), ratio, sheet.version, scratch)),
    sheet,
  );
}

function numbersOf({ attribution, askedShortfall99Usd }: JointRisk): readonly number[] {
  const { incrementalVarUsd, componentVarUsd } = attribution.positions[0]!;
  const { tail, aloneVar99Usd } = attribution;
  return [...Object.values(tail), aloneVar99Usd, incrementalVarUsd, componentVarUsd, askedShortfall99Usd];
}

/** The same but for rounding: of a sum, and of what is behind a position put in the place of what its price moves. */
function expectClose(found: ArrayLike<number>, wanted: ArrayLike<number>, scaleUsd: number): void {
  expect(found).toHaveLength(wanted.length);
  for (let i = 0; i < wanted.length; i++) {
    const off = Math.abs(found[i]! - wanted[i]!);
    expect(off).toBeLessThanOrEqual(1e-9 * Math.abs(wanted[i]!) + 1e-12 * scaleUsd);
  }
}
