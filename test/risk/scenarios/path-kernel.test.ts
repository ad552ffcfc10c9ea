import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildHarrellDavisWeights, harrellDavisOfDescending } from "../../../src/math/harrell-davis.ts";
import { meanSquare, populationVariance } from "../../../src/math/moments.ts";
import { createRandom } from "../../../src/math/random.ts";
import { expectedShortfallOfDescending } from "../../../src/risk/tails/expected-shortfall.ts";
import type { PathModel } from "../../../src/risk/scenarios/path-kernel.ts";
import { drawPaths } from "../../../src/risk/scenarios/path-kernel.ts";
import { stationaryRecursion } from "../../../src/risk/scenarios/stationary-recursion.ts";
import type { ResidualPool } from "../../../src/risk/scenarios/residual-pool.ts";
import { TUPLE_LENGTH } from "../../../src/risk/scenarios/residual-pool.ts";
import type { ScenarioIndex } from "../../../src/risk/scenarios/scenario-index.ts";
import { buildScenarioIndex } from "../../../src/risk/scenarios/scenario-index.ts";
import type { HexpRecursion, VarianceRecursion } from "../../../src/risk/volatility/variance-recursion.ts";
import { simulatePaths } from "../../oracle/simulated-paths.ts";
import { touchProbabilityOfBrownian, watchedBarrier } from "../../oracle/first-passage.ts";
import { indexOf, poolOf } from "../../support/scenarios.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { loadColumn, markCompared, forEachVector, vectorMismatches } from "../../support/vectors.ts";
import { between } from "../../support/arbitraries.ts";

// Mutants killed: variance advanced before the step, sign of the asymmetry, low taken after the close moved, extremes
// reset at a horizon, seasonal factor fed back into the variance, second half of a mixture drawn by the first model,
// HExp leverage on rises, Math.max for the low; in the unrolled form: leverage left out of the growth, gain without
// (1 − decay), the fourth average left out of the sum, an average that forgets nothing, falls and rises of the growth
// swapped, gamma left out of it.

const STEPS = 24;

describe.skipIf(!hasVectors)("simulated paths of the oracle", () => {
  forEachVector("fhs_paths", (vector) => {
    const index = vector.input["index"] as number[][];
    const run = (name: "asset1" | "asset2"): Record<string, number[]> => {
      const z = vector.input[`z_${name}`] as number[];
      const { h1, ...params } = vector.input[name] as Record<
        "omega" | "alpha" | "gamma" | "beta" | "h1",
        number
      >;
      const model: PathModel = { recursion: { kind: "gjr-garch", ...params }, state: Float64Array.of(h1) };
      return pathsOf(poolOf(z), index, model);
    };

    expect(vectorMismatches(vector, { asset1: run("asset1"), asset2: run("asset2") })).toEqual([]);
  });

  forEachVector("range_garch_fhs", (vector) => {
    const params = vector.input["params"] as Record<"omega" | "alpha" | "g" | "beta" | "h1", number>;
    const { omega, alpha, beta, g, h1 } = params;
    const recursion: VarianceRecursion = { kind: "range-garch", omega, alpha, asymmetry: g, beta };

    const paths = pathsOf(vectorPool(vector.input), vector.input["index"] as number[][], {
      recursion,
      state: Float64Array.of(h1),
    });

    expect(vectorMismatches(vector, paths)).toEqual([]);
  });

  forEachVector("hexp_fhs", (vector) => {
    const { b0, b, b_lev, V, E0, neg0, halflives_h } = vector.input as unknown as {
      b0: number;
      b: number[];
      b_lev: number;
      V: number;
      E0: number[];
      neg0: number;
      halflives_h: number[];
    };
    const recursion: HexpRecursion = {
      kind: "hexp",
      baseVarianceStep: b0 * V,
      decays: halflives_h.map((hours) => 0.5 ** (1 / hours)),
      weights: b,
      leverage: b_lev,
    };
    const now = b0 * V + b.reduce((sum, weight, k) => sum + weight * E0[k]!, 0) + b_lev * neg0;

    const paths = pathsOf(vectorPool(vector.input), vector.input["index"] as number[][], {
      recursion,
      state: Float64Array.of(now, ...E0),
    });

    expect(vectorMismatches(vector, paths)).toEqual([]);
  });

  forEachVector("fhs_statistical", (vector) => {
    const input = vector.input as unknown as {
      series_csv: string;
      params: { omega: number; alpha: number; gamma: number; beta: number };
      horizons: number[];
    };
    const recursion: VarianceRecursion = { kind: "gjr-garch", ...input.params };
    const { z, varianceNext } = filtered(loadColumn(input.series_csv, "r"), input.params);
    const index = buildScenarioIndex(20_240_101, z.length, 4 * z.length, 168);
    const out = new Float64Array(12 * index.scenarios);

    drawPaths(
      {
        pool: poolOf(z),
        index,
        models: [{ recursion, state: Float64Array.of(varianceNext) }],
        sigmaFactors: new Float64Array(168).fill(1),
        horizonSteps: input.horizons,
      },
      out,
    );

    const n = index.scenarios;
    const at95 = buildHarrellDavisWeights(n, 0.95);
    const at99 = buildHarrellDavisWeights(n, 0.99);
    input.horizons.forEach((hours, horizon) => {
      const expected = vector.expected[`h${hours}`] as Record<
        "var95" | "var99" | "es95" | "es99" | "var95_short" | "var99_short" | "sd_terminal",
        number
      > & {
        mc_se_4096: Record<string, number>;
        touch_prob: { drop_pct: number; p: number }[];
      };
      const terminal = out.slice(3 * horizon * n, (3 * horizon + 1) * n);
      const long = terminal
        .map((c) => -c)
        .sort()
        .reverse();
      const short = terminal.slice().sort().reverse();
      const measured: Record<string, number> = {
        var95: harrellDavisOfDescending(long, at95),
        var99: harrellDavisOfDescending(long, at99),
        es95: expectedShortfallOfDescending(long, n, 0.95),
        es99: expectedShortfallOfDescending(long, n, 0.99),
        var95_short: harrellDavisOfDescending(short, at95),
        var99_short: harrellDavisOfDescending(short, at99),
      };
      for (const [name, value] of Object.entries(measured)) {
        const error = expected.mc_se_4096[name.replace("_short", "")]! * Math.sqrt(4096 / n);
        const distance = Math.abs(value - expected[name as "var95"]) / error;
        expect(distance, `${hours} h ${name}: standard errors`).toBeLessThanOrEqual(4);
      }
      // The variance of a sample's variance is (m4 - sd^4)/n.
      const sd = Math.sqrt(populationVariance(terminal));
      const fourth = meanSquare(terminal.map((c) => c * c));
      const sdError = Math.sqrt((fourth - sd ** 4) / n) / (2 * sd);
      expect(Math.abs(sd - expected.sd_terminal) / sdError, `${hours} h sd`).toBeLessThanOrEqual(4);
      const lows = out.subarray((3 * horizon + 1) * n, (3 * horizon + 2) * n);
      for (const { drop_pct, p } of expected.touch_prob) {
        const share = lows.filter((low) => low <= Math.log(1 - drop_pct / 100)).length / n;
        expect(Math.abs(share - p)).toBeLessThanOrEqual(4 * Math.sqrt((p * (1 - p)) / n) + 1 / n);
      }
      markCompared(vector, `h${hours}`);
    });
  });

  forEachVector("first_passage_gbm", (vector) => {
    const grid = vector.input["grid"] as Record<"drop" | "sigma_annual" | "hours" | "mu", number>[];
    const touched = (isDriftless: boolean, step: number): number[] =>
      grid.map(({ drop, sigma_annual: sigma, hours, mu }) => {
        const drift = isDriftless ? 0 : mu - (sigma * sigma) / 2;
        const barrier = watchedBarrier(Math.log(1 - drop), sigma, step / 8760);
        return touchProbabilityOfBrownian(barrier, drift, sigma, hours / 8760);
      });

    expect(
      vectorMismatches(vector, {
        p_touch: touched(false, 0),
        p_touch_driftless_log: touched(true, 0),
        bgk_hourly_monitoring: touched(true, 1),
      }),
    ).toEqual([]);
  });
});

describe("drawPaths", () => {
  const recursion = fc.oneof(
    fc.record({
      kind: fc.constant("range-garch" as const),
      omega: fc.double({ min: 1e-8, max: 1e-5, noNaN: true }),
      alpha: fc.double({ min: 0.01, max: 0.3, noNaN: true }),
      asymmetry: between(-0.5, 0.5),
      beta: fc.double({ min: 0.3, max: 0.65, noNaN: true }),
    }),
    fc.record({
      kind: fc.constant("gjr-garch" as const),
      omega: fc.double({ min: 1e-8, max: 1e-5, noNaN: true }),
      alpha: fc.double({ min: 0.01, max: 0.1, noNaN: true }),
      gamma: between(0, 0.1),
      beta: fc.double({ min: 0.3, max: 0.8, noNaN: true }),
    }),
    fc.record({ kind: fc.constant("ewma" as const), decay: fc.double({ min: 0.9, max: 0.99, noNaN: true }) }),
    fc.record({
      kind: fc.constant("hexp" as const),
      baseVarianceStep: fc.double({ min: 1e-8, max: 1e-5, noNaN: true }),
      decays: fc.constant([0.7, 0.97]),
      weights: fc.constant([0.3, 0.4]),
      leverage: between(0, 0.2),
    }),
    fc.record({
      kind: fc.constant("hexp" as const),
      baseVarianceStep: fc.double({ min: 1e-8, max: 1e-5, noNaN: true }),
      decays: fc.constant([0.7, 0.9, 0.97, 0.99]),
      weights: fc.constant([0.3, 0.2, 0.1, 0.15]),
      leverage: between(0, 0.2),
    }),
  );
  const setup = fc.record({ seed: fc.nat(), models: fc.array(recursion, { minLength: 1, maxLength: 2 }) });
  const variance = 3e-5;

  it("equals the plain simulation, hour by hour and scenario by scenario", () => {
    fc.assert(
      fc.property(setup, ({ seed, models }) => {
        const { draw, out } = drawn(seed, models, variance, 1);
        const oracle = simulatePaths(draw);
        for (let i = 0; i < out.length; i++) expect(Math.abs(out[i]! - oracle[i]!)).toBeLessThan(1e-12);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps low <= min(0, close) <= max(0, close) <= high, wider at longer horizons", () => {
    fc.assert(
      fc.property(setup, ({ seed, models }) => {
        const { draw, out } = drawn(seed, models, variance, 1);
        const n = draw.index.scenarios;
        for (let s = 0; s < n; s++) {
          let low = 0;
          let high = 0;
          for (let horizon = 0; horizon < 3; horizon++) {
            const at = 3 * horizon * n + s;
            expect(out[at + n]!).toBeLessThanOrEqual(Math.min(low, out[at]!));
            expect(out[at + 2 * n]!).toBeGreaterThanOrEqual(Math.max(high, out[at]!));
            low = out[at + n]!;
            high = out[at + 2 * n]!;
          }
        }
      }),
    );
  });

  it("is bit-identical for the same seed and state", () => {
    fc.assert(
      fc.property(setup, ({ seed, models }) => {
        expect(drawn(seed, models, variance, 1).out).toEqual(drawn(seed, models, variance, 1).out);
      }),
      { numRuns: 30 },
    );
  });

  it("scales exactly by 2 when variance and omega grow fourfold, and alike by the sigma factors", () => {
    fc.assert(
      fc.property(setup, ({ seed, models }) => {
        const base = drawn(seed, models, variance, 1).out;
        const louder = drawn(seed, models.map(fourfold), 4 * variance, 1).out;
        const factored = drawn(seed, models, variance, 2).out;
        base.forEach((value, i) => {
          expect(louder[i]).toBe(2 * value);
          expect(factored[i]).toBe(2 * value);
        });
      }),
      { numRuns: 60 },
    );
  });

  it("touches barriers as often as Brownian motion when fed its hours, extremes included", () => {
    const hours = 4096;
    const random = createRandom(5);
    const z = Float64Array.from({ length: hours }, () => random.normal());
    const mean = z.reduce((sum, value) => sum + value, 0) / hours;
    const centred = z.map((value) => value - mean);
    // Extremes of a Brownian bridge from 0 to z: (z ∓ √(z² − 2 ln U))/2.
    const extreme = (value: number, sign: number): number =>
      (value + sign * Math.sqrt(value * value - 2 * Math.log(random.uniform()))) / 2;
    const low = centred.map((value) => extreme(value, -1));
    const high = centred.map((value) => extreme(value, 1));
    const index = buildScenarioIndex(11, hours, 4 * hours, STEPS);
    const sigmaHour = 0.006;
    const out = new Float64Array(3 * index.scenarios);

    drawPaths(
      {
        pool: poolOf(centred, { low, high }),
        index,
        models: [{ recursion: { kind: "ewma", decay: 1 }, state: Float64Array.of(sigmaHour ** 2) }],
        sigmaFactors: new Float64Array(STEPS).fill(1),
        horizonSteps: [STEPS],
      },
      out,
    );

    const deviation = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0) / hours);
    for (const drop of [0.01, 0.02, 0.04, 0.06]) {
      const expected = touchProbabilityOfBrownian(-drop, 0, sigmaHour * deviation, STEPS);
      const share =
        out.subarray(index.scenarios, 2 * index.scenarios).filter((value) => value <= -drop).length /
        index.scenarios;
      const error = Math.sqrt((expected * (1 - expected)) / index.scenarios);
      expect(Math.abs(share - expected), `a fall of ${drop}`).toBeLessThan(4 * error);
    }
  });

  it("has simple returns whose mean is half the variance, drift being none", () => {
    const { draw, out } = drawn(
      3,
      [{ kind: "range-garch", omega: 1e-6, alpha: 0.15, asymmetry: 0, beta: 0.8 }],
      variance,
      1,
      4096,
    );
    const n = draw.index.scenarios;
    const returns = Array.from(out.subarray(6 * n, 7 * n), (c) => Math.expm1(c));
    const mean = returns.reduce((sum, r) => sum + r, 0) / n;
    const second = returns.reduce((sum, r) => sum + r * r, 0) / n;
    expect(Math.abs(mean - second / 2)).toBeLessThan(4 * Math.sqrt(second / n));
  });
});

describe("stationaryRecursion", () => {
  it("leaves a calm pool alone and cuts the reaction of an explosive one to 0.9995", () => {
    const recursion: VarianceRecursion = {
      kind: "range-garch",
      omega: 0,
      alpha: 0.2,
      asymmetry: 0,
      beta: 0.75,
    };

    const calm = stationaryRecursion(recursion, poolOf([1, -1], { rangeRatio: [1, 1] }));
    const wild = stationaryRecursion(recursion, poolOf([1, -1], { rangeRatio: [1, 3] }));

    expect(calm).toBe(recursion);
    expect(wild).toMatchObject({ alpha: (0.9995 - 0.75) / 2, beta: 0.75 });
  });
});

function drawn(
  seed: number,
  recursions: readonly VarianceRecursion[],
  variance: number,
  factor: number,
  windowHours = 64,
): { readonly draw: Parameters<typeof drawPaths>[0]; readonly out: Float64Array } {
  const random = createRandom(seed);
  const z = Float64Array.from({ length: windowHours }, () => random.normal());
  const mean = z.reduce((sum, value) => sum + value, 0) / windowHours;
  const centred = z.map((value) => value - mean);
  const low = centred.map((value) => Math.min(0, value) - Math.abs(random.normal()) / 2);
  const high = centred.map((value) => Math.max(0, value) + Math.abs(random.normal()) / 2);
  const rangeRatio = centred.map((_, i) => (high[i]! - low[i]!) ** 2 / (4 * Math.LN2));
  const index = buildScenarioIndex(seed, windowHours, windowHours, STEPS);
  const models = recursions.map((recursion) => ({
    recursion,
    state:
      recursion.kind === "hexp"
        ? new Float64Array(1 + recursion.decays.length).fill(variance)
        : Float64Array.of(variance),
  }));
  const sigmaFactors = Float64Array.from({ length: STEPS }, (_, k) => factor * (1 + (k % 3) / 4));
  const draw = {
    pool: poolOf(centred, { low, high, rangeRatio }),
    index,
    models,
    sigmaFactors,
    horizonSteps: [1, 4, 24],
  };
  const out = new Float64Array(9 * windowHours);
  drawPaths(draw, out);
  return { draw, out };
}

function fourfold(recursion: VarianceRecursion): VarianceRecursion {
  if (recursion.kind === "ewma") return recursion;
  if (recursion.kind === "hexp") return { ...recursion, baseVarianceStep: 4 * recursion.baseVarianceStep };
  return { ...recursion, omega: 4 * recursion.omega };
}

function pathsOf(
  pool: ResidualPool,
  rows: readonly (readonly number[])[],
  model: PathModel,
): Record<string, number[]> {
  const index: ScenarioIndex = indexOf(rows, Math.max(pool.windowHours, rows.length));
  const n = index.scenarios;
  const out = new Float64Array(3 * n);
  const sigmaFactors = new Float64Array(index.steps).fill(1);
  drawPaths({ pool, index, models: [model], sigmaFactors, horizonSteps: [index.steps] }, out);
  return {
    terminal: Array.from(out.subarray(0, n)),
    path_min: Array.from(out.subarray(n, 2 * n)),
    path_max: Array.from(out.subarray(2 * n)),
  };
}

function vectorPool(input: Readonly<Record<string, unknown>>): ResidualPool {
  const column = (name: string): number[] => input[name] as number[];
  const pool = poolOf(column("z"), {
    low: column("z_low"),
    high: column("z_high"),
    rangeRatio: column("xi"),
  });
  expect(pool.tuples.length).toBe(TUPLE_LENGTH * column("z").length);
  return pool;
}

/** Demeaned residuals of unit variance and the variance after the last return. */
function filtered(
  returns: Float64Array,
  params: { omega: number; alpha: number; gamma: number; beta: number },
): { readonly z: Float64Array; readonly varianceNext: number } {
  let h = returns.reduce((sum, r) => sum + r * r, 0) / returns.length;
  const raw = returns.map((r) => {
    const value = r / Math.sqrt(h);
    h = params.omega + (params.alpha + (r < 0 ? params.gamma : 0)) * r * r + params.beta * h;
    return value;
  });
  const mean = raw.reduce((sum, value) => sum + value, 0) / raw.length;
  const variance = raw.reduce((sum, value) => sum + (value - mean) ** 2, 0) / raw.length;
  return { z: raw.map((value) => (value - mean) / Math.sqrt(variance)), varianceNext: h };
}
