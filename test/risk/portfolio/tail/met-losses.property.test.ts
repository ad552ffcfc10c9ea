import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPortfolioWorkspace } from "../../../../src/risk/portfolio/portfolio-var.ts";
import { forgetLosses } from "../../../../src/risk/portfolio/tail/asked-book.ts";
import { bookTail } from "../../../../src/risk/portfolio/tail/book-tail.ts";
import {
  liftBound,
  putBoundBack,
  type TailPosition,
} from "../../../../src/risk/portfolio/tail/met-losses.ts";
import { addCandidate, createTailCandidates } from "../../../../src/risk/portfolio/tail/tail-candidates.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import { testAsset, testHistory, testInputs } from "../../../support/scenarios.ts";

const HOURS = 1024;
const assets = [1, 2, 3].map((seed) => testAsset(seed, { history: testHistory(seed, { hours: HOURS }) }));
const { sheet } = buildScenarioSheet(testInputs(5, assets));
const workspace = createPortfolioWorkspace(sheet.scenarios);

/** Isolated positions whose liquidation is met in many scenarios, one an asset. */
const book = fc.array(
  fc.record({
    usd: fc.double({ min: 1_000, max: 100_000, noNaN: true }),
    side: fc.constantFrom(1, -1),
    share: fc.double({ min: 0.005, max: 0.05, noNaN: true }),
  }),
  { minLength: assets.length, maxLength: assets.length },
);

// Mutants killed: losses of a lifted position made again in full at once, its bound counted though it is lifted, slots before
// the block changed again.

describe("losses where bounds are met", () => {
  it("are to the last bit what they were when they are made again while a position is lifted", () => {
    fc.assert(
      fc.property(book, fc.nat({ max: assets.length - 1 }), (held, lifted) => {
        const positions = held.map(({ usd, side, share }, row): TailPosition => {
          const bound = { equityUsd: share * usd, logBarrier: -side * 0.9 * share };
          return { row, notionalUsdSigned: side * usd, bound };
        });
        const candidates = createTailCandidates(sheet.scenarios, workspace.arena);
        bookTail(sheet, positions, null, candidates, workspace);
        const { lossesUsd } = workspace.book;
        const known = candidates.count;
        const before = lossesUsd.slice(0, known);
        liftBound(lifted, candidates, workspace.book);
        const whileLifted = lossesUsd.slice(0, known);

        const another = candidates.slots.indexOf(0);
        if (another < 0) return;
        addCandidate(another, candidates);
        forgetLosses(known, candidates, workspace.book);

        expect(lossesUsd.subarray(0, known)).toEqual(whileLifted);
        putBoundBack(candidates, workspace.book);
        expect(lossesUsd.subarray(0, known)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });
});
