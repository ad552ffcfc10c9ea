import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { fitRangeGarchPrior } from "../../../src/risk/calibration-fit/prior-fit.ts";
import { RANGE_GARCH_PRIOR } from "../../../src/risk/volatility/garch-parameters.ts";

const random = createRandom(7);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(random.uniform())) * Math.cos(2 * Math.PI * random.uniform());

describe("fitRangeGarchPrior", () => {
  /** Hours of h' = ω + αx + βh with x = h × a mean-one spread, V = 1e-4. */
  const coinOf = (reaction: number, persistence: number, hours: number) => {
    const returns = new Float64Array(hours);
    const ranges = new Float64Array(hours);
    let h = 1e-4;
    for (let t = 0; t < hours; t++) {
      returns[t] = Math.sqrt(h) * normal();
      ranges[t] = h * Math.exp(0.7 * normal() - 0.245);
      h = 1e-4 * (1 - persistence) + reaction * ranges[t]! + (persistence - reaction) * h;
    }
    return { asset: "A", reaction, asymmetry: 0, beta: persistence - reaction, returns, ranges };
  };

  it("returns the medians of the coins, and stays with the larger survey", () => {
    const fits = [0.1, 0.2, 0.3].map((reaction) => coinOf(reaction, 0.95, 700));
    const { fitted, isAdopted, evidence } = fitRangeGarchPrior(fits, "three");

    expect(evidence["reactionMedian"]).toBeCloseTo(0.2, 9);
    expect(evidence["persistenceMedian"]).toBeCloseTo(0.95, 9);
    expect(fitted.centre[3]).toBe(RANGE_GARCH_PRIOR.value.centre[3]);
    expect(isAdopted).toBe(false);
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
    // One coin alone has no other to learn from: what is left out is its own.
    const odd = [...stranger.slice(1), alike[0]!];
    expect(fitRangeGarchPrior(odd, "six").evidence["gainPerHour"]).toBeLessThan(0);
  });
});
