import { describe, expect, it } from "vitest";
import { SCORE } from "../../../src/risk/calibration/calibration.ts";
import { adversePoints } from "../../../src/risk/scoring/adverse-probability.ts";
import { displayedScore, recommendationOf } from "../../../src/risk/scoring/bands.ts";
import { SCORE_COMPONENTS } from "../../../src/risk/calibration/calibration.ts";
import { SCORE_DRIVERS } from "../../../src/risk/scoring/drivers.ts";
import { scoreProbability } from "../../../src/risk/scoring/score-probability.ts";
import { riskScore } from "../../../src/risk/scoring/score.ts";
import { calmFacts } from "../../support/builders.ts";

describe("riskScore", () => {
  it("is 0 and proceed when nothing is elevated", () => {
    const risk = riskScore(calmFacts());

    expect(risk.score).toBe(0);
    expect(risk.recommendation).toBe("proceed");
    expect(risk.flags).toEqual([]);
  });

  it("gives the published weights to single components at their worst", () => {
    // The var component alone at severity 1, without a floor: 25 points.
    expect(riskScore(calmFacts({ accountLossFraction: 2 })).score).toBeCloseTo(25, 12);
    expect(riskScore(calmFacts({ impactSigmas: 9 })).score).toBeCloseTo(5, 12);
    expect(riskScore(calmFacts({ paidFundingShare: 1, fundingDragFraction: 0.5 })).score).toBeCloseTo(10, 12);
    expect(riskScore(calmFacts({ openInterestShare: 0.5 })).score).toBeCloseTo(15, 12);
    expect(riskScore(calmFacts({ depthShare: 1 })).score).toBeCloseTo(10, 12);
    expect(riskScore(calmFacts({ liquidationSigmas: 0.5 })).score).toBeCloseTo(35, 12);
  });

  it("compounds: two elevated components score more than their sum", () => {
    const both = riskScore(calmFacts({ accountLossFraction: 0.45, impactSigmas: 0.5 })).score;

    // 25 x 0.7 + 5 x 0.7 = 21 weighted; pair 0.5 sqrt(0.25 x 0.05) 0.7^2 = 0.02739; regime 0.05 x 0.1 + 0.01 x 0.3 = 0.008
    const pair = Math.sqrt(0.25 * 0.05) * 0.49;
    expect(both).toBeCloseTo(21 + 100 * (0.5 + 0.008) * pair, 10);
  });

  it("never averages a lethal risk away", () => {
    expect(riskScore(calmFacts({ liquidationProbability: 0.2 })).score).toBeGreaterThanOrEqual(71);
    expect(riskScore(calmFacts({ liquidationProbability: 0.5 })).score).toBeGreaterThanOrEqual(90);
    expect(riskScore(calmFacts({ liquidationProbability: 1 })).score).toBe(100);
    expect(riskScore(calmFacts({ bookShare: 1 })).recommendation).toBe("abort");
    expect(riskScore(calmFacts({ isOpenInterestAtCap: true })).recommendation).toBe("abort");
    expect(riskScore(calmFacts({ marginRatio: 1 })).recommendation).toBe("abort");
    expect(riskScore(calmFacts({ liquidationDistanceFraction: 0 })).score).toBe(100);
  });

  it("means a probability: 70 is one adverse outcome in five", () => {
    expect(riskScore(calmFacts({ adverseProbability: 0.01 })).score).toBeCloseTo(25, 10);
    expect(riskScore(calmFacts({ adverseProbability: 0.05 })).score).toBeCloseTo(40, 10);
    expect(riskScore(calmFacts({ adverseProbability: 0.2 })).score).toBeCloseTo(70, 10);
    expect(riskScore(calmFacts({ adverseProbability: 0.5 })).score).toBeCloseTo(90, 10);
    expect(adversePoints(0)).toBe(0);
    expect(adversePoints(1)).toBe(100);
  });

  it("means it back: a score's probability lies straight in log-odds between those of the table", () => {
    const halfWay = Math.sqrt((0.05 / 0.95) * (0.2 / 0.8));

    expect(scoreProbability(SCORE.adverseCurve.value, 70)).toBeCloseTo(0.2, 12);
    expect(scoreProbability(SCORE.adverseCurve.value, 55)).toBeCloseTo(halfWay / (1 + halfWay), 12);
    for (const p of [0.001, 0.02, 0.11, 0.4, 0.9]) {
      expect(scoreProbability(SCORE.adverseCurve.value, adversePoints(p))).toBeCloseTo(p, 12);
    }
  });

  it("counts what is unknown as half, and says so", () => {
    const risk = riskScore(calmFacts({ accountLossFraction: null }));

    expect(risk.score).toBeCloseTo(12.5, 12);
    expect(risk.flags).toContain("risk_model_unavailable");
  });

  it.each(["isMarketStale", "isWalletStale", "isWalletMissing", "isCollateralUnknown"] as const)(
    "answers at best with caution where %s",
    (doubt) => {
      const { displayed, recommendation } = riskScore(calmFacts({ [doubt]: true }));

      expect(displayed).toBe(41);
      expect(recommendation).toBe("proceed_with_caution");
    },
  );

  it("answers exits always with proceed", () => {
    const exit = riskScore(calmFacts({ isClose: true, isMarketStale: true, bookShare: Infinity }));
    expect(exit.score).toBe(30);
    expect(exit.recommendation).toBe("proceed");
  });

  it("adds at most ten points for the market's regime", () => {
    const stressful = { accountLossFraction: 0.45, impactSigmas: 0.5, liquidationSigmas: 2, depthShare: 0.6 };
    const calm = riskScore(calmFacts({ ...stressful, stressedProbability: 0, crisisProbability: 0 })).score;
    const crisis = riskScore(calmFacts({ ...stressful, stressedProbability: 0, crisisProbability: 1 })).score;

    expect(crisis - calm).toBeGreaterThan(5);
    expect(crisis - calm).toBeLessThanOrEqual(SCORE.regimePointsMax.value + 1e-9);
  });
});

describe("bands", () => {
  it("takes the recommendation from the unrounded score and shows a number of that band", () => {
    expect([0, 40, 40.3, 70, 70.04, 100].map(recommendationOf)).toEqual([
      "proceed",
      "proceed",
      "proceed_with_caution",
      "proceed_with_caution",
      "abort",
      "abort",
    ]);
    expect([39.97, 40, 40.02, 40.3, 41.26, 70, 70.04, 71.5].map(displayedScore)).toEqual([
      40, 40, 41, 41, 41.3, 70, 71, 71.5,
    ]);
  });
});

describe("the tables", () => {
  it("weigh the six components to one and give each a driver with a severity", () => {
    const total = SCORE_COMPONENTS.reduce((sum, name) => sum + SCORE.weights.value[name], 0);
    expect(total).toBeCloseTo(1, 15);
    for (const name of SCORE_COMPONENTS) {
      expect(SCORE_DRIVERS.some((driver) => driver.component === name && driver.severity !== null)).toBe(
        true,
      );
    }
  });

  it("hold ascending anchors with values monotone in one direction and inside their range", () => {
    for (const { severity, floor } of SCORE_DRIVERS) {
      for (const [curve, highest] of [
        [severity, 1],
        [floor, 100],
      ] as const) {
        if (curve === null) continue;
        const { at, value } = curve.value;
        const rises = value.slice(1).map((v, i) => v - value[i]!);
        expect(at.length).toBe(value.length);
        expect(at.slice(1).every((x, i) => x > at[i]!)).toBe(true);
        expect(rises.every((rise) => rise >= 0) || rises.every((rise) => rise <= 0)).toBe(true);
        expect(Math.min(...value)).toBe(0);
        expect(Math.max(...value)).toBeLessThanOrEqual(highest);
      }
    }
  });
});
