import { describe, expect, it } from "vitest";
import {
  drawPaths,
  modelOfScenario,
  PATH_RISE_MAX,
  type PathModel,
} from "../../../src/risk/scenarios/path-kernel.ts";
import { createHourlyPath, replayPath } from "../../../src/risk/scenarios/path-replay.ts";
import { buildScenarioIndex } from "../../../src/risk/scenarios/scenario-index.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import type { HexpRecursion, VarianceRecursion } from "../../../src/risk/volatility/variance-recursion.ts";
import { indexOf, poolOf, testAsset, testInputs } from "../../support/scenarios.ts";

// Mutants killed: no limit on the variance of either kind of recursion, or of a replay, none on close, low or high, the
// place in a block counted from the first one.

const EXPLOSIVE: VarianceRecursion = { kind: "gjr-garch", omega: 0, alpha: 5, gamma: 0, beta: 0 };
const EXPLOSIVE_HEXP: HexpRecursion = {
  kind: "hexp",
  baseVarianceStep: 0,
  decays: [0.1],
  weights: [6],
  leverage: 0,
};
const EXPLOSIVES = [
  { recursion: EXPLOSIVE, state: Float64Array.of(0.01) },
  { recursion: EXPLOSIVE_HEXP, state: Float64Array.of(0.01, 0.01) },
];

describe("drawPaths", () => {
  it.each(EXPLOSIVES)("lets an hour deviate by no more than 100 %, $recursion.kind", (model) => {
    const hours = 24;
    const out = drawOnce([model], 1e-3, hours);

    // The hour's own factor of 1e-3 is beside the variance; the pool's first hour falls by one deviation.
    const lastHour = out[3]! - out[0]!;
    expect(lastHour).toBeCloseTo(-1e-3, 12);
  });

  it("keeps what is stored of a path between nothing and the largest rise", () => {
    const out = drawOnce([EXPLOSIVES[0]!], 100, 24);
    const risen = drawOnce([EXPLOSIVES[0]!], 100, 24, 1);

    expect([...out.slice(3, 6)]).toEqual([-10, -10, 0]);
    const most = Math.log1p(PATH_RISE_MAX.value);
    expect(risen[3]).toBe(most);
    expect(risen[5]).toBe(most);
  });

  it("draws every scenario of a mixture by the model that is named for it, in every block", () => {
    const windowHours = 10;
    const scenarios = 37;
    const index = buildScenarioIndex(4, windowHours, scenarios, 3);
    // Calm variances that do not move: a path's size tells its model.
    const models = [1e-4, 4e-4, 9e-4].map((variance): PathModel => ({
      recursion: { kind: "ewma", decay: 1 },
      state: Float64Array.of(variance),
    }));
    const pool = poolOf(new Float64Array(windowHours).fill(-1));
    const out = new Float64Array(3 * scenarios);

    drawPaths({ pool, index, models, sigmaFactors: new Float64Array(3).fill(1), horizonSteps: [3] }, out);

    const counts = [0, 0, 0];
    for (let scenario = 0; scenario < scenarios; scenario++) {
      const place = modelOfScenario(models, index, scenario);
      counts[place]!++;
      expect(out[scenario]).toBeCloseTo(-0.03 * (place + 1), 12);
    }
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(4);
  });
});

describe("replayPath", () => {
  it("lets an hour deviate by no more than 100 %, as the draw does", () => {
    const models = [{ recursion: EXPLOSIVE, state: Float64Array.of(0.01) }];
    const { sheet } = buildScenarioSheet(testInputs(3, [testAsset(1)]));
    const exploded = {
      ...sheet,
      dynamics: [{ models, sigmaFactors: new Float64Array(168).fill(1e-3) }],
    };
    const path = createHourlyPath(24);

    let largest = 0;
    for (let scenario = 0; scenario < sheet.scenarios; scenario++) {
      replayPath(exploded, 0, scenario, path);
      for (let hour = 1; hour < 24; hour++) {
        largest = Math.max(largest, Math.abs(path.closes[hour]! - path.closes[hour - 1]!));
      }
    }

    // No residual is beyond 15 deviations, less the mean of its pool.
    expect(largest).toBeLessThan(1e-3 * 15.2);
  });
});

/** Terminal, low and high of one path of hours that all are of one deviation: next to its end, and there. */
function drawOnce(models: readonly PathModel[], factor: number, hours: number, z = -1): Float64Array {
  const out = new Float64Array(6);
  drawPaths(
    {
      pool: poolOf([z]),
      index: indexOf([new Array<number>(hours).fill(0)], 1),
      models,
      sigmaFactors: new Float64Array(hours).fill(factor),
      horizonSteps: [hours - 1, hours],
    },
    out,
  );
  return out;
}
