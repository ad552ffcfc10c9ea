import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { heapCollection } from "../../src/domain/garbage-collection.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { buildRankQuantiles } from "../../src/math/t-copula.ts";
import { assess } from "../../src/risk/assess.ts";
import { pairDependences } from "../../src/risk/portfolio/dependence/pair-dependence.ts";
import { scenarioReader } from "../../src/gateway/scenario-reader.ts";
import { type AssetSnapshot, buildSnapshot } from "../../src/snapshot/asset-snapshot.ts";
import { buildScenarioSheet } from "../../src/risk/scenarios/sheet-builder.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { assetContext, assetListing, BTC, ETH, NOW_MS, position, walletState } from "../support/builders.ts";
import { assessInput, assetView, SOL } from "../support/market.ts";
import { testAsset, testInputs } from "../support/scenarios.ts";

const LONG = position({ ticker: BTC, sizeBase: 0.4, entryPrice: 100_000 });
const SHORT = position({ ticker: ETH, sizeBase: -5, entryPrice: 4_000 });
/** Whose margin is lost in many scenarios. */
const ISOLATED = position({
  ticker: SOL,
  sizeBase: 100,
  entryPrice: 200,
  leverage: 50,
  marginMode: "isolated",
  isolatedCashUsd: -19_700,
});

vi.mock("../../src/math/t-copula.ts", { spy: true });

// Mutants killed: nothing fitted ahead, all fitted before the next request, memory made at the first read, made for every sheet, kept for a sheet of another size, a sheet that outlives its engine, the table made with the first sheet, kept for another window; bounds that were met, or what was found of rows, kept of a draw before; other assets
// than the most traded seeded, those without a row, at once, or of a sheet that another has replaced.

describe("scenarioReader", () => {
  const { sheet } = buildScenarioSheet(testInputs(1, [testAsset(1), testAsset(2), testAsset(3)]));
  const tail = { var95Usd: 0, var99Usd: 0, expectedShortfall95Usd: 0, expectedShortfall99Usd: 0 };
  const book = [0, 1, 2].map((row) => {
    const joint = { row, notionalUsdSigned: 1, bound: null };
    return { ticker: tickerOf(`A${row}`), notionalUsdSigned: 1, joint, chargeUsd: tail };
  });

  it("gives the newest sheet, and null before the first of each run of the engine", () => {
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots, sheet.windowHours);
    expect(read()).toBeNull();
    snapshots.accept({ type: "sheet.published", sheet });
    expect(read()!.sheet).toBe(sheet);
    expect(read()).toBe(read());
    snapshots.accept({ type: "run.began", hasBeenReady: false });
    expect(read()).toBeNull();
    snapshots.accept({ type: "sheet.published", sheet });
    expect(read()!.sheet).toBe(sheet);
  });

  it("makes the working memory when a sheet comes, and keeps it for sheets of its size", () => {
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots, sheet.windowHours);
    let sizesRead = 0;
    const watched = {
      ...sheet,
      get windowHours() {
        sizesRead += 1;
        return sheet.windowHours;
      },
    };
    snapshots.accept({ type: "sheet.published", sheet: watched });
    const whenItCame = sizesRead;
    const first = read()!;
    expect(whenItCame).toBeGreaterThan(0);
    expect(sizesRead).toBe(whenItCame);

    snapshots.accept({ type: "sheet.published", sheet: { ...sheet, version: 2 } });
    expect(read()!.scratch).toBe(first.scratch);
    snapshots.accept({ type: "sheet.published", sheet: { ...sheet, windowHours: sheet.windowHours / 2 } });
    expect(read()!.scratch).not.toBe(first.scratch);
    expect(read()!.scratch.dependence.table.sampleSize).toBe(sheet.windowHours / 2);
  });

  it("makes the table of quantiles before the first sheet comes", () => {
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots, sheet.windowHours);
    vi.mocked(buildRankQuantiles).mockClear();
    snapshots.accept({ type: "sheet.published", sheet });
    expect(read()!.scratch.dependence.table.sampleSize).toBe(sheet.windowHours);
    expect(buildRankQuantiles).not.toHaveBeenCalled();
  });

  it("fits the pairs that were asked about on the sheet before, one after another and not at once", async () => {
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots, sheet.windowHours);
    snapshots.accept({ type: "sheet.published", sheet });
    const { dependence } = read()!.scratch;
    pairDependences(sheet, book, dependence);
    expect(dependence.fits.of(sheet).pairs.size).toBe(3);

    const redrawn = { ...sheet, version: 2, pools: { ...sheet.pools } };
    snapshots.accept({ type: "sheet.published", sheet: redrawn });
    const { pairs, awaited } = dependence.fits.of(redrawn);
    const sizes = [pairs.size];
    while (awaited.length > 0) {
      await turn();
      sizes.push(pairs.size);
    }
    expect(sizes).toEqual([1, 2, 3]);
  });

  it("fits the pairs of the sixteen most traded assets that have a row, once they are known, and of the newest sheet", async () => {
    const many = buildScenarioSheet(
      testInputs(
        2,
        Array.from({ length: 18 }, (_, i) => testAsset(i)),
      ),
    ).sheet;
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots, many.windowHours);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      snapshots.accept({ type: "sheet.published", sheet: many });
      // The last row is traded the most; the asset of the next has none.
      for (let row = 0; row < 18; row++)
        snapshots.accept({ type: "asset.published", snapshot: tradedAt(row) });
      vi.advanceTimersByTime(900);
      snapshots.accept({
        type: "sheet.published",
        sheet: { ...many, version: 2, pools: { ...many.pools } },
      });
      vi.advanceTimersByTime(900);
      const { sheet: newest, scratch } = read()!;
      const { pairs, awaited } = scratch.dependence.fits.of(newest);
      expect(awaited).toEqual([]);
      vi.advanceTimersByTime(100);
      while (awaited.length > 0) await turn();

      const rows = new Set([...pairs.values()].flatMap(({ first, second }) => [first, second]));
      expect(pairs.size).toBe(120);
      expect([...rows].toSorted((a, b) => a - b)).toEqual([
        0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17,
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  describe("holds nothing of a draw that another has replaced", () => {
    const collectHeap = heapCollection();
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots, sheet.windowHours);
    const draw = (seed: number): void => {
      const assets = [testAsset(1), testAsset(2), testAsset(3)];
      const drawn = buildScenarioSheet({ ...testInputs(seed, assets), version: seed }).sheet;
      snapshots.accept({ type: "sheet.published", sheet: drawn });
    };
    const memoryInForce = (): WeakRef<ArrayBufferLike> => new WeakRef(read()!.sheet.logPaths.buffer);
    const askOf = (scenarios: ReturnType<typeof read>): void => {
      for (const positions of [[LONG], [LONG, SHORT], [LONG, SHORT, ISOLATED], [ISOLATED]]) {
        const account = walletState(20_000, positions);
        const { portfolioAttribution } = assess(assessInput({ account, scenarios }));
        expect(portfolioAttribution!.simulations).toBe(sheet.scenarios);
      }
    };

    it("whatever was asked of it and asks no more", async () => {
      draw(1);
      const old = memoryInForce();
      askOf(read());
      await turn();
      collectHeap();
      expect(old.deref()).toBe(read()!.sheet.logPaths.buffer);

      draw(2);
      await turn();
      collectHeap();
      expect(old.deref()).toBeUndefined();
      expect(memoryInForce().deref()).toBeDefined();
    });

    it("a second after a batch went on with it", async () => {
      const goOnBeyond = (next: () => void): void => {
        const begun = read();
        next();
        askOf(begun);
      };
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        draw(3);
        const old = memoryInForce();
        goOnBeyond(() => draw(4));
        vi.advanceTimersByTime(1_000);
        await turn();
        collectHeap();
        expect(old.deref()).toBeUndefined();
      } finally {
        vi.useRealTimers();
      }
    });
  });

  /** Of rows 0 to 17; 16 has none, and 1 is traded the least. */
  function tradedAt(row: number): AssetSnapshot {
    const ticker = tickerOf(`A${row}`);
    const volume24hUsd = row === 1 ? 1 : 1e6 * (row + 1);
    const view = {
      ...assetView(),
      listing: assetListing({ ticker, assetIndex: row }),
      context: assetContext({ volume24hUsd }),
      sheetRow: row === 16 ? null : row,
    };
    return buildSnapshot(view, {
      lifecycle: "live",
      sequence: 1,
      publishedAtMs: NOW_MS,
      bookArrivedAtMs: NOW_MS,
      sheetDay: null,
    });
  }
});
