import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { fitRangeGarchPrior } from "../../../src/risk/calibration-fit/prior-fit.ts";
import { type GarchPrior, RANGE_GARCH_PRIOR } from "../../../src/risk/volatility/garch-parameters.ts";
import { fitRangeGarch } from "../../../src/risk/volatility/range-garch.ts";

// Mutants seen to fail: the gain with the other sign, the coin's own fit in the prior it is judged with, likelihood of
// the fitted hours too, persistence and reaction swapped.

const random = createRandom(7);

describe("fitRangeGarchPrior", () => {
  /** Hours of h' = ω + αx + βh with x = h × a mean-one spread, V = 1e-4. */
  const coinOf = (reaction: number, persistence: number, hours: number) => {
    const returns = new Float64Array(hours);
    const ranges = new Float64Array(hours);
    let h = 1e-4;
    for (let t = 0; t < hours; t++) {
      returns[t] = Math.sqrt(h) * random.normal();
      ranges[t] = h * Math.exp(0.7 * random.normal() - 0.245);
      h = 1e-4 * (1 - persistence) + reaction * ranges[t]! + (persistence - reaction) * h;
    }
    return { reaction, asymmetry: 0, beta: persistence - reaction, returns, ranges };
  };

  it("returns the medians of the coins, and stays with the larger survey", () => {
    const coins = [
      { reaction: 0.1, persistence: 0.93, asymmetry: 0.1 },
      { reaction: 0.2, persistence: 0.95, asymmetry: 0.2 },
      { reaction: 0.3, persistence: 0.98, asymmetry: 0.4 },
    ] as const;
    const fits = coins.map(({ reaction, persistence, asymmetry }) => ({
      ...coinOf(reaction, persistence, 700),
      asymmetry,
    }));
    const { fitted, isAdopted, evidence } = fitRangeGarchPrior(fits, "three");

    expect(evidence["reactionMedian"]).toBeCloseTo(0.2, 9);
    expect(evidence["persistenceMedian"]).toBeCloseTo(0.95, 9);
    expect(evidence["asymmetryMedian"]).toBeCloseTo(0.2, 9);
    expect(fitted.centre[3]).toBe(RANGE_GARCH_PRIOR.value.centre[3]);
    // The quantiles of 5 and 95 % of three lie a tenth of the way from the ends to the middle one.
    const transformed = coins.map(({ reaction, persistence, asymmetry }) => {
      const share = reaction / persistence;
      return [Math.log(share / (1 - share)), Math.atanh(asymmetry)] as const;
    });
    for (const i of [0, 1] as const) {
      const [first, middle, last] = transformed.map((parameters) => parameters[i]);
      expect(fitted.centre[i + 1]).toBeCloseTo(middle!, 9);
      expect(fitted.spread[i + 1]).toBeCloseTo((0.9 * (last! - first!)) / 3.29, 9);
    }
    expect(isAdopted).toBe(false);
  });

  it("is not judged where there are no two coins: one is judged by the others' prior", () => {
    const verdictOf = (count: number) =>
      fitRangeGarchPrior(
        Array.from({ length: count }, () => coinOf(0.2, 0.95, 700)),
        "few",
      ).verdict;

    expect(verdictOf(0)).toBe("0 coins against 183 of the survey");
    expect(verdictOf(1)).toBe("1 coins against 183 of the survey");
    expect(verdictOf(2)).toMatch(/^2 coins .*; log likelihood .* -?0\.\d{5} ± 0\.\d{5} higher$/);
  });

  it("is judged on hours after a short fit, by the other coins' prior", () => {
    // Persistence far below the survey's: those who know it forecast what follows two weeks better.
    const alike = [0.15, 0.2, 0.25, 0.3, 0.35, 0.4].map((reaction, i) => ({
      ...coinOf(reaction, 0.15 + reaction, 6800),
      asymmetry: i / 10 - 0.25,
    }));
    const stranger = alike.map((coin, i) => ({ ...coin, reaction: 0.01 + i / 1e3, beta: 0.98 - i / 1e3 }));

    const known = fitRangeGarchPrior(alike, "six").evidence;
    expect(known["gainPerHour"]).toBeGreaterThan(2 * (known["gainStandardError"] as number));
    expect(fitRangeGarchPrior(stranger, "six").evidence["gainPerHour"]).toBeLessThan(0);
  });

  it("counts the likelihood of the hours after the fit, under what the other coins know", () => {
    const none = new Float64Array();
    const others = [0.2, 0.25, 0.3].map((reaction, i) => ({
      ...coinOf(reaction, 0.6 + reaction, 1),
      asymmetry: i / 10,
      returns: none,
      ranges: none,
    }));
    const judged = coinOf(0.4, 0.45, 672);
    const laterLikelihood = (prior: GarchPrior): number => {
      const recursion = fitRangeGarch(judged.returns.slice(0, 336), judged.ranges.slice(0, 336), {
        prior,
        start: null,
        evaluationsMax: 160,
      });
      let h = judged.ranges.reduce((sum, x) => sum + x, 0) / 672;
      let sum = 0;
      judged.returns.forEach((r, t) => {
        if (t >= 336) sum -= (Math.log(h) + (r * r) / h) / 2;
        const tilt = r < 0 ? 1 + recursion.asymmetry : 1 - recursion.asymmetry;
        h = recursion.omega + recursion.alpha * tilt * judged.ranges[t]! + recursion.beta * h;
      });
      return sum;
    };
    const prior = fitRangeGarchPrior(others, "three").fitted;
    const gain = (laterLikelihood(prior) - laterLikelihood(RANGE_GARCH_PRIOR.value)) / 336;

    const { evidence } = fitRangeGarchPrior([...others, judged], "four");
    expect(evidence["gainPerHour"]).toBeCloseTo(gain, 10);
    expect(Math.abs(gain)).toBeGreaterThan(1e-6);
  });
});
