import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCORE } from "../../../src/risk/calibration/calibration.ts";
import { CRITICAL_RULES } from "../../../src/risk/scoring/critical-flags.ts";
import { displayedScore, recommendationOf } from "../../../src/risk/scoring/bands.ts";
import { explainScore } from "../../../src/risk/scoring/explanation.ts";
import type { RiskFacts } from "../../../src/risk/scoring/risk-facts.ts";
import { riskScore } from "../../../src/risk/scoring/score.ts";
import { scoreByDefinition } from "../../oracle/score.ts";
import { between, fraction, magnitude, riskFacts } from "../../support/arbitraries.ts";
import { calmFacts } from "../../support/builders.ts";

/**
 * Mutants tried by hand, each killed by at least one law: kappa 0; pairs counted twice; the lowest floor taken; the
 * adverse floor taken with min; missing severity 0; funding counted when received; stale floor left out; close not
 * capped; Shapley weights of n instead of n - 1; regime cap removed; the shown number left outside its band.
 */
const ROUNDING = 1e-9;

/** Drivers in which the score may not fall when they grow. */
const RAISING = [
  "slippageFraction",
  "slippageSigmas",
  "bookShare",
  "depthShare",
  "impactSigmas",
  "liquidationProbability",
  "marginRatio",
  "adverseProbability",
  "accountLossFraction",
  "fundingDragFraction",
  "openInterestUtilization",
  "openInterestShare",
] as const satisfies readonly (keyof RiskFacts)[];
const LOWERING = [
  "liquidationDistanceFraction",
  "liquidationSigmas",
] as const satisfies readonly (keyof RiskFacts)[];

/** A few risks of an ordinary order elevated at once, none of them so far that it alone holds the score up. */
const elevatedFacts: fc.Arbitrary<RiskFacts> = fc
  .record(
    {
      slippageSigmas: fc.option(between(0, 0.5)),
      depthShare: fc.option(fraction),
      liquidationProbability: fc.option(between(0, 0.005)),
      liquidationSigmas: fc.option(magnitude(1, 8)),
      paidFundingShare: fc.oneof(fraction, fc.constantFrom(0, 1)),
      fundingDragFraction: magnitude(1e-4, 0.05),
      fundingZ: fc.option(between(-12, 12)),
      impactSigmas: fc.option(magnitude(0.01, 2)),
      accountLossFraction: fc.option(magnitude(0.02, 1)),
      openInterestUtilization: fc.option(fc.double({ min: 0.5, max: 0.8, noNaN: true })),
      openInterestShare: magnitude(0.005, 0.3),
      stressedProbability: fraction.map((p) => p / 2),
      crisisProbability: fraction.map((p) => p / 2),
    },
    { requiredKeys: [] },
  )
  .map((changes) => calmFacts(changes));

describe("riskScore", () => {
  it("equals the score by definition", () => {
    fc.assert(
      fc.property(riskFacts, (facts) => {
        expect(riskScore(facts).score).toBeCloseTo(scoreByDefinition(facts), 9);
      }),
    );
  });

  it("equals the score by definition where no single risk decides it, as one does in most of the others", () => {
    let compounded = 0;
    fc.assert(
      fc.property(elevatedFacts, (facts) => {
        const { score } = riskScore(facts);
        const { compoundingPoints, adjustmentReason } = explainScore(riskScore(facts), null);
        if (compoundingPoints > 1 && adjustmentReason === null) compounded += 1;
        expect(score).toBeCloseTo(scoreByDefinition(facts), 9);
      }),
      { numRuns: 1_000, endOnFailure: true },
    );
    expect(compounded).toBeGreaterThan(300);
  });

  it("is finite and between 0 and 100, its number shown in the band of its recommendation", () => {
    fc.assert(
      fc.property(riskFacts, (facts) => {
        const { score, displayed, recommendation } = riskScore(facts);

        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
        expect(recommendationOf(displayed)).toBe(recommendation);
        expect(recommendationOf(score)).toBe(recommendation);
        expect(displayed <= 40 || (displayed >= 41 && displayed <= 70) || displayed >= 71).toBe(true);
        expect(Math.abs(displayed - score)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("never falls when a risk grows, whatever the others are", () => {
    fc.assert(
      fc.property(
        riskFacts,
        fc.constantFrom(...RAISING),
        magnitude(1e-6, 100),
        magnitude(1e-6, 100),
        (facts, driver, a, b) => {
          const limit = driver.endsWith("Probability") ? 1 : Infinity;
          const [low, high] = a < b ? [a, b] : [b, a];
          const before = riskScore({ ...facts, [driver]: Math.min(limit, low) }).score;
          const after = riskScore({ ...facts, [driver]: Math.min(limit, high) }).score;
          expect(after).toBeGreaterThanOrEqual(before - ROUNDING);
        },
      ),
    );
  });

  it("never falls when the liquidation price comes nearer", () => {
    fc.assert(
      fc.property(
        riskFacts,
        fc.constantFrom(...LOWERING),
        magnitude(1e-4, 20),
        magnitude(1e-4, 20),
        (facts, driver, a, b) => {
          const nearer = riskScore({ ...facts, [driver]: Math.min(a, b) }).score;
          const farther = riskScore({ ...facts, [driver]: Math.max(a, b) }).score;
          expect(nearer).toBeGreaterThanOrEqual(farther - ROUNDING);
        },
      ),
    );
  });

  it("moves less than 3 points when one driver moves by 1 %, and has no step but the critical flags", () => {
    fc.assert(
      fc.property(fc.constantFrom(...RAISING, ...LOWERING), magnitude(1e-5, 20), (driver, value) => {
        const limit = driver.endsWith("Probability") ? 1 : Infinity;
        const before = riskScore(calmFacts({ paidFundingShare: 1, [driver]: Math.min(limit, value) })).score;
        const after = riskScore(
          calmFacts({ paidFundingShare: 1, [driver]: Math.min(limit, value * 1.01) }),
        ).score;
        // The open-interest floor is the documented exception: 71 points over the last fifth of the cap.
        expect(Math.abs(after - before)).toBeLessThan(driver === "openInterestUtilization" ? 3.6 : 3);
      }),
    );
  });

  it("ignores funding that is received: any two received rates score alike", () => {
    fc.assert(
      fc.property(riskFacts, fraction, fraction, (facts, a, b) => {
        const received = { ...facts, paidFundingShare: 0 };
        const scoreA = riskScore({ ...received, fundingDragFraction: a });
        const scoreB = riskScore({ ...received, fundingDragFraction: b });

        expect(scoreA.score).toBe(scoreB.score);
        expect(explainScore(scoreA, null).components[2]!.severity).toBe(0);
      }),
    );
  });

  it("answers a critical flag with abort unless it is an exit", () => {
    fc.assert(
      fc.property(riskFacts, (facts) => {
        const { score, flags, recommendation } = riskScore(facts);
        if (facts.isClose) {
          expect(score).toBeLessThanOrEqual(SCORE.closeMax.value);
          expect(recommendation).toBe("proceed");
        } else if (flags.some((name) => name in CRITICAL_RULES)) {
          expect(score).toBeGreaterThanOrEqual(71);
          expect(recommendation).toBe("abort");
        } else if (
          facts.isMarketStale ||
          facts.isWalletStale ||
          facts.isWalletMissing ||
          facts.isCollateralUnknown
        ) {
          expect(recommendation).not.toBe("proceed");
        }
      }),
    );
  });

  it("lets no opening proceed on what is stale or missing, and is not kinder for it to any", () => {
    const doubts = ["isMarketStale", "isWalletStale", "isWalletMissing", "isCollateralUnknown"] as const;
    let held = 0;
    fc.assert(
      fc.property(elevatedFacts, fc.constantFrom(...doubts), (facts, doubt) => {
        const known = riskScore(facts);
        const doubted = riskScore({ ...facts, [doubt]: true });

        expect(doubted.score).toBeGreaterThanOrEqual(Math.max(41, known.score));
        if (known.recommendation !== "proceed") return;
        expect(doubted.recommendation).not.toBe("proceed");
        held++;
      }),
    );
    expect(held).toBeGreaterThan(40);
  });

  it("scores an exit as the opening's score cut at 30", () => {
    fc.assert(
      fc.property(riskFacts, (facts) => {
        const opening = riskScore({ ...facts, isClose: false }).score;
        expect(riskScore({ ...facts, isClose: true }).score).toBeCloseTo(Math.min(30, opening), 9);
      }),
    );
  });

  it("is the same for the same facts", () => {
    fc.assert(
      fc.property(riskFacts, (facts) => {
        expect(riskScore({ ...facts })).toEqual(riskScore(facts));
      }),
    );
  });
});

describe("explainScore", () => {
  it("adds up twice: to the shown score by terms, to the unrounded score by shares", () => {
    fc.assert(
      fc.property(riskFacts, (facts) => {
        const risk = riskScore(facts);
        const explanation = explainScore(risk, null);
        const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
        const points = sum(explanation.components.map((component) => component.points));
        const shares = sum(explanation.components.map((component) => component.sharePoints));

        expect(points + explanation.compoundingPoints + explanation.adjustmentPoints).toBeCloseTo(
          risk.displayed,
          9,
        );
        expect(shares + explanation.basePoints).toBeCloseTo(risk.score, 9);
        expect(Math.min(...explanation.components.map((component) => component.sharePoints))).toBeGreaterThan(
          -ROUNDING,
        );
      }),
    );
  });

  it("gives nothing to a component that is calm, and equal shares to the two that are equal", () => {
    fc.assert(
      fc.property(fraction, (severity) => {
        // Funding and slippage have the same weight; drive both to one severity.
        const funding = [0, 0.4, 0.7, 1];
        const at = severity < 0.5 ? 1 : 2;
        const facts = calmFacts({
          paidFundingShare: 1,
          fundingDragFraction: [0.0005, 0.003, 0.01, 0.03][at]!,
          depthShare: [0.05, 0.25, 0.6, 1][at]!,
        });
        const [slippage, liquidation, fundingShare] = explainScore(riskScore(facts), null).components;

        expect(slippage!.severity).toBeCloseTo(funding[at]!, 12);
        expect(slippage!.sharePoints).toBeCloseTo(fundingShare!.sharePoints, 12);
        expect(liquidation!.sharePoints).toBe(0);
      }),
    );
  });

  it("shows a score that never falls when the score rises", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (a, b) => {
          expect(displayedScore(Math.max(a, b))).toBeGreaterThanOrEqual(displayedScore(Math.min(a, b)));
        },
      ),
    );
  });
});
