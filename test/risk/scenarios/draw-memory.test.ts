import { describe, expect, it } from "vitest";
import { createProductMemory, productAt } from "../../../src/risk/portfolio/dependence/residual-products.ts";
import { createRowMemory, foundOf } from "../../../src/risk/portfolio/liquidation/row-paths.ts";
import { createRowExtremes, extremesOf } from "../../../src/risk/portfolio/tail/row-extremes.ts";
import { DrawMemory } from "../../../src/risk/scenarios/draw-memory.ts";
import { withDay } from "../../../src/risk/scenarios/sheet.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: a draw that is read again begins anew; the first draw's memory given for every one; a rescaled sheet
// taken for another draw; what was found last not handed on.
const [first, second] = [1, 2].map(
  (seed) => buildScenarioSheet(testInputs(seed, [testAsset(1), testAsset(2)])).sheet,
);
const [old, young] = [first!, second!];
const rescaled = withDay(old, 0, { ...old.days[0]!, sigma: 2 * old.days[0]!.sigma });

describe("a memory of draws", () => {
  it("keeps what was found in each while they are read in turns", () => {
    const begun: unknown[] = [];
    const memory = new DrawMemory((sheet, before: { readonly of: unknown } | null) => {
      begun.push(before?.of ?? null);
      return { of: sheet };
    });
    const [ofOld, ofYoung] = [memory.of(old), memory.of(young)];

    for (const sheet of [old, rescaled, young, old]) {
      expect(memory.of(sheet)).toBe(sheet === young ? ofYoung : ofOld);
    }
    expect(ofYoung).not.toBe(ofOld);
    expect(begun).toEqual([null, old]);
  });

  it("is what rows' extremes, their paths and products of residuals are kept in", () => {
    const extremes = createRowExtremes(old.scenarios);
    const paths = createRowMemory<Float32Array>();
    const products = createProductMemory(0.97);
    const found = [old, young].map((sheet) => {
      productAt(sheet, 0, 1, products.of(sheet));
      return [extremesOf(sheet, 0, 1, extremes), foundOf(sheet, 1, -1, paths, (worst) => worst.slice())];
    });

    for (const [i, sheet] of [old, young].entries()) {
      expect(extremesOf(sheet, 0, 1, extremes)).toBe(found[i]![0]);
      expect(foundOf(sheet, 1, -1, paths, (worst) => worst.slice())).toBe(found[i]![1]);
      expect(products.of(sheet).total[1]).not.toBeNaN();
    }
    expect(found[0]![0]).not.toEqual(found[1]![0]);
  });
});
