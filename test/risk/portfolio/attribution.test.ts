import { describe, expect, it } from "vitest";
import {
  diversificationBenefitOf,
  portfolioAttribution,
  type PortfolioAttribution,
} from "../../../src/risk/portfolio/attribution.ts";
import { createPortfolioWorkspace } from "../../../src/risk/portfolio/portfolio-var.ts";
import type { SheetPosition } from "../../../src/risk/portfolio/portfolio-losses.ts";
import {
  createProductMemory,
  residualCorrelation,
} from "../../../src/risk/portfolio/dependence/residual-products.ts";
import { createTailCandidates } from "../../../src/risk/portfolio/tail/tail-candidates.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: shares of a small total withheld, a benefit of no risk that is no number, the same of a correlation with
// what does not move.

const { sheet } = buildScenarioSheet(testInputs(11, [testAsset(1), testAsset(2)]));

describe("portfolioAttribution", () => {
  it("knows the shares of a total however little of a hedged book it is", () => {
    const { positions, tail } = attributionOf([
      { row: 0, notionalUsdSigned: 1_000_000 },
      { row: 0, notionalUsdSigned: -999_800 },
    ]);

    const shares = positions.map(({ componentVarShare }) => componentVarShare!);
    expect(shares[0]! + shares[1]!).toBeCloseTo(1, 6);
    expect(shares[0]).toBeCloseTo(5000, 3);
    expect(tail.var99Usd).toBeGreaterThan(0);
  });

  it("sees no benefit where nothing is at risk", () => {
    const { tail, positions } = attributionOf([
      { row: 0, notionalUsdSigned: 0 },
      { row: 1, notionalUsdSigned: 0 },
    ]);

    expect(diversificationBenefitOf(tail.var99Usd, 0)).toBe(0);
    expect(positions.map(({ componentVarShare }) => componentVarShare)).toEqual([null, null]);
  });
});

describe("residualCorrelation", () => {
  it("is unknown with an asset that did not move, and 1 of one with itself", () => {
    const residuals = sheet.pools.residuals.slice().fill(0, 0, sheet.windowHours);
    const still = { ...sheet, pools: { ...sheet.pools, residuals } };
    const products = createProductMemory(0.97);

    expect(residualCorrelation(still, 0, 1, products)).toBeNull();
    expect(residualCorrelation(still, 1, 1, products)).toBe(1);
  });
});

function attributionOf(positions: readonly SheetPosition[]): PortfolioAttribution {
  const { scenarios } = sheet;
  const workspace = createPortfolioWorkspace(scenarios);
  return portfolioAttribution(
    sheet,
    positions,
    null,
    createTailCandidates(scenarios, workspace.arena),
    workspace,
  );
}
