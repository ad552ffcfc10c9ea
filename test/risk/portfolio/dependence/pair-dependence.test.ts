import { describe, expect, it } from "vitest";
import { tickerOf } from "../../../../src/domain/ids.ts";
import { buildRankQuantiles } from "../../../../src/math/t-copula.ts";
import type { ModelledPosition } from "../../../../src/risk/portfolio/modelled-book.ts";
import {
  awaitPairsOf,
  createDependenceMemory,
  fitAwaitedPair,
  pairDependences,
} from "../../../../src/risk/portfolio/dependence/pair-dependence.ts";
import { rankResiduals, tailDependence } from "../../../../src/risk/portfolio/dependence/tail-dependence.ts";
import { residualsOf, type ScenarioSheet } from "../../../../src/risk/scenarios/sheet.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import { testAsset, testInputs } from "../../../support/scenarios.ts";

// Mutants killed: shorts smaller than any long, a fit kept under one row alone, fits of an earlier pool answered, a
// charged position paired; fitted ahead: nothing, what nobody asked for again, a pair that an answer has fitted already; others before
// those asked about, rows in the order given.

const TAIL = { var95Usd: 0, var99Usd: 0, expectedShortfall95Usd: 0, expectedShortfall99Usd: 0 };
const assets = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => testAsset(seed));
const { sheet } = buildScenarioSheet(testInputs(5, assets));
const { sheet: redrawn } = buildScenarioSheet(testInputs(6, assets.toReversed()));
const memory = createDependenceMemory(sheet.windowHours);
const table = buildRankQuantiles(sheet.windowHours);

describe("pairDependences", () => {
  it("lists every pair of the six largest in the book's order, each as fitted by itself", () => {
    const sizesUsd = [100, -900, 300, 50, -800, 700, 10, 600];
    const rows = [0, 1, 2, 4, 5, 7];

    for (const given of [sheet, redrawn, sheet]) {
      const expected = rows.flatMap((a, i) =>
        rows
          .slice(i + 1)
          .map((b) => ({ tickerA: tickerOf(`A${a}`), tickerB: tickerOf(`A${b}`), ...fit(given, a, b) })),
      );
      expect(pairDependences(given, bookOf(sizesUsd), memory)).toEqual(expected);
    }
  });

  it("says the same of a pair whichever position comes first", () => {
    const [pair] = pairDependences(sheet, bookOf([1, 2]).toReversed(), memory);
    expect(pair).toEqual({ tickerA: tickerOf("A1"), tickerB: tickerOf("A0"), ...fit(sheet, 0, 1) });
  });

  it("has the pairs of the draw before fitted ahead, those that were asked about there, one at a call", () => {
    const ahead = createDependenceMemory(sheet.windowHours);
    const fitAll = (given: ScenarioSheet): number => {
      let calls = 0;
      while (fitAwaitedPair(given, ahead)) calls++;
      return calls;
    };
    expect(fitAll(sheet)).toBe(0);
    pairDependences(sheet, bookOf([1, 2, 3]), ahead);
    expect(fitAll(sheet)).toBe(0);

    expect(fitAll(redrawn)).toBe(3);
    const { pairs } = ahead.fits.of(redrawn);
    expect(pairs.size).toBe(3);
    const known = new Set(pairs.values());
    const expected = pairDependences(redrawn, bookOf([1, 2]), createDependenceMemory(sheet.windowHours));
    expect(pairDependences(redrawn, bookOf([1, 2]), ahead)).toEqual(expected);
    expect(new Set(pairs.values())).toEqual(known);

    const third = buildScenarioSheet(testInputs(8, assets)).sheet;
    expect(fitAll(third)).toBe(1);
    expect(ahead.fits.of(third).pairs.size).toBe(1);
  });

  it("fits nothing anew of a draw that is read in turns with the next", () => {
    const both = createDependenceMemory(sheet.windowHours);
    const book = bookOf([1, 2, 3]);
    const [old, young] = [sheet, redrawn].map((given) => {
      pairDependences(given, book, both);
      return [...both.fits.of(given).pairs.values()];
    });
    awaitPairsOf(redrawn, [5, 7], both);

    pairDependences({ ...sheet, version: 9 }, book, both);
    pairDependences(redrawn, book, both);
    for (const [given, known] of [[sheet, old!] as const, [redrawn, young!] as const]) {
      const pairs = [...both.fits.of(given).pairs.values()];
      expect(pairs).toHaveLength(known.length);
      pairs.forEach((pair, i) => expect(pair).toBe(known[i]));
    }
    expect(both.fits.of(redrawn).awaited.at(0)).toEqual({ first: 5, second: 7 });
  });

  it("fits ahead no pair that an answer has fitted meanwhile, and none that a smaller sheet has no rows for", () => {
    const ahead = createDependenceMemory(sheet.windowHours);
    pairDependences(sheet, bookOf([1, 2, 3]), ahead);
    pairDependences(redrawn, bookOf([1, 2]), ahead);
    const { pairs } = ahead.fits.of(redrawn);
    const [answered] = pairs.values();
    while (fitAwaitedPair(redrawn, ahead));
    expect([...pairs.values()][0]).toBe(answered);

    const smaller = buildScenarioSheet(testInputs(7, assets.slice(0, 2))).sheet;
    pairDependences(redrawn, bookOf([1, 2, 3]), ahead);
    while (fitAwaitedPair(smaller, ahead));
    expect(ahead.fits.of(smaller).pairs.size).toBe(1);
  });

  it("fits the pairs of the rows that it is given ahead, behind those that were asked about", () => {
    const ahead = createDependenceMemory(sheet.windowHours);
    pairDependences(sheet, bookOf([1, 2]), ahead);
    awaitPairsOf(redrawn, [5, 2, 7], ahead);
    const { pairs } = ahead.fits.of(redrawn);
    const fitted = (): string[] => [...pairs.values()].map(({ first, second }) => `${first} ${second}`);

    expect(fitAwaitedPair(redrawn, ahead)).toBe(true);
    expect(fitted()).toEqual(["0 1"]);
    while (fitAwaitedPair(redrawn, ahead));
    expect(fitted().toSorted()).toEqual(["0 1", "2 5", "2 7", "5 7"]);

    const known = new Set(pairs.values());
    awaitPairsOf(redrawn, [7, 5], ahead);
    while (fitAwaitedPair(redrawn, ahead));
    expect(new Set(pairs.values())).toEqual(known);
  });

  it("leaves out what has no place in the joint scenarios", () => {
    const book = bookOf([1, 2, 3]).map((position, i) => (i === 1 ? { ...position, joint: null } : position));
    const pairs = pairDependences(sheet, book, memory);
    expect(pairs.map(({ tickerA, tickerB }) => [tickerA, tickerB])).toEqual([["A0", "A2"]]);
    expect(pairDependences(sheet, bookOf([1]), memory)).toEqual([]);
  });
});

function bookOf(sizesUsd: readonly number[]): ModelledPosition[] {
  return sizesUsd.map((notionalUsdSigned, row) => ({
    ticker: tickerOf(`A${row}`),
    notionalUsdSigned,
    joint: { row, notionalUsdSigned, bound: null },
    chargeUsd: TAIL,
  }));
}

function fit(given: ScenarioSheet, rowA: number, rowB: number): object {
  const ranked = [rowA, rowB].map((row) => rankResiduals(residualsOf(given, row), table));
  return tailDependence(ranked[0]!, ranked[1]!, table)!;
}
