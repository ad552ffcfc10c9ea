import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildHarrellDavisWeights, harrellDavisOfDescending } from "../../../src/math/harrell-davis.ts";
import { createHourlyPath, replayPath } from "../../../src/risk/scenarios/path-replay.ts";
import { sigmaDrift } from "../../../src/risk/scenarios/rescale.ts";
import type { ScenarioSheet } from "../../../src/risk/scenarios/sheet.ts";
import { dayReturnsOf, residualsOf, sheetRow, withDay } from "../../../src/risk/scenarios/sheet.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../src/risk/scenarios/sheet-day.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { TEST_WINDOW, testAsset, testHistory, testInputs } from "../../support/scenarios.ts";

// Mutants killed: a row's own index, row offset without the horizon, day returns of the wrong horizon, residuals from
// the wrong column, a week that repeats the day, replay without the row's sigma ratio, replay of the other model of a mixture, long and short tails swapped.

const HORIZONS = [1, 4, 24, 168] as const;

describe("buildScenarioSheet", () => {
  const assets = [testAsset(1), testAsset(2, { sigmaMultiplier: 1.5 }), testAsset(3)];
  const built = buildScenarioSheet(testInputs(42, assets));
  const { sheet } = built;

  it("is bit-identical for the same inputs, and another for another seed", () => {
    const again = buildScenarioSheet(testInputs(42, assets));
    const other = buildScenarioSheet(testInputs(43, assets));

    expect(again.sheet.logPaths).toEqual(sheet.logPaths);
    expect(again.tails).toEqual(built.tails);
    expect(other.sheet.logPaths).not.toEqual(sheet.logPaths);
  });

  it("permutes its rows with the assets", () => {
    const order = [2, 0, 1];
    const permuted = buildScenarioSheet(
      testInputs(
        42,
        order.map((i) => assets[i]!),
      ),
    );

    order.forEach((from, to) => {
      expect(dayReturnsOf(permuted.sheet, to)).toEqual(dayReturnsOf(sheet, from));
      expect(permuted.tails[to]).toEqual(built.tails[from]);
    });
  });

  it("orders every path, at every horizon, in float32 too", () => {
    for (let row = 0; row < 3; row++) {
      const low = new Float32Array(sheet.scenarios);
      const high = new Float32Array(sheet.scenarios);
      for (const horizon of HORIZONS) {
        const terminal = sheetRow(sheet, row, horizon, "terminal");
        sheetRow(sheet, row, horizon, "low").forEach((value, s) => {
          expect(value).toBeLessThanOrEqual(Math.min(low[s]!, terminal[s]!));
          low[s] = value;
        });
        sheetRow(sheet, row, horizon, "high").forEach((value, s) => {
          expect(value).toBeGreaterThanOrEqual(Math.max(high[s]!, terminal[s]!));
          high[s] = value;
        });
      }
    }
  });

  it("gives views of shared memory, not copies", () => {
    expect(sheetRow(sheet, 1, 24, "low").buffer).toBe(sheet.logPaths.buffer);
    expect(sheet.logPaths.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(sheet.pools.tuples.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it("lies in two blocks, of the sheet and of its rows' tails and days, which go back to the system", () => {
    const { logPaths, pools, index, days } = sheet;
    const ofSheet = new Set(
      [logPaths, pools.tuples, pools.residuals, index.hours].map(({ buffer }) => buffer),
    );
    const depths = built.tails.flatMap(({ long, short }) => [...long.adversePaths, ...short.adversePaths]);
    const ofRows = new Set([
      ...depths.map(({ depths: { buffer } }) => buffer),
      ...days.map(({ returns }) => returns.buffer),
    ]);

    expect(depths).toHaveLength(3 * 8);
    expect([ofSheet.size, ofRows.size]).toEqual([1, 1]);
    for (const block of [...ofSheet, ...ofRows]) {
      expect(block).toBeInstanceOf(SharedArrayBuffer);
      expect(block.byteLength).toBeGreaterThan(32 * 1024 * 1024);
    }
    expect(index.hours).toHaveLength(sheet.scenarios * index.steps);
  });

  it("keeps the 24 h simple return of the same paths, its deviation and both its tails", () => {
    const at99 = buildHarrellDavisWeights(sheet.scenarios, 0.99);
    for (let row = 0; row < 3; row++) {
      const returns = dayReturnsOf(sheet, row);
      sheetRow(sheet, row, 24, "terminal").forEach((c, s) => {
        expect(returns[s]).toBe(Math.fround(Math.expm1(c)));
      });
      const long = Float64Array.from(returns, (r) => -r)
        .sort()
        .reverse();
      const short = Float64Array.from(returns).sort().reverse();
      expect(sheet.days[row]!.longVar99).toBeCloseTo(harrellDavisOfDescending(long, at99), 14);
      expect(sheet.days[row]!.shortVar99).toBeCloseTo(harrellDavisOfDescending(short, at99), 14);
    }
  });

  it("moves assets with a common factor together, others not, at the correlation of their hours", () => {
    const loner = testAsset(4, { history: testHistory(4, { marketSeed: 1234 }) });
    const { sheet: wide } = buildScenarioSheet(testInputs(42, [...assets, loner]));

    expect(correlation(residualsOf(wide, 0), residualsOf(wide, 2))).toBeGreaterThan(0.35);
    expect(correlation(dayReturnsOf(wide, 0), dayReturnsOf(wide, 2))).toBeGreaterThan(0.35);
    expect(Math.abs(correlation(dayReturnsOf(wide, 0), dayReturnsOf(wide, 3)))).toBeLessThan(0.3);
  });

  it("replays any scenario hour by hour to the path it stored, mixtures and sheets at another sigma included", () => {
    const mixed = testAsset(5, {
      models: [
        assets[0]!.models[0]!,
        {
          recursion: {
            kind: "hexp",
            baseVarianceStep: 1e-6,
            decays: [0.7, 0.97],
            weights: [0.4, 0.4],
            leverage: 0.1,
          },
          state: Float64Array.of(3e-5, 2e-5, 4e-5),
        },
      ],
    });
    const { sheet: drawn } = buildScenarioSheet(testInputs(6, [assets[0]!, mixed]));
    const ratios = [1.3, 0.8];
    fc.assert(
      fc.property(fc.nat({ max: TEST_WINDOW - 1 }), fc.boolean(), (scenario, isMoved) => {
        const subject = isMoved ? atRatios(drawn, ratios) : drawn;
        const path = createHourlyPath(168);
        for (const row of [0, 1]) {
          const k = isMoved ? ratios[row]! : 1;
          replayPath(subject, row, scenario, path);
          for (const hours of HORIZONS) {
            const terminal = sheetRow(drawn, row, hours, "terminal")[scenario]!;
            const low = sheetRow(drawn, row, hours, "low")[scenario]!;
            const high = sheetRow(drawn, row, hours, "high")[scenario]!;
            expect(path.closes[hours - 1]).toBeCloseTo(k * terminal, 6);
            expect(Math.min(0, ...path.lows.subarray(0, hours))).toBeCloseTo(k * low, 6);
            expect(Math.max(0, ...path.highs.subarray(0, hours))).toBeCloseTo(k * high, 6);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("draws no model whose variance the hours of its pool would let grow", () => {
    const recursion = { kind: "range-garch", omega: 1e-7, alpha: 0.6, asymmetry: 0, beta: 0.7 } as const;
    const wild = testAsset(1, { models: [{ recursion, state: Float64Array.of(2e-5) }] });
    const { sheet: drawn, pools } = buildScenarioSheet(testInputs(42, [wild]));

    const used = drawn.dynamics[0]!.models[0]!.recursion;
    if (used.kind !== "range-garch") throw new Error("built as range GARCH");
    const ratios = pools[0]!.tuples.filter((_, i) => i % 4 === 3);
    const ratio = ratios.reduce((sum, value) => sum + value, 0) / ratios.length;
    expect(used.alpha * ratio + used.beta).toBeCloseTo(0.9995, 12);
  });

  it("multiplies every log path by the sigma multiplier", () => {
    const doubled = buildScenarioSheet(testInputs(42, [testAsset(1, { sigmaMultiplier: 2 })])).sheet;
    const plain = buildScenarioSheet(testInputs(42, [testAsset(1)])).sheet;
    plain.logPaths.forEach((value, i) => {
      expect(doubled.logPaths[i]).toBe(2 * value);
    });
  });
});

describe("sigmaDrift", () => {
  it("is the root of the variance ratio, beyond rescaling from a factor of 2 on", () => {
    expect(sigmaDrift([4, 1, 1, 1], [1, 1, 4, 1])).toEqual({
      ratios: Float64Array.of(2, 1, 0.5, 1),
      isBeyondRescaling: false,
    });
  });

  it("counts a crash in full before the sheet is drawn anew, and of a calm no more than half", () => {
    expect(sigmaDrift([25, 1, 1, 1], [1, 1, 1, 1])).toEqual({
      ratios: Float64Array.of(5, 1, 1, 1),
      isBeyondRescaling: true,
    });
    expect(sigmaDrift([1, 1, 1, 1], [1, 25, 1, 1])).toEqual({
      ratios: Float64Array.of(1, 0.5, 1, 1),
      isBeyondRescaling: true,
    });
  });
});

function atRatios(sheet: ScenarioSheet, ratios: readonly number[]): ScenarioSheet {
  const scratch = createSheetDayScratch(sheet.scenarios);
  return ratios.reduce((now, ratio, row) => {
    const day = buildSheetDay(sheetRow(sheet, row, 24, "terminal"), ratio, sheet.version, scratch);
    return withDay(now, row, day);
  }, sheet);
}

function correlation(x: Float32Array, y: Float32Array): number {
  const n = x.length;
  const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / n;
  const [mx, my] = [mean(x), mean(y)];
  let [cross, a, b] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    cross += (x[i]! - mx) * (y[i]! - my);
    a += (x[i]! - mx) ** 2;
    b += (y[i]! - my) ** 2;
  }
  return cross / Math.sqrt(a * b);
}
