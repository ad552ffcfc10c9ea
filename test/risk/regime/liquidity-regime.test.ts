import { describe, expect, it } from "vitest";
import {
  initialLiquidityRegime,
  liquidityRegimeFacts,
  REGIME_TRANSITION,
  robustScore,
  updateLiquidityRegime,
  type LiquidityRegime,
  type RegimeAlarms,
  type RegimeFeatures,
} from "../../../src/risk/regime/liquidity-regime.ts";
import { predictHours, weighed, type TransitionMatrix } from "../../../src/risk/regime/markov-filter.ts";
import { ordinalProbabilities } from "../../../src/risk/regime/ordinal-logit.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { forEachVector, vectorMismatches } from "../../support/vectors.ts";

const CALM: RegimeFeatures = {
  volatility: 0,
  spread: 0,
  depth: 0,
  funding: 0,
  openInterest: 0,
  marketVolatility: 0,
};
const STORM: RegimeFeatures = {
  volatility: 6,
  spread: 6,
  depth: 6,
  funding: 2,
  openInterest: 3,
  marketVolatility: 6,
};
const UNKNOWN: RegimeFeatures = {
  volatility: null,
  spread: null,
  depth: null,
  funding: null,
  openInterest: null,
  marketVolatility: null,
};
const QUIET: RegimeAlarms = { returnInSigmas: 0.5, depthRatio: 1 };

function after(hours: number, features: RegimeFeatures, start = initialLiquidityRegime(), alarms = QUIET) {
  let state = start;
  for (let hour = 0; hour < hours; hour++) state = updateLiquidityRegime(state, features, alarms, 1);
  return state;
}

describe("liquidity regime", () => {
  it("is normal with confidence after a calm day", () => {
    const facts = liquidityRegimeFacts(after(24, CALM));
    expect(facts.state).toBe("normal");
    expect(facts.confidence).toBeGreaterThan(0.95);
  });

  it("calls a market-wide collapse of depth and calm a crisis within two hours", () => {
    const state = after(2, STORM, after(24, CALM));
    expect(state.state).toBe("crisis");
  });

  it("returns to normal by itself within two days of calm", () => {
    expect(after(48, CALM, after(6, STORM)).state).toBe("normal");
  });

  it("rules normal out when the last hour moved over six sigmas or the book has emptied", () => {
    const calm = after(24, CALM);
    expect(updateLiquidityRegime(calm, CALM, { returnInSigmas: -6.1, depthRatio: 1 }, 1).state).toBe(
      "stressed",
    );
    expect(updateLiquidityRegime(calm, CALM, { returnInSigmas: 0, depthRatio: 0.09 }, 1).state).toBe(
      "stressed",
    );
    expect(updateLiquidityRegime(calm, CALM, { returnInSigmas: 6, depthRatio: 0.1 }, 1).state).toBe("normal");
  });

  it("has confidence 1/3, no more, when nothing is known", () => {
    const facts = liquidityRegimeFacts(after(5, UNKNOWN));
    expect(facts.confidence).toBeCloseTo(1 / 3, 12);
    expect(liquidityRegimeFacts(initialLiquidityRegime()).confidence).toBeCloseTo(1 / 3, 12);
    expect(facts.state).toBe("normal");
  });

  it("is not convinced faster by being asked more often", () => {
    const uneasy = { ...CALM, volatility: 2, marketVolatility: 1.5 };
    const start = after(24, CALM);
    let often = start;
    for (let minute = 0; minute < 60; minute++) often = updateLiquidityRegime(often, uneasy, QUIET, 1 / 60);
    const once = updateLiquidityRegime(start, uneasy, QUIET, 1);
    once.posterior.forEach((p, k) => expect(Math.abs(often.posterior[k]! - p)).toBeLessThan(0.03));
  });

  it("is entered at 0.6 and left below 0.4", () => {
    const reported = (state: LiquidityRegime, posterior: [number, number, number]): LiquidityRegime =>
      updateLiquidityRegime({ state, posterior, missingShare: 0 }, CALM, QUIET, 0).state;
    expect(reported("normal", [0.45, 0.5, 0.05])).toBe("normal");
    expect(reported("normal", [0.41, 0.59, 0])).toBe("normal");
    expect(reported("normal", [0.4, 0.6, 0])).toBe("stressed");
    expect(reported("normal", [0.39, 0.56, 0.05])).toBe("stressed");
    expect(reported("stressed", [0.55, 0.45, 0])).toBe("stressed");
    expect(reported("stressed", [0.625, 0.375, 0])).toBe("normal");
    expect(reported("stressed", [0.01, 0.34, 0.65])).toBe("crisis");
  });

  it("scores a value by its robust distance, clipped, and not without a scale", () => {
    expect(robustScore(3, { median: 1, deviation: 1 / 1.4826 })).toBeCloseTo(2, 12);
    expect(robustScore(1e9, { median: 1, deviation: 1 })).toBe(6);
    expect(robustScore(1, { median: 1, deviation: 0 })).toBeNull();
    expect([
      robustScore(Infinity, { median: 1, deviation: 1 }),
      robustScore(Number.NaN, { median: 1, deviation: 1 }),
    ]).toEqual([null, null]);
  });

  it("stays 67, 17 and 10 hours, and leaves a storm for calm rather than for worse", () => {
    const [normal, stressed, crisis] = REGIME_TRANSITION.value;
    const stays = [normal![0]!, stressed![1]!, crisis![2]!].map((stay) => Math.round(1 / (1 - stay)));
    expect(stays).toEqual([67, 17, 10]);
    for (const row of REGIME_TRANSITION.value) expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    expect(stressed![0]).toBeGreaterThan(stressed![2]!);
    expect(crisis![1]).toBeGreaterThan(crisis![0]!);
  });

  it("forgets no more over a gap than over two days, and nothing when a clock goes back", () => {
    const storm = after(6, STORM);
    const waited = (hours: number) => updateLiquidityRegime(storm, UNKNOWN, QUIET, hours).posterior;
    expect(waited(1000)).toEqual(waited(48));
    expect(waited(47)).not.toEqual(waited(48));
    updateLiquidityRegime(storm, CALM, QUIET, -3).posterior.forEach((p, k) => {
      expect(p).toBeCloseTo(storm.posterior[k]!, 12);
    });
  });
});

describe("ordinalProbabilities", () => {
  it("keeps the digits of a last state that is all but impossible", () => {
    expect(ordinalProbabilities(-60, [2, 4])[2]! / Math.exp(-64)).toBeCloseTo(1, 12);
  });
});

describe.skipIf(!hasVectors)("regime filters against numpy", () => {
  forEachVector("hmm_forward_filter", (vector) => {
    const { states, transition_row_to_col, prior, mean, sd, x } = vector.input as {
      states: string[];
      transition_row_to_col: TransitionMatrix;
      prior: number[];
      mean: number[][];
      sd: number[][];
      x: (number | null)[][];
    };
    let posterior = prior;
    const posteriors = x.map((row) => {
      const likelihood = states.map((_, state) =>
        row.reduce<number>((product, value, feature) => {
          if (value === null) return product;
          const z = (value - mean[state]![feature]!) / sd[state]![feature]!;
          return (product * Math.exp(-0.5 * z * z)) / sd[state]![feature]!;
        }, 1),
      );
      posterior = weighed(predictHours(posterior, transition_row_to_col, 1), likelihood);
      return posterior;
    });
    const tops = posteriors.map((p) => Math.max(...p));
    expect(
      vectorMismatches(vector, {
        posterior: posteriors,
        state: posteriors.map((p, i) => states[p.indexOf(tops[i]!)]),
        confidence: tops,
      }),
    ).toEqual([]);
  });

  forEachVector("ordinal_logit", (vector) => {
    const { coef, cutpoints, features } = vector.input as {
      coef: number[];
      cutpoints: number[];
      features: number[][];
    };
    const probabilities = features.map((row) =>
      ordinalProbabilities(
        row.reduce((eta, value, k) => eta + value * coef[k]!, 0),
        cutpoints,
      ),
    );
    expect(
      vectorMismatches(vector, {
        prob: probabilities,
        p_stressed_or_worse: probabilities.map((p) => p[1]! + p[2]!),
      }),
    ).toEqual([]);
  });
});
