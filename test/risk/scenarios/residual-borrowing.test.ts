import { describe, expect, it } from "vitest";
import { populationVariance } from "../../../src/math/moments.ts";
import { buildResidualPools } from "../../../src/risk/scenarios/residual-borrowing.ts";
import { PATH_RISE_MAX } from "../../../src/risk/scenarios/path-kernel.ts";
import { ownResiduals, TUPLE_LENGTH, type ResidualPool } from "../../../src/risk/scenarios/residual-pool.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../src/risk/scenarios/sheet-day.ts";
import { testHistory } from "../../support/scenarios.ts";

// Mutants killed: own hours lent from one on, or only from 720 on, loading up to 1, the market's part not at the lender's
// scale, a borrowed range not at its, the least liquid of equals as donor, a borrowed close without its cap, the ratio of a
// range of nothing to itself, a deviation about 0, a donor's range at the listing's scale, none of a donor without ranges, no
// moves of one without any, a loading below 0.

const HOURS = 1024;

describe("a listing's borrowed hours", () => {
  it("are its own from three days on, before that the donor's", () => {
    for (const [own, isOwn] of [
      [71, false],
      [72, true],
    ] as const) {
      const missing = HOURS - own;
      const histories = [testHistory(1, { hours: HOURS }), testHistory(2, { hours: HOURS, missing })];

      const [, pool] = buildResidualPools(histories, [1, 0]);

      // Wicks are lent as they are, so that no more kinds of them can be seen than there are hours to lend.
      const before = ownResiduals(histories[1]!).tuples[missing * TUPLE_LENGTH]!;
      const shift = before - pool!.tuples[missing * TUPLE_LENGTH]!;
      const wicks = new Set<string>();
      for (let hour = 0; hour < missing; hour++) {
        const [z, low] = tupleOf(pool!, hour);
        // One that the centring left inside its close was widened to it.
        if (low! < Math.min(0, z!)) wicks.add((Math.min(0, z! + shift) - low!).toFixed(9));
      }
      expect(wicks.size <= own).toBe(isOwn);
    }
  });

  it("follow the market with 0.95 at most, even where its own hours are the market's", () => {
    const missing = 500;
    const market = testHistory(1, { hours: 4096, loading: 1 });
    const twin = testHistory(2, { hours: 4096, missing, loading: 1 });

    const [first, second] = buildResidualPools([market, twin], [1, 0]);

    let [cross, a, b] = [0, 0, 0];
    for (let hour = 0; hour < missing; hour++) {
      const [x, y] = [tupleOf(first!, hour)[0]!, tupleOf(second!, hour)[0]!];
      [cross, a, b] = [cross + x * y, a + x * x, b + y * y];
    }
    // Standard error (1 − 0.95²)/√500 = 0.004; shrinkage alone would leave 0.97.
    expect(Math.abs(cross / Math.sqrt(a * b) - 0.95)).toBeLessThan(0.012);
  });

  it("follow the market as closely where it was quieter in the listing's own hours than before", () => {
    const missing = 500;
    const market = testHistory(1, { hours: 4096, loading: 1 });
    for (const column of [market.logReturn, market.logLow, market.logHigh])
      for (let hour = 0; hour < missing; hour++) column[hour] = 3 * column[hour]!;
    const twin = testHistory(2, { hours: 4096, missing, loading: 1 });

    const [first, second] = buildResidualPools([market, twin], [1, 0]);

    let [cross, square, squareOfAll] = [0, 0, 0];
    for (let hour = 0; hour < 4096; hour++) {
      const [x, y] = [tupleOf(first!, hour)[0]!, tupleOf(second!, hour)[0]!];
      squareOfAll += x * x;
      if (hour < missing) [cross, square] = [cross + x * y, square + x * x];
    }
    // Of the standardised market; standard error 0.31 over 2.1 √500.
    expect(Math.abs((cross / square) * Math.sqrt(squareOfAll / 4096) - 0.95)).toBeLessThan(0.03);
  });

  it("do not follow the market backwards, however much the listing's own hours did", () => {
    const missing = 600;
    const market = testHistory(1, { hours: 4096, loading: 1 });
    const inverse = testHistory(2, { hours: 4096, missing, loading: -0.95 });

    const [first, second] = buildResidualPools([market, inverse], [1, 0]);

    let [cross, a, b] = [0, 0, 0];
    for (let hour = 0; hour < missing; hour++) {
      const [x, y] = [tupleOf(first!, hour)[0]!, tupleOf(second!, hour)[0]!];
      [cross, a, b] = [cross + x * y, a + x * x, b + y * y];
    }
    // Four standard errors of no correlation.
    expect(Math.abs(cross / Math.sqrt(a * b))).toBeLessThan(4 / Math.sqrt(missing));
  });

  it("have twice the moves, and four times the range ratio, where its own have", () => {
    const missing = 700;
    const listing = testHistory(2, { hours: HOURS, missing });
    const louder = { ...listing, varianceStep: listing.varianceStep.map((value) => value / 4) };
    const other = testHistory(1, { hours: HOURS });

    const [, plain] = buildResidualPools([other, listing], [1, 0]);
    const [, doubled] = buildResidualPools([other, louder], [1, 0]);

    for (let hour = 0; hour < HOURS; hour++) {
      const [z, low, high, ratio] = tupleOf(plain!, hour);
      [2 * z!, 2 * low!, 2 * high!, 4 * ratio!].forEach((value, k) => {
        expect(tupleOf(doubled!, hour)[k]).toBeCloseTo(value, 9);
      });
    }
  });

  it("have the range ratio that its own have for a range of their size", () => {
    const listing = testHistory(2, { hours: HOURS, missing: 700 });
    const scaled = { ...listing, rangeVarianceStep: listing.rangeVarianceStep.map((value) => 1.3 * value) };

    const [, plain] = buildResidualPools([testHistory(1, { hours: HOURS }), listing], [1, 0]);
    const [, wider] = buildResidualPools([testHistory(1, { hours: HOURS }), scaled], [1, 0]);

    for (let hour = 0; hour < HOURS; hour++) {
      expect(tupleOf(wider!, hour)[3]).toBeCloseTo(1.3 * tupleOf(plain!, hour)[3]!, 9);
    }
  });

  it("have the donor's range ratio for a range of their size where they come from it", () => {
    const listing = testHistory(2, { hours: HOURS, missing: HOURS - 10 });
    const scaled = { ...listing, rangeVarianceStep: listing.rangeVarianceStep.map((value) => 1.3 * value) };

    const [, plain] = buildResidualPools([testHistory(1, { hours: HOURS }), listing], [1, 0]);
    const [, wider] = buildResidualPools([testHistory(1, { hours: HOURS }), scaled], [1, 0]);

    for (let hour = 0; hour < HOURS; hour++) {
      const own = hour < HOURS - 10 ? 1 : 1.3;
      expect(tupleOf(wider!, hour)[3]).toBeCloseTo(own * tupleOf(plain!, hour)[3]!, 9);
    }
  });

  it("fall by no more than 15 deviations where the market crashed and a listing is wilder than it", () => {
    const market = testHistory(1, { hours: HOURS });
    for (const column of [market.logReturn, market.logLow])
      column[5] = -60 * Math.sqrt(market.varianceStep[5]!);
    const listing = testHistory(2, { hours: HOURS, missing: 700 });
    const louder = { ...listing, varianceStep: listing.varianceStep.map((value) => value / 4) };

    const [, pool] = buildResidualPools([market, louder], [1, 0]);

    // Less the pool's own mean.
    expect(tupleOf(pool!, 5)[0]).toBeLessThan(-14);
    expect(tupleOf(pool!, 5)[0]).toBeGreaterThan(-15.5);
  });

  it("come from the most liquid of the assets with the longest history", () => {
    const established = [1, 2].map((seed) => testHistory(seed, { hours: HOURS }));
    // Of the second asset every hour is a still one, so that its loans are known by their wicks.
    established[1]!.logLow.fill(0);
    established[1]!.logHigh.fill(0);
    established[1]!.logReturn.fill(0);
    established[1]!.rangeVarianceStep.fill(0);
    const listing = testHistory(3, { hours: HOURS, missing: HOURS - 10 });
    const wickOf = (liquidity: readonly number[]): number => {
      const pools = buildResidualPools([...established, listing], [...liquidity, 0]);
      expect(pools[2]!.tuples.every(Number.isFinite)).toBe(true);
      const [z, low, high] = tupleOf(pools[2]!, 5);
      return high! - low! - Math.abs(z!);
    };

    expect(wickOf([1, 2])).toBeLessThan(0.2);
    // Of a lender that never moved they have the market's moves nevertheless.
    const [, , borrowed] = buildResidualPools([...established, listing], [1, 2, 0]);
    const moves = Array.from({ length: HOURS - 10 }, (_, hour) => tupleOf(borrowed!, hour)[0]!);
    expect(populationVariance(Float64Array.from(moves))).toBeGreaterThan(0.3);
    expect(Math.max(...[3, 5, 9].map((more) => wickOf([more, 2])))).toBeGreaterThan(0.2);
  });
});

describe("ownResiduals", () => {
  it("take an hour that did not move for no news", () => {
    const history = testHistory(1, { hours: 8 });
    for (const column of [history.logReturn, history.logLow, history.logHigh, history.rangeVarianceStep]) {
      column[3] = 0;
    }

    expect(tupleOf(ownResiduals(history), 3)[3]).toBe(0);
  });
});

describe("buildSheetDay", () => {
  it("lets no return be beyond the largest rise or fall that is let through, however much sigma grew", () => {
    const returns = Float32Array.from({ length: 256 }, (_, i) => (i % 2 === 0 ? 2 : -6));

    const day = buildSheetDay(returns, 3, 1, createSheetDayScratch(256));

    expect(day.returns[0]).toBeCloseTo(PATH_RISE_MAX.value, 5);
    expect(day.returns[1]).toBeCloseTo(Math.expm1(-10), 7);
  });

  it("measures sigma about the mean of the paths", () => {
    const returns = Float32Array.from({ length: 256 }, (_, i) => 0.05 + 0.0001 * i);

    const day = buildSheetDay(returns, 2, 1, createSheetDayScratch(256));

    expect(day.sigma).toBeCloseTo(2 * Math.sqrt(populationVariance(returns)), 6);
  });
});

function tupleOf({ tuples }: ResidualPool, hour: number): readonly number[] {
  return [...tuples.subarray(hour * TUPLE_LENGTH, (hour + 1) * TUPLE_LENGTH)];
}
