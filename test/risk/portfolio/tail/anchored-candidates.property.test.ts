import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/math/random.ts";
import { fillPortfolioLosses } from "../../../../src/risk/portfolio/portfolio-losses.ts";
import { createPortfolioWorkspace } from "../../../../src/risk/portfolio/portfolio-var.ts";
import { anchorCandidates } from "../../../../src/risk/portfolio/tail/anchored-candidates.ts";
import { createTailCandidates } from "../../../../src/risk/portfolio/tail/tail-candidates.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import { testAsset, testInputs } from "../../../support/scenarios.ts";

// Mutants killed: the last candidate left out, a level below those left, ties believed to be few, nothing lost at all.

const { sheet: small } = buildScenarioSheet(testInputs(5, [testAsset(1)]));
const workspaces = new Map([600, 1024, 1025].map((size) => [size, createPortfolioWorkspace(size)]));

/** Returns that spread, that tie in a few values, that all gain, and of which one is far from all. */
const given = fc.record({
  seed: fc.nat(),
  scenarios: fc.constantFrom(...workspaces.keys()),
  shape: fc.constantFrom("spread", "ties", "gains", "outlier"),
  notionalsUsd: fc.array(fc.constantFrom(1_000, -400, 25, 0), { maxLength: 3 }),
});

describe("anchorCandidates", () => {
  it("leaves no scenario out that lost more than it says of the rest, and takes about as many as a tail needs", () => {
    const isLevel = new Set<boolean>();
    fc.assert(
      fc.property(given, ({ seed, scenarios, shape, notionalsUsd }) => {
        const random = createRandom(seed);
        const drawn = (): number => {
          const value = 0.04 * random.normal();
          if (shape === "ties") return Math.round(value * 20) / 20;
          return shape === "gains" ? Math.abs(value) : value;
        };
        const days = notionalsUsd.map(() => ({
          ...small.days[0]!,
          returns: Float32Array.from({ length: scenarios }, drawn),
        }));
        if (shape === "outlier" && days.length > 0) days[0]!.returns[7] = -0.99;
        const sheet = { ...small, rows: days.length, scenarios, days, pools: { ...small.pools } };
        const positions = notionalsUsd.map((notionalUsdSigned, row) => ({ row, notionalUsdSigned }));
        const workspace = workspaces.get(scenarios)!;
        const candidates = createTailCandidates(scenarios, workspace.arena);

        anchorCandidates(sheet, positions, candidates, workspace);

        const lossesUsd = new Float64Array(scenarios);
        fillPortfolioLosses(sheet, positions, lossesUsd);
        const wanted = Math.ceil(2.5 * workspace.reach95);
        const { count, restLossesUsd, restLossUsd, columns } = candidates;
        expect(count).toBeGreaterThanOrEqual(0.95 * wanted);
        expect(count).toBeLessThanOrEqual(1.2 * wanted);
        isLevel.add(count > wanted);
        const taken = new Set(candidates.scenarios.subarray(0, count));
        expect(taken.size).toBe(count);
        const wrong = Array.from(lossesUsd.keys()).filter((scenario) => {
          const lossUsd = lossesUsd[scenario]!;
          const slot = candidates.slots[scenario]! - 1;
          if (slot >= 0 !== taken.has(scenario)) return true;
          const isKept = slot >= 0 ? candidates.scenarios[slot] === scenario : lossUsd <= restLossUsd;
          return !isKept || restLossesUsd[scenario] !== (slot >= 0 ? -Infinity : lossUsd);
        });
        expect(wrong).toEqual([]);
        expect(columns.map(({ row, referenceUsd }) => ({ row, notionalUsdSigned: referenceUsd }))).toEqual(
          positions,
        );
      }),
    );
    expect(isLevel.size).toBe(2);
  });
});
