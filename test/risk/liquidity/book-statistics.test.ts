import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/domain/bar.ts";
import {
  buildBookStatistics,
  createBookHours,
  depthRatioOf,
  observeBook,
} from "../../../src/risk/liquidity/book-statistics.ts";
import { stressedExitOf } from "../../../src/risk/liquidity/exit-cost.ts";
import { bookDepthOf, type SlippageMarket, slippageOf } from "../../../src/risk/liquidity/slippage.ts";
import { liquidityCostUsd } from "../../../src/risk/tails/var.ts";
import { book, direction, magnitude } from "../../support/arbitraries.ts";
import { evenBook } from "../../support/builders.ts";
import { bookStatistics } from "../../support/market.ts";
import { recordedBooks } from "../../support/recorded-books.ts";
import { hasSharedData, sharedText } from "../../support/shared-data.ts";

/* Mutants killed by hand: ring that never wraps; an older hour than the window kept, where hours without a book came between; open hour forgotten, or counted among others; upper depth quantile; sd over n; mean for median. */

interface Sample {
  hour: number;
  spread: number;
  depth: number;
}

const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2;
};

function statisticsOf(samples: readonly Sample[]) {
  const hours = createBookHours();
  for (const { hour, spread, depth } of samples) observeBook(hours, spread, depth, hour * HOUR_MS + 60_000);
  return buildBookStatistics(hours);
}

describe("book statistics", () => {
  it("knows nothing before the first book, and that book after it", () => {
    expect(statisticsOf([])).toBeNull();
    expect(statisticsOf([{ hour: 1, spread: 0.001, depth: 5000 }])).toEqual({
      observedHours: 1,
      medianSpreadFraction: 0.001,
      meanSpreadFraction: 0.001,
      sdSpreadFraction: 0,
      spreadFactor95: null,
      spreadFactor99: null,
      medianDepthUsd: 5000,
      depthRatio95: null,
      depthRatio99: null,
    });
  });

  it("says when an hour closed", () => {
    const hours = createBookHours();
    const at = (hour: number): boolean => observeBook(hours, 0.001, 1, hour * HOUR_MS);

    expect([at(1), at(1.9), at(2), at(2.5), at(9)]).toEqual([false, false, true, false, true]);
  });

  it("counts a book that comes late to the hour under way, which it does not close again", () => {
    const hours = createBookHours();
    const at = (hour: number): boolean => observeBook(hours, 0.001, 1, hour * HOUR_MS);

    expect([at(5), at(4), at(5.5), at(6)]).toEqual([false, false, false, true]);
    expect(buildBookStatistics(hours)!.observedHours).toBe(1);
  });

  it("keeps the hours that closed in the last 30 days, by their own means", () => {
    const sample = fc.record({
      hour: fc.nat(1_500),
      spread: magnitude(1e-6, 0.01),
      depth: magnitude(1e3, 1e8),
    });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 900 }), (unordered) => {
        const samples = unordered.toSorted((a, b) => a.hour - b.hour);
        const byHour = new Map<number, Sample[]>();
        for (const s of samples) byHour.set(s.hour, [...(byHour.get(s.hour) ?? []), s]);
        const oldest = samples.at(-1)!.hour - 720;
        const [open, ...closed] = [...byHour.values()]
          .filter(([first]) => first!.hour >= oldest)
          .toReversed();
        const kept = closed.length === 0 ? [open!] : closed;
        const means = (of: (s: Sample) => number): number[] =>
          kept.map((hour) => hour.reduce((sum, s) => sum + of(s), 0) / hour.length);
        const spreads = means((s) => s.spread);
        const found = statisticsOf(samples)!;
        const mean = spreads.reduce((a, b) => a + b, 0) / spreads.length;
        expect(found.observedHours).toBe(kept.length);
        expect(found.medianSpreadFraction).toBeCloseTo(median(spreads), 12);
        expect(found.medianDepthUsd / median(means((s) => s.depth))).toBeCloseTo(1, 9);
        expect(found.meanSpreadFraction).toBeCloseTo(mean, 12);
      }),
      { numRuns: 30 },
    );
  });

  it("counts the first hour by the mean of its books so far, and the next not before it has closed", () => {
    const samples = [0.001, 0.002, 0.006].map((spread, i) => ({ hour: 3, spread, depth: 1000 * (i + 1) }));

    const found = statisticsOf(samples)!;

    expect(found.medianSpreadFraction).toBeCloseTo(0.003, 15);
    expect(found.medianDepthUsd).toBe(2000);
    expect(statisticsOf([...samples, { hour: 4, spread: 0.1, depth: 1 }])).toEqual(found);
  });

  it("wraps its window", () => {
    const early = Array.from({ length: 800 }, (_, hour) => ({ hour, spread: 0.01, depth: 1 }));
    const late = Array.from({ length: 722 }, (_, i) => ({ hour: 800 + i, spread: 0.001, depth: 9 }));

    const found = statisticsOf([...early, ...late])!;

    expect(found).toMatchObject({ observedHours: 720, medianSpreadFraction: 0.001, medianDepthUsd: 9 });
    expect(found.sdSpreadFraction).toBeLessThan(1e-15);
  });

  it("measures how far a bad hour is away once it has seen a week", () => {
    const samples = Array.from({ length: 201 }, (_, hour) => ({
      hour,
      spread: hour % 50 === 49 ? 0.004 : 0.001,
      depth: hour % 50 === 49 ? 100 : 1000,
    }));
    const found = statisticsOf(samples)!;
    const sd = Math.sqrt((4 * (0.004 - 0.00106) ** 2 + 196 * (0.001 - 0.00106) ** 2) / 199);

    expect(found.sdSpreadFraction).toBeCloseTo(sd, 12);
    expect(found.spreadFactor99).toBeCloseTo((0.004 - 0.00106) / sd, 9);
    expect(found.spreadFactor95).toBe(0);
    expect(found).toMatchObject({ depthRatio99: 0.1, depthRatio95: 1 });
    expect(depthRatioOf(250, found)).toBe(0.25);
    expect(depthRatioOf(250, null)).toBe(1);
    expect(depthRatioOf(250, { ...found, medianDepthUsd: 0 })).toBe(1);
  });

  it("knows from a week's hours on how thin the book is in a twentieth and a hundredth of them", () => {
    const samples = Array.from({ length: 169 }, (_, hour) => ({ hour, spread: 0.001, depth: 1 + hour }));

    // Of 1 to 168 the median is 84.5; a twentieth and a hundredth of the way through 167 gaps are 8.35 and 1.67.
    const found = statisticsOf(samples)!;
    expect(found.depthRatio95).toBeCloseTo(9.35 / 84.5, 12);
    expect(found.depthRatio99).toBeCloseTo(2.67 / 84.5, 12);
    expect(statisticsOf(samples.slice(1))).toMatchObject({ depthRatio95: null, depthRatio99: null });
  });

  it("believes in a fiftieth of the usual depth at least, and in no ratio to a depth of nothing", () => {
    const depthsOf = (depth: (hour: number) => number) =>
      statisticsOf(Array.from({ length: 200 }, (_, hour) => ({ hour, spread: 0.001, depth: depth(hour) })));

    expect(depthsOf((hour) => (hour % 10 === 0 ? 1 : 1000))).toMatchObject({
      depthRatio95: 0.02,
      depthRatio99: 0.02,
    });
    expect(depthsOf(() => 0)).toMatchObject({ depthRatio95: null, depthRatio99: null });
  });

  it("knows no bad spread of a book whose spread never moved", () => {
    const samples = Array.from({ length: 200 }, (_, hour) => ({ hour, spread: 2 ** -10, depth: 1 }));

    expect(statisticsOf(samples)).toMatchObject({
      sdSpreadFraction: 0,
      spreadFactor95: null,
      spreadFactor99: null,
    });
  });

  it.skipIf(!hasSharedData)("takes two years of recorded BTC depth and spread in", () => {
    const rows = sharedText("books/hl_depth_summary_6h_BTC.csv").trimEnd().split("\n").slice(1);
    const hours = createBookHours();
    // Recorded every six hours; taken for one after the other.
    for (const [hour, row] of rows.entries()) {
      const [, , spreadBps, depth] = row.split(",").map(Number);
      observeBook(hours, spreadBps! / 1e4, depth!, hour * HOUR_MS);
    }
    const found = buildBookStatistics(hours)!;

    expect(found.observedHours).toBe(720);
    expect(found.medianSpreadFraction).toBeGreaterThan(0);
    expect(found.medianSpreadFraction).toBeLessThan(1e-4);
    expect(found.depthRatio99).toBeLessThan(found.depthRatio95!);
  });
});

describe("stressedExitOf", () => {
  const marketOf = (b: SlippageMarket["book"]): SlippageMarket => ({
    book: b,
    markPrice: 100,
    sigmaDay: 0.05,
    volume24hUsd: 1e8,
  });

  it("walks a thinned book: depth cut to a half costs what twice the size does", () => {
    const market = marketOf(evenBook(100));
    const exit = stressedExitOf(market, null, null, -1);
    const walk = slippageOf(market, -1, 20_000_000);

    expect(exit.exitCostFraction(10_000_000, 0.5)).toBeCloseTo(
      walk.costFraction - walk.halfSpreadFraction,
      12,
    );
    expect(exit).toMatchObject({ depthFactor95: 0.5, depthFactor99: 0.25, spreadDeviation: 0 });
    expect(exit).toMatchObject({ spreadMultiple95: 2, spreadMultiple99: 4 });
  });

  it("thins a book to a quantile of its usual depth, whatever its depth is now", () => {
    const usual = { ...bookStatistics(), depthRatio95: 0.5, depthRatio99: 0.25 };
    const costAt = (ofUsual: number, depths = 0.05): number => {
      const now = evenBook(100, 20, 0.0005, (ofUsual * usual.medianDepthUsd) / 40);
      const exit = stressedExitOf(marketOf(now), bookDepthOf(now), usual, -1);
      return exit.exitCostFraction(depths * usual.medianDepthUsd, exit.depthFactor99);
    };

    const usually = evenBook(100, 20, 0.0005, usual.medianDepthUsd / 40);
    const known = { ...usual, depthRatio95: 0.6, depthRatio99: 0.3 };
    const factors = stressedExitOf(marketOf(usually), { depth100BpsUsd: usual.medianDepthUsd }, known, -1);
    expect(factors).toMatchObject({ depthFactor95: 0.6, depthFactor99: 0.3 });
    const usualCost = costAt(1);
    expect(costAt(3)).toBeCloseTo(usualCost, 12);
    expect(costAt(0.25)).toBeCloseTo(usualCost, 12);
    // Beyond the visible book, and beyond the reach of its curve, where impact on the volume prices the rest.
    for (const depths of [0.5, 2, 10]) {
      expect(costAt(3, depths)).toBeCloseTo(costAt(0.25, depths), 12);
      expect(costAt(1, depths)).toBeCloseTo(costAt(0.25, depths), 12);
    }
    // Thinner than in a hundredth of the time already: the walk through the book of now, not thinned once more.
    const gone = evenBook(100, 20, 0.0005, (0.1 * usual.medianDepthUsd) / 40);
    const exit = stressedExitOf(marketOf(gone), bookDepthOf(gone), usual, -1);
    expect([exit.depthFactor95, exit.depthFactor99]).toEqual([1, 1]);
    expect(costAt(0.1)).toBeGreaterThan(usualCost);
  });

  it("counts the spread of now where it is wider than usual, else the usual one", () => {
    const now = evenBook(100);
    const spreadOf = (meanSpreadFraction: number): number => {
      const usual = { ...bookStatistics(), meanSpreadFraction };
      return stressedExitOf(marketOf(now), null, usual, -1).spreadMean;
    };
    const spreadNow = bookDepthOf(now).spreadFraction;

    expect(spreadOf(spreadNow / 2)).toBe(spreadNow);
    expect(spreadOf(2 * spreadNow)).toBe(2 * spreadNow);
    expect(stressedExitOf(marketOf(null), null, null, -1).spreadMean).toBe(0);
  });

  it("costs at least the half spread of now, more in a worse market, and more per dollar for more dollars", () => {
    fc.assert(
      fc.property(book, direction, magnitude(10, 1e8), magnitude(1, 10), (b, d, usd, more) => {
        const exit = stressedExitOf(marketOf(b), null, null, d);
        const at = (n: number, depth: number): number => liquidityCostUsd(n, exit, 3, depth) / n;
        const half = 0.5 * bookDepthOf(b).spreadFraction;
        expect(at(usd, 0.5)).toBeGreaterThanOrEqual(half - 1e-12);
        expect(at(usd * more, 0.5)).toBeGreaterThanOrEqual(at(usd, 0.5) - 1e-12);
        expect(at(usd, 0.25)).toBeGreaterThanOrEqual(at(usd, 0.5) - 1e-12);
      }),
    );
  });

  it.skipIf(!hasSharedData)("stays finite over every recorded book", () => {
    for (const b of recordedBooks("WLFI", 500)) {
      const exit = stressedExitOf(marketOf(b), null, null, 1);
      expect(exit.exitCostFraction(1e8, 0.02)).toBeLessThan(1);
    }
  });
});
