import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Direction } from "../../../src/domain/trade.ts";
import { buildHarrellDavisWeights, harrellDavisOfDescending } from "../../../src/math/harrell-davis.ts";
import { quantileOfSorted } from "../../../src/math/quantile.ts";
import { buildExtremeTail, shrunkPareto } from "../../../src/risk/tails/evt.ts";
import { expectedShortfallOfDescending } from "../../../src/risk/tails/expected-shortfall.ts";
import { monteCarlo } from "../../../src/risk/tails/monte-carlo.ts";
import { buildAssetTails, rescaleAssetTails } from "../../../src/risk/scenarios/asset-tails.ts";
import {
  buildHorizonTails,
  buildTailEstimators,
  rescaleHorizonTails,
} from "../../../src/risk/scenarios/horizon-tails.ts";
import {
  boundedLogReturn,
  drawPaths,
  PATH_FACTS,
  PATH_RISE_MAX,
} from "../../../src/risk/scenarios/path-kernel.ts";
import { buildScenarioIndex } from "../../../src/risk/scenarios/scenario-index.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { shortHistoryMultiplier, shrunkVarianceStep } from "../../../src/risk/scenarios/short-history.ts";
import { horizonIndex } from "../../../src/risk/scenarios/horizon.ts";
import type {
  AssetTails,
  HorizonTail,
  SideTails,
  StressedExit,
  ValueAtRisk,
} from "../../../src/risk/tails/var.ts";
import { liquidityCostUsd, orderedTails, sideTails, valueAtRisk } from "../../../src/risk/tails/var.ts";
import { lossTailByDefinition } from "../../oracle/loss-tail.ts";
import { fatTailedResiduals, poolOf, testAsset, testInputs } from "../../support/scenarios.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { forEachVector, vectorMismatches } from "../../support/vectors.ts";

// Mutants killed: long and short swapped, log quantile reported as percent, √t in place of the horizon's own paths,
// ES from losses beyond VaR, chain without the horizon, LVaR without the half, spread counted twice, margin VaR over
// notional, rescaling the loss instead of the log return, losses turned without their sign, turned but not reversed,
// horizons of a record rescaled as the other side's, a short's extreme loss as drawn cut at the whole notional, losses at
// the 95 % quantile itself counted beyond it.

const HORIZONS = [1, 4, 24, 168] as const;
const direction = fc.constantFrom<Direction>(1, -1);
const notional = fc.double({ min: 1, max: 1e8, noNaN: true });

const EXIT: StressedExit = {
  spreadMean: 0.0004,
  spreadDeviation: 0.0003,
  spreadMultiple95: 2,
  spreadMultiple99: 4,
  depthFactor95: 0.5,
  depthFactor99: 0.25,
  exitCostFraction: (notionalUsd, depthFactor) => 1e-9 * (notionalUsd / depthFactor),
};

describe.skipIf(!hasVectors)("exogenous liquidity cost", () => {
  forEachVector("lvar_exogenous", (vector) => {
    const input = vector.input as Record<"V" | "var_pct" | "mean_rel_spread" | "sd_rel_spread" | "a", number>;
    const exit = {
      spreadMean: input.mean_rel_spread,
      spreadDeviation: input.sd_rel_spread,
      exitCostFraction: () => 0,
    };

    const cost = liquidityCostUsd(input.V, exit, input.a, 1);

    expect(
      vectorMismatches(vector, { cost_of_liquidity_usd: cost, lvar_usd: input.V * input.var_pct + cost }),
    ).toEqual([]);
  });
});

describe("asset tails", () => {
  const built = fc
    .record({ seed: fc.nat({ max: 1e6 }), sigmaMultiplier: fc.double({ min: 0.2, max: 6, noNaN: true }) })
    .map(
      ({ seed, sigmaMultiplier }) =>
        buildScenarioSheet(testInputs(seed, [testAsset(seed, { sigmaMultiplier })])).tails[0]!,
    );

  it("equal sorting the simple returns and averaging their tail, for both sides and every horizon", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { paths, tails, scenarios } = drawnTails(seed, 1);
        for (const side of [1, -1] as const) {
          HORIZONS.forEach((_, horizon) => {
            const at = PATH_FACTS.length * horizon * scenarios;
            const losses = Array.from(paths.subarray(at, at + scenarios), (c) => -side * Math.expm1(c));
            const expected = lossTailByDefinition(losses);
            const actual = sideTails(tails, side).horizons[horizon]!;
            // Ordering may raise what noise put below a shorter horizon, never lower it.
            for (const name of ["var95", "var99", "expectedShortfall95", "expectedShortfall99"] as const) {
              expect(actual[name]).toBeGreaterThanOrEqual(
                expected[name] - 1e-9 * Math.abs(expected[name]) - 1e-12,
              );
            }
            // Weights below 1e-10 are left out of quantiles.
            if (horizon === 0) expect(actual.var99 / expected.var99).toBeCloseTo(1, 9);
            if (horizon === 0)
              expect(actual.expectedShortfall95).toBeCloseTo(expected.expectedShortfall95, 12);
          });
        }
      }),
      { numRuns: 20 },
    );
  });

  it("grow with level and horizon, the mean of the tail beyond its quantile, a long never losing more than all", () => {
    fc.assert(
      fc.property(built, direction, (tails, side) => {
        expectOrdered(sideTails(tails, side));
        const week = tails.long.horizons[3]!;
        expect(week.expectedShortfall99).toBeLessThanOrEqual(1);
        expect(tails.long.extreme.expectedShortfall999).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it("swap sides when every hour is mirrored", () => {
    const straight = drawnTails(5, 1, 1);
    const mirrored = drawnTails(5, 1, -1);
    HORIZONS.forEach((_, horizon) => {
      const long = straight.tails.long.horizons[horizon]!;
      const short = mirrored.tails.short.horizons[horizon]!;
      // A long loses 1 − e^c where the mirrored short loses e^−c − 1: the same log quantile.
      expect(Math.log1p(short.var99)).toBeCloseTo(-Math.log1p(-long.var99), 2);
      expect(mirrored.tails.short.adversePaths[horizon]!.depths).toEqual(
        straight.tails.long.adversePaths[horizon]!.depths,
      );
    });
  });

  it("follow sigma: rescaled tails are those of rescaled paths", () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0.5, max: 2, noNaN: true }), (seed, ratio) => {
        const ratios = new Float64Array(4).fill(ratio);
        const rescaled = rescaleAssetTails(drawnTails(seed, 1).tails, ratios);
        const redrawn = drawnTails(seed, ratio).tails;
        for (const side of [1, -1] as const) {
          expectOrdered(sideTails(rescaled, side));
          sideTails(rescaled, side).horizons.forEach((tail, horizon) => {
            const expected = sideTails(redrawn, side).horizons[horizon]!;
            expect(tail.var95 / expected.var95).toBeCloseTo(1, 2);
            expect(Math.abs(tail.var99 / expected.var99 - 1)).toBeLessThan(0.02);
            // Of the 7 days' 51 and 10 worst of this test's 1,024 paths one may reach the largest rise that is kept.
            const errorMax = horizon === horizonIndex(168) ? 0.04 : 0.002;
            for (const name of ["expectedShortfall95", "expectedShortfall99"] as const) {
              expect(Math.abs(tail[name] / expected[name] - 1)).toBeLessThan(errorMax);
            }
          });
        }
      }),
      { numRuns: 20 },
    );
  });

  it("follow sigma at twice and three times of it, where losses of shorts grow fastest", () => {
    const { paths, tails, scenarios } = drawnTails(6, 4);
    for (const [ratio, errorMax] of [
      [2, 1e-6],
      [3, 0.02],
    ] as const) {
      const louder = paths.map((c) => boundedLogReturn(ratio * c));
      const expected = buildAssetTails(louder, buildTailEstimators(scenarios));
      const rescaled = rescaleAssetTails(tails, [ratio, ratio, ratio, ratio]);
      for (const side of ["long", "short"] as const) {
        for (const name of ["expectedShortfall95", "expectedShortfall99"] as const) {
          const error = rescaled[side].horizons[2]![name] / expected[side].horizons[2]![name] - 1;
          expect(Math.abs(error)).toBeLessThan(errorMax);
        }
      }
    }
  });

  it("never lose less at a larger sigma", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.double({ min: 0.5, max: 8, noNaN: true }),
        fc.double({ min: 1, max: 4, noNaN: true }),
        (seed, ratio, growth) => {
          const { tails } = drawnTails(seed, 4);
          const at = (k: number): AssetTails => rescaleAssetTails(tails, [k, k, k, k]);
          for (const side of ["long", "short"] as const) {
            at(ratio)[side].horizons.forEach((tail, horizon) => {
              const louder = at(ratio * growth)[side].horizons[horizon]!;
              for (const name of ["expectedShortfall95", "expectedShortfall99"] as const) {
                expect(louder[name]).toBeGreaterThanOrEqual(tail[name] * (1 - 1e-12));
              }
            });
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("are what a forecast is recorded with, before and after rescaling, bit for bit", () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0.5, max: 2, noNaN: true }), (seed, ratio) => {
        const { paths, tails, scenarios } = drawnTails(seed, 1);
        const ratios = [ratio, 1, ratio ** 2, 1.1];
        const drawn = buildHorizonTails(paths, buildTailEstimators(scenarios));
        const rescaled = rescaleHorizonTails(drawn, ratios);
        const whole = rescaleAssetTails(tails, ratios);
        for (const side of ["long", "short"] as const) {
          expect(drawn[side].horizons).toEqual(tails[side].horizons);
          expect(rescaled[side].horizons).toEqual(whole[side].horizons);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("are those of the losses of either side, sorted", () => {
    const { paths, tails, scenarios } = drawnTails(9, 1);
    const at99 = buildHarrellDavisWeights(scenarios, 0.99);
    HORIZONS.forEach((_, horizon) => {
      const terminal = paths.slice(3 * horizon * scenarios, (3 * horizon + 1) * scenarios);
      for (const [side, lossOf] of [
        ["long", (c: number) => -Math.expm1(c)],
        ["short", Math.expm1],
      ] as const) {
        const losses = Float64Array.from(terminal, lossOf).sort().reverse();
        expect(tails[side].horizons[horizon]!.var99).toBe(harrellDavisOfDescending(losses, at99));
      }
    });
  });

  it("stay as they are at ratio 1, bit for bit", () => {
    const { tails } = drawnTails(3, 1);
    expect(rescaleAssetTails(tails, Float64Array.of(1, 1, 1, 1))).toEqual(tails);
  });
});

describe("valueAtRisk", () => {
  const { tails } = drawnTails(8, 1);

  it("agrees with the Monte Carlo block bit for bit", () => {
    for (const side of [1, -1] as const) {
      const block = valueAtRisk(tails, side, 1000, 100, EXIT);
      const simulation = monteCarlo(tails, side);
      expect(simulation.var99).toBe(block.at24h.var99);
      expect(simulation.var95).toBe(block.at24h.var95);
      expect(simulation.expectedShortfall95).toBe(block.at24h.expectedShortfall95);
      expect(simulation.expectedShortfall99).toBe(block.at24h.expectedShortfall99);
      expect(simulation.simulations).toBe(tails.simulations);
    }
  });

  it("reads its side's tails over four hours, a day and a week", () => {
    for (const side of [1, -1] as const) {
      const { at4h, at24h, at7d } = valueAtRisk(tails, side, 1000, 100, EXIT);
      const { horizons } = side === 1 ? tails.long : tails.short;

      expect([at4h, at24h, at7d]).toEqual(horizons.slice(1));
    }
  });

  it("does not depend on size, except through liquidity, and inversely on margin", () => {
    fc.assert(
      fc.property(direction, notional, notional, (side, a, b) => {
        const first = valueAtRisk(tails, side, a, a / 5, EXIT);
        const second = valueAtRisk(tails, side, b, b / 20, EXIT);
        expect(second.at24h).toEqual(first.at24h);
        expect(second.marginVar99 / first.marginVar99).toBeCloseTo(4, 9);
        expect(second.marginVar99).toBeCloseTo(20 * second.at24h.var99, 9);
      }),
    );
  });

  it("adds the cost of one stressed exit at each level's own multiple and depth", () => {
    const block = valueAtRisk(tails, 1, 50_000, 5000, EXIT);
    const cost95 = 50_000 * (0.5 * (0.0004 + 2 * 0.0003) + 1e-9 * (50_000 / 0.5));
    const cost99 = 50_000 * (0.5 * (0.0004 + 4 * 0.0003) + 1e-9 * (50_000 / 0.25));
    expect(block.liquidityAdjustedVar95Usd).toBeCloseTo(50_000 * block.at24h.var95 + cost95, 8);
    expect(block.liquidityAdjustedVar99Usd).toBeCloseTo(50_000 * block.at24h.var99 + cost99, 8);
  });

  it("takes no more than all that a long holds, however thin the book", () => {
    const thin = { ...EXIT, exitCostFraction: () => 0.99 };
    const of = (side: 1 | -1): ValueAtRisk => valueAtRisk(tails, side, 50_000, 5000, thin);

    expect(of(1).liquidityAdjustedVar99Usd).toBe(50_000);
    expect(of(1).liquidityAdjustedVar95Usd).toBe(50_000);
    expect(of(-1).liquidityAdjustedVar99Usd).toBeGreaterThan(50_000);
  });

  it("adds at least half the spread, more for larger sizes, convexly", () => {
    fc.assert(
      fc.property(direction, notional, (side, size) => {
        const cost = (notionalUsd: number): number => {
          const block = valueAtRisk(tails, side, notionalUsd, notionalUsd, EXIT);
          return block.liquidityAdjustedVar99Usd - block.at24h.var99 * notionalUsd;
        };
        const slack = 1e-9 * size;
        expect(cost(size)).toBeGreaterThanOrEqual(0.5 * EXIT.spreadMean * size - slack);
        expect(cost(2 * size)).toBeGreaterThanOrEqual(2 * cost(size) - slack);
        const block = valueAtRisk(tails, side, size, size, EXIT);
        expect(block.liquidityAdjustedVar99Usd).toBeGreaterThanOrEqual(block.liquidityAdjustedVar95Usd);
      }),
    );
  });
});

describe("monteCarlo", () => {
  it("orders worst, quantiles and median", () => {
    fc.assert(
      fc.property(fc.nat(), direction, (seed, side) => {
        const block = monteCarlo(drawnTails(seed, 1).tails, side);
        const ladder = [
          block.worstReturn,
          -block.expectedShortfall99,
          -block.var99,
          block.lowerReturn,
          -block.var95,
          block.medianReturn,
          block.upperReturn,
        ];
        expect(ladder).toEqual([...ladder].sort((a, b) => a - b));
        expect(block.worstReturn).toBeLessThanOrEqual(0);
      }),
      { numRuns: 30 },
    );
  });
});

describe("day returns", () => {
  it("are the quantiles of the position's 24 h return, both sides read from their own end", () => {
    const { paths, tails, scenarios } = drawnTails(4, 1);
    const at = 2 * PATH_FACTS.length * scenarios;
    for (const side of [1, -1] as const) {
      const returns = Float64Array.from(
        paths.subarray(at, at + scenarios),
        (c) => side * Math.expm1(c),
      ).sort();
      const { dayReturns } = sideTails(tails, side);
      // Smoothed quantiles lie within a few ranks of the plain ones.
      const expectBetween = (value: number, share: number): void => {
        expect(value).toBeGreaterThan(quantileOfSorted(returns, share - 0.006));
        expect(value).toBeLessThan(quantileOfSorted(returns, share + 0.006));
      };
      expectBetween(dayReturns.lowerReturn, 0.025);
      expectBetween(dayReturns.medianReturn, 0.5);
      expectBetween(dayReturns.upperReturn, 0.975);
      expect(dayReturns.worstReturn).toBe(returns[0]);
    }
    const logReturns = Array.from(paths.subarray(at, at + scenarios));
    const mean = logReturns.reduce((a, b) => a + b, 0) / scenarios;
    const square = logReturns.map((c) => (c - mean) ** 2);
    expect(tails.sigmaDay).toBeCloseTo(Math.sqrt(square.reduce((a, b) => a + b, 0) / scenarios), 12);
  });
});

describe("the largest rise", () => {
  it("bounds what a short can lose, as drawn and rescaled, and what a long can gain", () => {
    const most = PATH_RISE_MAX.value;
    const { tails } = drawnTails(4, 1);
    for (const { long, short } of [drawnTails(4, 60).tails, rescaleAssetTails(tails, [60, 60, 60, 60])]) {
      const { var999, expectedShortfall999 } = short.extreme;
      const worst = short.horizons.map(({ expectedShortfall99 }) => expectedShortfall99);
      expect(Math.max(...worst, var999, expectedShortfall999, -short.dayReturns.worstReturn)).toBeCloseTo(
        most,
        4,
      );
      // No less than the mean of the worst percent, which is more than the whole notional.
      expect(short.horizons[2]!.expectedShortfall99).toBeGreaterThan(1);
      expect(expectedShortfall999 / short.horizons[2]!.expectedShortfall99).toBeGreaterThan(1 - 1e-6);
      expect(long.dayReturns.upperReturn).toBeLessThanOrEqual(most * (1 + 1e-6));
    }
  });
});

describe("extreme tail of an asset", () => {
  it("is fitted to the 24 h losses beyond their 95 % quantile", () => {
    const { paths: drawn, scenarios } = drawnTails(6, 1);
    const at = 2 * PATH_FACTS.length * scenarios;
    // On a grid of half a percent several losses are equal to the quantile itself.
    const gridded = drawn.map((c) => Math.round(200 * c) / 200);
    const cases = [drawn, gridded].flatMap((paths) => [[paths, 1] as const, [paths, -1] as const]);
    for (const [paths, side] of cases) {
      const tails = buildAssetTails(paths, buildTailEstimators(scenarios));
      const losses = Float64Array.from(
        paths.subarray(at, at + scenarios),
        (c) => -side * Math.expm1(c),
      ).sort();
      const threshold = quantileOfSorted(losses, 0.95);
      const excesses = losses.filter((loss) => loss > threshold).map((loss) => loss - threshold);
      const day = sideTails(tails, side).horizons[2]!;
      const weights = buildHarrellDavisWeights(scenarios, 0.999);
      const descending = losses.slice().reverse();
      const expected = buildExtremeTail(
        excesses,
        threshold,
        scenarios,
        {
          var99: day.var99,
          expectedShortfall99: day.expectedShortfall99,
          var999: harrellDavisOfDescending(descending, weights),
          expectedShortfall999: expectedShortfallOfDescending(descending, scenarios, 0.999),
        },
        side === 1 ? 1 : PATH_RISE_MAX.value,
      );
      const { extreme } = sideTails(tails, side);
      // On the grid the two differ in the ninth digit.
      const digits = paths === drawn ? 9 : 8;
      if (paths === drawn) expect(shrunkPareto(excesses)).not.toBeNull();
      expect(extreme.var999).toBeCloseTo(expected.var999, digits);
      expect(extreme.expectedShortfall999).toBeCloseTo(expected.expectedShortfall999, digits);
    }
  });
});

describe("orderedTails", () => {
  const loss = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
  const tail = fc.record({
    var95: loss,
    var99: loss,
    expectedShortfall95: loss,
    expectedShortfall99: loss,
    doubledShortfall95: loss,
    doubledShortfall99: loss,
  });

  it("raises and never lowers, and leaves alone what is in order", () => {
    fc.assert(
      fc.property(fc.array(tail, { minLength: 4, maxLength: 4 }), (tails) => {
        const ordered = orderedTails(tails);
        ordered.forEach((after, i) => {
          expect(after.var99).toBeGreaterThanOrEqual(tails[i]!.var99);
          expect(after.expectedShortfall95).toBeGreaterThanOrEqual(tails[i]!.expectedShortfall95);
        });
        expect(orderedTails(ordered)).toEqual(ordered);
        expectOrderedTails(ordered);
      }),
    );
  });
});

describe("short history", () => {
  it("multiplies sigma by 1 + ½√(168/n), at most 1.5, and by nothing from 30 days on", () => {
    expect(shortHistoryMultiplier(0)).toBe(1.5);
    expect(shortHistoryMultiplier(10)).toBe(1.5);
    expect(shortHistoryMultiplier(168)).toBe(1.5);
    expect(shortHistoryMultiplier(672)).toBe(1.25);
    expect(shortHistoryMultiplier(720)).toBe(1);
  });

  it("draws a young variance toward its peers'", () => {
    expect(shrunkVarianceStep(0, 9, 4)).toBe(4);
    expect(shrunkVarianceStep(72, 8, 4)).toBe(6);
    expect(shrunkVarianceStep(720, 8, 8)).toBe(8);
  });
});

function expectOrdered(side: SideTails): void {
  expectOrderedTails(side.horizons);
  expect(side.extreme.var999).toBeGreaterThanOrEqual(side.horizons[2]!.var99);
  expect(side.extreme.expectedShortfall999).toBeGreaterThanOrEqual(side.extreme.var999);
  expectWorstPercentExplained(side);
  expect(Object.values(side.dayReturns).every(Number.isFinite)).toBe(true);
}

/** Of the worst percent nine tenths lose VaR99.9 at most. */
function expectWorstPercentExplained({ extreme, horizons }: SideTails): void {
  const most = 0.1 * extreme.expectedShortfall999 + 0.9 * extreme.var999;
  expect(horizons[2]!.expectedShortfall99).toBeLessThanOrEqual(most * (1 + 1e-12));
}

function expectOrderedTails(tails: readonly HorizonTail[]): void {
  let previous = { var95: 0, var99: 0, expectedShortfall95: 0, expectedShortfall99: 0 };
  for (const tail of tails) {
    expect(tail.var99).toBeGreaterThanOrEqual(tail.var95);
    expect(tail.expectedShortfall95).toBeGreaterThanOrEqual(tail.var95);
    expect(tail.expectedShortfall99).toBeGreaterThanOrEqual(tail.var99);
    expect(tail.expectedShortfall99).toBeGreaterThanOrEqual(tail.expectedShortfall95);
    for (const name of ["var95", "var99", "expectedShortfall95", "expectedShortfall99"] as const) {
      expect(tail[name]).toBeGreaterThanOrEqual(previous[name]);
      expect(Number.isFinite(tail[name])).toBe(true);
    }
    previous = tail;
  }
}

/** Tails of a fat-tailed asset; `mirror` −1 flips the sign of every hour. */
function drawnTails(
  seed: number,
  factor: number,
  mirror: 1 | -1 = 1,
): { readonly paths: Float32Array; readonly tails: AssetTails; readonly scenarios: number } {
  const window = 512;
  const z = fatTailedResiduals(seed, window).map((value) => mirror * value);
  const low = z.map((value, i) => Math.min(0, value) - (mirror === 1 ? 0.3 : 0.5) * (1 + (i % 3)));
  const high = z.map((value, i) => Math.max(0, value) + (mirror === 1 ? 0.5 : 0.3) * (1 + (i % 3)));
  const rangeRatio = z.map((value) => 0.5 + (value * value) / 2);
  const scenarios = 2 * window;
  const paths = new Float32Array(12 * scenarios);
  drawPaths(
    {
      pool: poolOf(z, { low, high, rangeRatio }),
      index: buildScenarioIndex(seed, window, scenarios, 168),
      models: [
        {
          recursion: { kind: "range-garch", omega: 2e-6, alpha: 0.1, asymmetry: 0, beta: 0.8 },
          state: Float64Array.of(2e-5),
        },
      ],
      sigmaFactors: new Float64Array(168).fill(factor),
      horizonSteps: HORIZONS,
    },
    paths,
  );
  return { paths, tails: buildAssetTails(paths, buildTailEstimators(scenarios)), scenarios };
}
