import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildResidualPools, marketResidual } from "../../../src/risk/scenarios/residual-borrowing.ts";
import type { AssetHistory } from "../../../src/risk/scenarios/residual-pool.ts";
import { ownResiduals, TUPLE_LENGTH } from "../../../src/risk/scenarios/residual-pool.ts";
import { TEST_WINDOW, testHistory } from "../../support/scenarios.ts";

// Mutants killed: z divided by its deviation, mean not removed, seasonal factor left out, caps one-sided, ξ not cut with
// its range, borrowed wicks kept at their old price, the lender drawing from already borrowed hours, loading 1, hash by
// row, the same hash for all.

describe("ownResiduals", () => {
  it("standardises an hour by its expected deviation and removes the mean of z only", () => {
    const history: AssetHistory = {
      // The last hour stood still.
      isPresent: Uint8Array.of(1, 1, 0, 1),
      logReturn: Float64Array.of(0.02, -0.004, 9, 0),
      logLow: Float64Array.of(-0.01, -0.03, 9, 0),
      logHigh: Float64Array.of(0.03, 0, 9, 0),
      rangeVarianceStep: Float64Array.of(3e-4, 2e-4, 9, 0),
      varianceStep: Float64Array.of(1e-4, 1e-4, 9, 1e-4),
      seasonalFactor: Float64Array.of(2, 1, 9, 1),
    };

    const pool = ownResiduals(history);

    const rounded = Array.from(pool.tuples, (value) => Number(value.toPrecision(12)));
    expect(rounded.slice(0, 8)).toEqual([0.8, -0.5, 1.5, 3, -0.6, -3, 0, 2]);
    expect(rounded.slice(12)).toEqual([-0.2, -0.2, 0, 0]);
    expect(pool.hours).toBe(3);
    expect(pool.tuples[8]).toBeNaN();
  });

  it("cuts one bad print to 15 and 20 deviations, and its range ratio with it", () => {
    const history = testHistory(1);
    const sigma = Math.sqrt(history.varianceStep[7]!);
    history.logLow[7] = -90 * sigma;
    history.logReturn[7] = -60 * sigma;
    history.logHigh[7] = 0;
    history.rangeVarianceStep[7] = 90 ** 2 * history.varianceStep[7]!;

    const pool = ownResiduals(history);

    expect(pool.tuples[7 * TUPLE_LENGTH]).toBeGreaterThan(-15.2);
    expect(pool.tuples[7 * TUPLE_LENGTH + 1]).toBe(-20);
    expect(pool.tuples[7 * TUPLE_LENGTH + 3]).toBeCloseTo(20 ** 2, 6);

    history.logReturn[7] = 60 * sigma;
    history.logLow[7] = 0;
    history.logHigh[7] = 90 * sigma;
    const risen = ownResiduals(history);
    expect(risen.tuples[7 * TUPLE_LENGTH]).toBeLessThan(15.2);
    expect(risen.tuples[7 * TUPLE_LENGTH + 2]).toBe(20);
    expect(risen.tuples[7 * TUPLE_LENGTH + 3]).toBeCloseTo(20 ** 2, 6);
  });
});

describe("buildResidualPools", () => {
  const young = fc.integer({ min: 0, max: TEST_WINDOW });

  it("never leaves a gap, and keeps every extreme around its close", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(young, { minLength: 1, maxLength: 4 }), (seed, missing) => {
        const histories = missing.map((hours, i) =>
          testHistory(seed + i, { missing: hours, marketSeed: seed }),
        );
        for (const pool of buildResidualPools(
          histories,
          histories.map(() => 1),
        )) {
          let sum = 0;
          for (let at = 0; at < pool.tuples.length; at += TUPLE_LENGTH) {
            const [z, low, high, ratio] = pool.tuples.subarray(at, at + TUPLE_LENGTH);
            expect([z, low, high, ratio].every(Number.isFinite)).toBe(true);
            expect(low!).toBeLessThanOrEqual(Math.min(0, z!));
            expect(high!).toBeGreaterThanOrEqual(Math.max(0, z!));
            expect(ratio!).toBeGreaterThanOrEqual(0);
            sum += z!;
          }
          expect(Math.abs(sum)).toBeLessThan(1e-9);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("permutes the pools with the assets", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        // The last has so few hours of its own that it borrows from one that borrows, too.
        const histories = [30, 100, 200].map((missing, i) =>
          testHistory(seed + i, { missing, marketSeed: seed }),
        );
        const weights = [5, 3, 1];
        const order = [2, 0, 1];

        const straight = buildResidualPools(histories, weights);
        const permuted = buildResidualPools(
          order.map((i) => histories[i]!),
          order.map((i) => weights[i]!),
        );

        order.forEach((from, to) => {
          straight[from]!.tuples.forEach((value, k) => {
            expect(Math.abs(permuted[to]!.tuples[k]! - value)).toBeLessThan(1e-9);
          });
        });
      }),
      { numRuns: 30 },
    );
  });

  it("leaves two young listings each a life of its own, as dependent as the market's part makes them", () => {
    const hours = 4096;
    for (const missing of [hours - 24, hours - 100]) {
      const histories = [0, missing, missing].map((absent, i) =>
        testHistory(7 + i, { hours, missing: absent, loading: 0.7, marketSeed: 3 }),
      );

      const [, one, other] = buildResidualPools(histories, [1, 0, 0]);

      let [cross, a, b] = [0, 0, 0];
      for (let hour = 0; hour < missing; hour++) {
        const [x, y] = [one!.tuples[hour * TUPLE_LENGTH]!, other!.tuples[hour * TUPLE_LENGTH]!];
        [cross, a, b] = [cross + x * y, a + x * x, b + y * y];
      }
      // The prior's 0.75 squared, and what few hours of their own say otherwise.
      expect(Math.abs(cross / Math.sqrt(a * b) - 0.75 ** 2)).toBeLessThan(0.1);
    }
  });

  it("gives a young listing hours that follow the market as its own do, with the scale it has", () => {
    const hours = 4096;
    const missing = 3000;
    const established = testHistory(1, { hours, loading: 0.9 });
    const listed = testHistory(2, { hours, missing, loading: 0.6 });

    const [market, pool] = buildResidualPools([established, listed], [1, 0]);

    const correlation = (from: number, to: number): number => {
      let [cross, a, b] = [0, 0, 0];
      for (let hour = from; hour < to; hour++) {
        const x = market!.tuples[hour * TUPLE_LENGTH]!;
        const y = pool!.tuples[hour * TUPLE_LENGTH]!;
        [cross, a, b] = [cross + x * y, a + x * x, b + y * y];
      }
      return cross / Math.sqrt(a * b);
    };
    const own = correlation(missing, hours);
    // Shrunk to the prior of 0.75 with weight 500/(1096 + 500).
    const expected = (1096 * own + 500 * 0.75) / 1596;
    expect(Math.abs(correlation(0, missing) - expected)).toBeLessThan(0.05);
    expect(deviation(pool!.tuples, 0, missing)).toBeCloseTo(deviation(pool!.tuples, missing, hours), 1);
    const ratio = (from: number, to: number): number => mean(pool!.tuples, 3, from, to);
    expect(ratio(0, missing) / ratio(missing, hours)).toBeGreaterThan(0.85);
    expect(ratio(0, missing) / ratio(missing, hours)).toBeLessThan(1.15);
  });
});

describe("marketResidual", () => {
  it("counts every asset alike where none is known to trade", () => {
    const own = [1, 2, 3].map((seed) => ownResiduals(testHistory(seed)));

    expect(marketResidual(own, [0, 0, 0])).toEqual(marketResidual(own, [1, 1, 1]));
  });

  it("is the liquidity-weighted mean, standardised, and unknown where nobody traded", () => {
    const histories = [testHistory(1, { missing: 10 }), testHistory(2, { missing: 20 })];
    const own = histories.map((history) => ownResiduals(history));

    const market = marketResidual(own, [3, 1]);

    expect(Array.from(market.subarray(0, 10)).every(Number.isNaN)).toBe(true);
    const present = market.subarray(10);
    expect(present.reduce((sum, value) => sum + value, 0) / present.length).toBeCloseTo(0, 12);
    expect(present.reduce((sum, value) => sum + value * value, 0) / present.length).toBeCloseTo(1, 12);
  });
});

function mean(tuples: Float64Array, column: number, from: number, to: number): number {
  let sum = 0;
  for (let hour = from; hour < to; hour++) sum += tuples[hour * TUPLE_LENGTH + column]!;
  return sum / (to - from);
}

function deviation(tuples: Float64Array, from: number, to: number): number {
  let square = 0;
  for (let hour = from; hour < to; hour++) square += tuples[hour * TUPLE_LENGTH]! ** 2;
  return Math.sqrt(square / (to - from) - mean(tuples, 0, from, to) ** 2);
}
