import { createRandom } from "../../src/math/random.ts";
import { studentTQuantile } from "../../src/math/student-t.ts";
import type { AssetHistory, ResidualPool } from "../../src/risk/scenarios/residual-pool.ts";
import { setTuple, TUPLE_LENGTH } from "../../src/risk/scenarios/residual-pool.ts";
import { type ScenarioIndex, SINGLE_ASSET_BLOCKS } from "../../src/risk/scenarios/scenario-index.ts";
import type { SheetAsset, SheetInputs } from "../../src/risk/scenarios/sheet-builder.ts";
import type { RangeGarchRecursion } from "../../src/risk/volatility/variance-recursion.ts";

/** Window of test sheets: small enough to draw hundreds of them. */
export const TEST_WINDOW = 256;

export const TEST_RECURSION: RangeGarchRecursion = {
  kind: "range-garch",
  omega: 1e-6,
  alpha: 0.15,
  asymmetry: 0.1,
  beta: 0.8,
};

/** Hours of one asset that shares a market factor with every other asset of the same market seed. */
export function testHistory(
  seed: number,
  options: { hours?: number; missing?: number; marketSeed?: number; loading?: number } = {},
): AssetHistory {
  const { hours = TEST_WINDOW, missing = 0, marketSeed = 99, loading = 0.7 } = options;
  const own = createRandom(seed);
  const market = createRandom(marketSeed);
  const history = {
    isPresent: new Uint8Array(hours).fill(1, missing),
    logReturn: new Float64Array(hours),
    logLow: new Float64Array(hours),
    logHigh: new Float64Array(hours),
    rangeVarianceStep: new Float64Array(hours),
    varianceStep: new Float64Array(hours),
    seasonalFactor: new Float64Array(hours).fill(1),
  };
  for (let hour = 0; hour < hours; hour++) {
    const variance = 2e-5 * (1 + 0.5 * Math.sin(hour / 30));
    const sigma = Math.sqrt(variance);
    const z = loading * market.normal() + Math.sqrt(1 - loading * loading) * own.normal();
    const low = Math.min(0, z) - 0.4 * Math.abs(own.normal());
    const high = Math.max(0, z) + 0.4 * Math.abs(own.normal());
    history.varianceStep[hour] = variance;
    history.logReturn[hour] = sigma * z;
    history.logLow[hour] = sigma * low;
    history.logHigh[hour] = sigma * high;
    history.rangeVarianceStep[hour] = (variance * (high - low) ** 2) / (4 * Math.LN2);
  }
  return history;
}

export function testAsset(seed: number, overrides: Partial<SheetAsset> = {}): SheetAsset {
  return {
    history: testHistory(seed),
    liquidityWeight: 1,
    models: [{ recursion: TEST_RECURSION, state: Float64Array.of(2e-5) }],
    seasonalFactors: Float64Array.from({ length: 168 }, (_, k) => 1 + 0.2 * Math.sin(k / 4)),
    sigmaMultiplier: 1,
    recalibration: 1,
    ...overrides,
  };
}

export function testInputs(seed: number, assets: readonly SheetAsset[]): SheetInputs {
  return { version: 1, seed, singleAssetBlocks: SINGLE_ASSET_BLOCKS.value, oldestPlace: 0, assets };
}

/** A pool from plain columns; close-only where low and high are left out. */
export function poolOf(
  z: ArrayLike<number>,
  columns: { low?: ArrayLike<number>; high?: ArrayLike<number>; rangeRatio?: ArrayLike<number> } = {},
): ResidualPool {
  const windowHours = z.length;
  const tuples = new Float64Array(windowHours * TUPLE_LENGTH);
  for (let hour = 0; hour < windowHours; hour++) {
    const value = z[hour]!;
    const low = columns.low?.[hour] ?? value;
    const high = columns.high?.[hour] ?? value;
    setTuple(tuples, hour, value, low, high, columns.rangeRatio?.[hour] ?? value * value);
  }
  return { windowHours, tuples };
}

/** An index given row by row, one scenario each. */
export function indexOf(rows: readonly (readonly number[])[], windowHours: number): ScenarioIndex {
  const steps = rows[0]!.length;
  return { windowHours, scenarios: rows.length, steps, hours: Uint16Array.from(rows.flat()) };
}

/** Centred residuals of about unit variance with a tail index of 4. */
export function fatTailedResiduals(seed: number, hours: number): Float64Array {
  const random = createRandom(seed);
  const raw = Float64Array.from({ length: hours }, () => studentTQuantile(random.uniform(), 4) / Math.SQRT2);
  const mean = raw.reduce((sum, value) => sum + value, 0) / hours;
  return raw.map((value) => value - mean);
}
