import { describe, expect, it } from "vitest";
import { conditionBars } from "../../../src/risk/volatility/conditioned-bars.ts";
import {
  fitHexp,
  type HexpFit,
  hexpOf,
  initialHexpState,
  updateHexp,
} from "../../../src/risk/volatility/hexp.ts";
import { fillExpectedVariance } from "../../../src/risk/volatility/term-structure.ts";
import { persistenceOf } from "../../../src/risk/volatility/variance-recursion.ts";
import { mean } from "../../../src/math/moments.ts";
import { createRandom } from "../../../src/math/random.ts";
import { qlikeByDefinition } from "../../oracle/garch-by-definition.ts";
import { filterHexp } from "../../support/filtered-variances.ts";
import { syntheticBars } from "../../support/synthetic-bars.ts";

const COLD = { start: null, evaluationsMax: 2000 };

const TRUTH = hexpOf(1e-4, 0.1, [0.4, 0.2, 0.15, 0.15], 0);

/** Ranges drawn from an HExp of known weights: x = h · (unit-mean gamma-like news). */
function simulated(length: number, truth = TRUTH): { returns: Float64Array; ranges: Float64Array } {
  const random = createRandom(31);
  const state = initialHexpState(truth, 1e-4);
  const returns = new Float64Array(length);
  const ranges = new Float64Array(length);
  for (let t = 0; t < length; t++) {
    const h = state[0]!;
    returns[t] = Math.sqrt(h) * random.normal();
    ranges[t] = (h * (random.normal() ** 2 + random.normal() ** 2 + random.normal() ** 2)) / 3;
    updateHexp(truth, state, returns[t]!, ranges[t]!);
  }
  return { returns, ranges };
}

describe("HExp fit", () => {
  // Mutants killed: the last of an odd number of bars left out, the two shares of a pair swapped.
  it.each([1500, 1501])("reports the criterion of the recursion that it returns, %i bars", (length) => {
    const bars = conditionBars(syntheticBars({ seed: 2, length, sigmaHour: 0.01 }));
    const fit = fitHexp(bars.logReturn, bars.rangeVariance, COLD);
    const slow = qlikeOf(fit, bars.logReturn, bars.rangeVariance);
    expect(fit.objectiveValue / slow).toBeCloseTo(1, 12);
  });

  it("reports it also where thousands of hours in a row are wilder than the others", () => {
    const { returns, ranges } = simulated(6000);
    const [wildReturns, wildRanges] = [returns, ranges].map((values, i) =>
      values.map((value, t) => (t < 3000 ? (i === 0 ? 3 : 9) * value : value)),
    ) as [Float64Array, Float64Array];

    const fit = fitHexp(wildReturns, wildRanges, COLD);

    expect(fit.objectiveValue / qlikeOf(fit, wildReturns, wildRanges)).toBeCloseTo(1, 12);
  });

  // Mutants killed: the ridge left out, the mass pulled a tenth as hard or without the leverage.
  it("has no better neighbour: QLIKE, a ridge of 0.02 (ln b + 2)² and of 200 (Σb − ½b_lev − 1)² on the mass", () => {
    for (const truth of [TRUTH, hexpOf(1e-4, 0.1, [0.3, 0.05, 0.03, 0.02], 1)]) {
      const { returns, ranges } = simulated(2000, truth);
      const V = mean(ranges);
      const criterion = (logWeights: readonly number[]): number => {
        const b = logWeights.map(Math.exp);
        const ridge = logWeights.reduce((sum, log) => sum + 0.02 * (log + 2) ** 2, 0);
        const mass = b.reduce((sum, weight) => sum + weight, -b[5]! / 2);
        const recursion = hexpOf(V, b[0]!, b.slice(1, 5), b[5]!);
        return qlikeOf({ recursion }, returns, ranges) + ridge + 200 * (mass - 1) ** 2;
      };

      const { baseVarianceStep, weights, leverage } = fitHexp(returns, ranges, COLD).recursion;

      const at = [baseVarianceStep / V, ...weights, leverage].map(Math.log);
      const least = criterion(at);
      at.forEach((log, i) => {
        for (const step of [-1, -0.3, -0.1, 0.1, 0.3, 1]) {
          expect(criterion(at.with(i, log + step))).toBeGreaterThan(least - 0.01);
        }
      });
    }
  });

  it("is at least as good as the model that made the data, with its mass near one", () => {
    const { returns, ranges } = simulated(4000);
    const fit = fitHexp(returns, ranges, COLD);
    const V = mean(ranges);
    const atTruth = qlikeOf({ recursion: TRUTH }, returns, ranges);
    expect(fitHexp(returns, ranges, { ...COLD, evaluationsMax: 4000 })).toEqual(fit);
    expect(fit.objectiveValue).toBeLessThan(atTruth + 1);
    // Σb_k + ½b_lev carries all but the share b₀ of V.
    expect(persistenceOf(fit.recursion) + fit.recursion.baseVarianceStep / V).toBeCloseTo(1, 1);
  });

  it("keeps its mass near one where half of it comes back after falls alone", () => {
    const { returns, ranges } = simulated(4000, hexpOf(1e-4, 0.1, [0.3, 0.05, 0.03, 0.02], 1));
    const { recursion } = fitHexp(returns, ranges, COLD);

    expect(recursion.leverage).toBeGreaterThan(0.5);
    expect(persistenceOf(recursion) + recursion.baseVarianceStep / mean(ranges)).toBeCloseTo(1, 1);
  });

  it("expects no more than a few times the variance of the window, also where it grew for days on end", () => {
    const { returns, ranges } = simulated(4400);
    const growth = ranges.map((_, t) => 1.03 ** (t % 200));
    const { recursion } = fitHexp(
      returns.map((value, t) => value * Math.sqrt(growth[t]!)),
      ranges.map((value, t) => value * growth[t]!),
      COLD,
    );
    const V = mean(ranges.map((value, t) => value * growth[t]!));
    const expected = new Float64Array(10_000);
    fillExpectedVariance(recursion, initialHexpState(recursion, V), expected);

    expect(persistenceOf(recursion)).toBeLessThan(1);
    expect(Math.max(...expected) / V).toBeLessThan(4.001);
    expect(recursion.baseVarianceStep / (1 - persistenceOf(recursion)) / V).toBeLessThan(4.001);
  });

  it("stays where it is when it starts from its own result", () => {
    const { returns, ranges } = simulated(3000);
    const cold = fitHexp(returns, ranges, COLD);
    const warm = fitHexp(returns, ranges, { start: cold.recursion, evaluationsMax: 120 });
    expect(warm.objectiveValue).toBeLessThan(cold.objectiveValue + 0.5);
  });

  it("lets a weight grow again that its start has at nothing", () => {
    const { returns, ranges } = simulated(3000, hexpOf(1e-4, 0.1, [0.3, 0.05, 0.03, 0.02], 1));
    const cold = fitHexp(returns, ranges, COLD);
    const start = { ...cold.recursion, leverage: 0 };
    const warm = fitHexp(returns, ranges, { start, evaluationsMax: 2000 });
    expect(warm.objectiveValue).toBeLessThan(cold.objectiveValue + 0.5);
    expect(warm.recursion.leverage).toBeGreaterThan(0.5);
  });
});

/** The likelihood by its definition, of the recursion run over the bars, from the 201st on. */
function qlikeOf(
  { recursion }: Pick<HexpFit, "recursion">,
  returns: Float64Array,
  ranges: Float64Array,
): number {
  const h = filterHexp(recursion, initialHexpState(recursion, mean(ranges)), returns, ranges);
  return qlikeByDefinition([...ranges.slice(200)], [...h.slice(200)]);
}
