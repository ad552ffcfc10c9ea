import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { plattAt } from "../../../src/risk/backtest/platt.ts";
import { SCORE } from "../../../src/risk/calibration/calibration.ts";
import {
  type AdverseCase,
  ANCHORS_IN_FORCE,
  bandTable,
  caseScore,
} from "../../../src/risk/calibration-fit/adverse-bands.ts";
import {
  fitAccountLoss,
  fitAdverseCurve,
  fitLiquidationSigmas,
} from "../../../src/risk/calibration-fit/severity-fit.ts";
import { scoreProbability } from "../../../src/risk/scoring/score-probability.ts";
import { riskScore } from "../../../src/risk/scoring/score.ts";
import { between, fraction } from "../../support/arbitraries.ts";
import { calmFacts } from "../../support/builders.ts";

// Mutants seen to fail: anchors descending, loss anchors inverted, the first half's anchors fitted on all days, judged on
// the first half, the gain with the other sign, Platt map for its inverse, the account's loss adopted, the score of the
// anchors in force for that of the new ones.

const random = createRandom(7);

describe("severity fits", () => {
  const excursions = Array.from({ length: 40_000 }, (_, i) => {
    const inSigmas = Math.abs(random.normal());
    return { day: Math.floor(i / 20), inSigmas, inShortfalls: inSigmas / 3 };
  });
  /** Adverse with the published probability moved by `slope` in log-odds. */
  const cases = (slope: number): AdverseCase[] =>
    Array.from({ length: 20_000 }, (_, i) => {
      const logit = -4 + 2 * random.normal();
      const p = 1 / (1 + Math.exp(-logit));
      const truth = 1 / (1 + Math.exp(-slope * logit));
      return {
        day: Math.floor(i / 10),
        liquidationProbability: p / 2,
        liquidationSigmas: 3,
        adverseProbability: p,
        accountLossFraction: 0.2,
        isAdverse: random.uniform() < truth,
      };
    });

  it("put the distances where a normal day touches them as often as the anchors say", () => {
    const { fitted } = fitLiquidationSigmas(excursions, cases(1), "drawn");

    // 2 Φ(-d) = 20, 5, 1 and 0.1 %.
    [1.28, 1.96, 2.58, 3.29].forEach((distance, i) => {
      expect(Math.abs(fitted.at[i]! - distance)).toBeLessThan(0.15);
    });
    expect(fitted.value).toEqual([1, 0.7, 0.4, 0]);
  });

  it("adopt distances that predict the later days better, as found on the earlier ones", () => {
    // At three sigmas the curve in force warns of what a normal day does once in 400 days.
    const calm = cases(1).map((one) => ({
      ...one,
      isAdverse: one.isAdverse && one.adverseProbability > 0.5,
    }));
    const wild = excursions.map((one) => (one.day < 1000 ? { ...one, inSigmas: 4 * one.inSigmas } : one));

    expect(fitLiquidationSigmas(excursions, calm, "drawn").isAdopted).toBe(true);
    // In the wild half the wider distances would have been right: it is not what they are judged on.
    const mixed = calm.map((one) => (one.day < 1000 ? { ...one, isAdverse: random.uniform() < 0.5 } : one));
    const finding = fitLiquidationSigmas(wild, mixed, "drawn");

    expect(finding.isAdopted).toBe(false);
    (finding.evidence["ofFirstHalf"] as readonly number[]).forEach((distance, i) => {
      expect(Math.abs(distance / 4 - [1.28, 1.96, 2.58, 3.29][i]!)).toBeLessThan(0.15);
    });
  });

  it("adopt nothing where all was drawn on one day, which leaves no earlier ones", () => {
    const ofOneDay = cases(1).map((one) => ({ ...one, day: 0 }));

    const finding = fitLiquidationSigmas(excursions, ofOneDay, "drawn");

    expect(finding.isAdopted).toBe(false);
    expect(finding.evidence["ofFirstHalf"]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
    expect(fitAccountLoss(excursions, ofOneDay, "drawn").isAdopted).toBe(false);
  });

  it("never give up the weight of a bad day's size for the frequency of ruin", () => {
    expect(fitAccountLoss(excursions, cases(1), "drawn").isAdopted).toBe(false);
  });

  it("put the losses where half the margin goes as often", () => {
    const { fitted } = fitAccountLoss(excursions, cases(1), "drawn");

    // Half of the margin is three sigmas' third of it: 1.5 / distance.
    [3.29, 2.58, 1.96, 1.28].forEach((distance, i) => {
      expect(Math.abs(fitted.at[i]! - 1.5 / distance)).toBeLessThan(0.05);
    });
    expect(fitted.value).toEqual([0, 0.4, 0.7, 1]);
  });

  it("leave a curve whose probabilities come true, and move one whose do not", () => {
    const honest = fitAdverseCurve(cases(1), "drawn");
    const bent = fitAdverseCurve(cases(0.6), "drawn");

    expect(honest.isAdopted).toBe(false);
    expect(honest.verdict).toContain("not clearly better");
    expect(bent.verdict).toContain("for the forecast to mend");
    expect(bent.isAdopted).toBe(false);
    // A published 1 % is really logistic(0.6 logit 1 %) = 6 %: the points of 6 % are wanted at 1 %.
    const g = (p: number): number => 1 / (1 + ((1 - p) / p) ** 0.6);
    bent.fitted.at.slice(2, 5).forEach((p, i) => {
      expect(Math.abs(Math.log(g(p) / SCORE.adverseCurve.value.at[i + 2]!))).toBeLessThan(0.25);
    });
    const { intercept, slope } = bent.evidence as { readonly intercept: number; readonly slope: number };
    bent.fitted.at.forEach((p, i) => {
      expect(plattAt({ intercept, slope }, p)).toBeCloseTo(SCORE.adverseCurve.value.at[i]!, 9);
    });
  });

  it("show what came true in each band", () => {
    const drawn = cases(1);
    const table = bandTable(drawn);
    const summed = (of: "observed" | "published"): number =>
      Object.values(table).reduce((sum, band) => sum + band.count * band[of], 0);
    const publishedOf = (one: AdverseCase): number =>
      scoreProbability(SCORE.adverseCurve.value, caseScore(one, ANCHORS_IN_FORCE));

    expect(table.proceed.count + table.proceed_with_caution.count + table.abort.count).toBe(20_000);
    expect(table.proceed.observed).toBeLessThan(table.proceed_with_caution.observed);
    expect(table.proceed_with_caution.observed).toBeLessThan(table.abort.observed);
    expect(summed("observed")).toBeCloseTo(drawn.filter(({ isAdverse }) => isAdverse).length, 6);
    expect(summed("published")).toBeCloseTo(
      drawn.reduce((sum, one) => sum + publishedOf(one), 0),
      6,
    );
  });

  it("score a case as an order that risks nothing else", () => {
    fc.assert(
      fc.property(fraction, between(0, 8), fraction, between(0, 1.5), (p, sigmas, adverse, loss) => {
        const of = {
          liquidationProbability: p,
          liquidationSigmas: sigmas,
          adverseProbability: adverse,
          accountLossFraction: loss,
        };
        const harmless = { slippageSigmas: 0, depthShare: 0, impactSigmas: 0, openInterestShare: 0 };
        const facts = calmFacts({ ...of, ...harmless, stressedProbability: 0, crisisProbability: 0 });

        expect(caseScore({ ...of, day: 0, isAdverse: false }, ANCHORS_IN_FORCE)).toBeCloseTo(
          riskScore(facts).score,
          9,
        );
      }),
    );
  });
});
