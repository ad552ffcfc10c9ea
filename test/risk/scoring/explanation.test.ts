import { describe, expect, it } from "vitest";
import { SCORE_COMPONENTS, type ScoreComponent } from "../../../src/risk/calibration/calibration.ts";
import { type ExplainedComponent, explainScore } from "../../../src/risk/scoring/explanation.ts";
import type { RiskFacts } from "../../../src/risk/scoring/risk-facts.ts";
import { riskScore } from "../../../src/risk/scoring/score.ts";
import { calmFacts } from "../../support/builders.ts";

/*
 * Mutants killed by hand: the last driver of a tie; a driver of another component; one that only has a floor; an unknown
 * or infinite value shown; name and unit swapped; the highest floor for each component's own; a reason for each other.
 */

const explained = (changes: Partial<RiskFacts>) => explainScore(riskScore(calmFacts(changes)), null);

function componentOf(changes: Partial<RiskFacts>, name: ScoreComponent): ExplainedComponent {
  return explained(changes).components.find(({ component }) => component === name)!;
}

describe("an explained component", () => {
  const DRIVERS: readonly [ScoreComponent, Partial<RiskFacts>, string, number, string][] = [
    ["slippage", { slippageSigmas: 0.2 }, "slippage in 1-hour volatilities", 0.2, "sigma"],
    ["slippage", { depthShare: 0.6 }, "share of the depth within 1 %", 0.6, "fraction"],
    [
      "liquidation",
      { liquidationProbability: 0.04 },
      "probability of liquidation in 24 h",
      0.04,
      "probability",
    ],
    ["liquidation", { liquidationSigmas: 2 }, "distance to liquidation in 1-day volatilities", 2, "sigma"],
    [
      "funding",
      { paidFundingShare: 1, fundingDragFraction: 0.01 },
      "funding paid in 24 h over margin",
      0.01,
      "fraction",
    ],
    [
      "funding",
      { paidFundingShare: 1, fundingZ: -8 },
      "funding rate against its own past, by the share that pays it",
      8,
      "robust z",
    ],
    ["impact", { impactSigmas: 0.5 }, "peak impact in 1-hour volatilities", 0.5, "sigma"],
    ["var", { accountLossFraction: 0.3 }, "99 % 24 h expected shortfall over equity", 0.3, "fraction"],
    ["oi", { openInterestUtilization: 0.7 }, "open interest over its cap", 0.7, "fraction"],
    ["oi", { isOpenInterestAtCap: true }, "open interest over its cap", 1, "fraction"],
    ["oi", { openInterestShare: 0.1 }, "position over open interest", 0.1, "fraction"],
  ];

  it.each(DRIVERS)("%s names what set it of %o: %s", (name, changes, driver, rawValue, rawUnit) => {
    expect(componentOf(changes, name)).toMatchObject({ driver, rawValue, rawUnit });
  });

  it("names the higher of two drivers, and of equal ones the first", () => {
    const driverOf = (changes: Partial<RiskFacts>): string => componentOf(changes, "slippage").driver;

    expect(driverOf({ slippageSigmas: 0.15, depthShare: 0.6 })).toBe("share of the depth within 1 %");
    expect(driverOf({ slippageSigmas: 0.5, depthShare: 0.25 })).toBe("slippage in 1-hour volatilities");
    expect(driverOf({ slippageSigmas: 1.5, depthShare: 1 })).toBe("slippage in 1-hour volatilities");
    expect(driverOf({})).toBe("slippage in 1-hour volatilities");
  });

  it("names its own driver beside others that are worse", () => {
    const { components } = explained({
      slippageSigmas: 0.15,
      liquidationSigmas: 2,
      ...{ paidFundingShare: 1, fundingZ: 8 },
      impactSigmas: 9,
      accountLossFraction: 0.1,
      openInterestShare: 0.05,
    });

    expect(components.map(({ component, driver }) => [component, driver])).toEqual([
      ["slippage", "slippage in 1-hour volatilities"],
      ["liquidation", "distance to liquidation in 1-day volatilities"],
      ["funding", "funding rate against its own past, by the share that pays it"],
      ["impact", "peak impact in 1-hour volatilities"],
      ["var", "99 % 24 h expected shortfall over equity"],
      ["oi", "position over open interest"],
    ]);
  });

  it("is not named by a number that is a floor alone", () => {
    expect(componentOf({ slippageFraction: 0.5, bookShare: 3 }, "slippage")).toMatchObject({
      driver: "slippage in 1-hour volatilities",
      severity: 0,
      floorPoints: 100,
    });
  });

  it("shows no number for what is unknown, nor for a loss without any equity", () => {
    expect(componentOf({ accountLossFraction: null }, "var")).toMatchObject({
      rawValue: null,
      severity: 0.5,
    });
    expect(componentOf({ accountLossFraction: Infinity }, "var")).toMatchObject({
      rawValue: null,
      severity: 1,
    });
    // An unknown sigma distance counts half, more than the known probability of nothing.
    expect(componentOf({ liquidationSigmas: null }, "liquidation")).toMatchObject({
      driver: "distance to liquidation in 1-day volatilities",
      rawValue: null,
    });
  });

  it("has the floor of its own drivers, flags and probability", () => {
    const floorsOf = (changes: Partial<RiskFacts>): number[] =>
      explained(changes).components.map(({ floorPoints }) => floorPoints);
    const only = (name: ScoreComponent, points: number): number[] =>
      SCORE_COMPONENTS.map((component) => (component === name ? points : 0));

    expect(floorsOf({})).toEqual(only("slippage", 0));
    expect(floorsOf({ isMarketStale: true })).toEqual(only("slippage", 0));
    expect(floorsOf({ bookShare: 1 })).toEqual(only("slippage", 71));
    expect(floorsOf({ liquidationDistanceFraction: 0.01 })).toEqual(only("liquidation", 85));
    expect(floorsOf({ marginRatio: 0.8 })).toEqual(only("liquidation", expect.closeTo(35.5, 9) as number));
    expect(floorsOf({ adverseProbability: 0.05 })).toEqual(only("var", expect.closeTo(40, 9) as number));
    expect(floorsOf({ openInterestUtilization: 1 })).toEqual(only("oi", 71));
  });
});

describe("the reason of an adjustment", () => {
  const reasonOf = (changes: Partial<RiskFacts>): string | null => explained(changes).adjustmentReason;
  /** Every component at its worst, and none that alone demands anything. */
  const WORST: Partial<RiskFacts> = {
    depthShare: 1,
    liquidationSigmas: 0.5,
    ...{ paidFundingShare: 1, fundingDragFraction: 0.5 },
    impactSigmas: 9,
    accountLossFraction: 2,
    openInterestShare: 0.5,
  };

  it("is none where the terms are the score, or its rounding", () => {
    expect(reasonOf({})).toBeNull();
    const rounded = explained({ accountLossFraction: 0.46 });
    expect(rounded.adjustmentPoints).toBeCloseTo(17.7 - (17.5 + 7.5 * (0.01 / 0.45)), 9);
    expect(rounded.adjustmentReason).toBeNull();
  });

  it("is the cap of an exit, whether its terms or a lethal risk exceed it", () => {
    expect(reasonOf({ ...WORST, isClose: true })).toBe("an exit scores at most 30");
    expect(reasonOf({ bookShare: 1, isClose: true })).toBe("an exit scores at most 30");
    expect(reasonOf({ isMarketStale: true, isClose: true })).toBe("an exit scores at most 30");
    expect(reasonOf({ accountLossFraction: 0.45, isClose: true })).toBeNull();
  });

  it("is the end of the scale where terms add up to more", () => {
    expect(reasonOf(WORST)).toBe("the score is at most 100");
  });

  it("is the band that the number is shown in where that moves it", () => {
    // 35 of liquidation, an impact of severity 0.49, and what both compound to.
    const band = explained({ liquidationSigmas: 1, impactSigmas: 0.25 });
    expect(band.score).toBeCloseTo(40.7, 1);
    expect(band.adjustmentPoints).toBeCloseTo(41 - band.score, 9);
    expect(band.adjustmentReason).toBe("the number is shown inside its band");
  });

  it("counts the regime's points before it calls a risk lethal", () => {
    // 39.0 without the regime, 40.4 with it: above the 40 that the adverse probability alone demands.
    const crisis = {
      liquidationSigmas: 1,
      impactSigmas: 0.1326,
      stressedProbability: 0,
      crisisProbability: 1,
    };
    const counted = explained({ ...crisis, adverseProbability: 0.05 });
    expect(counted.score).toBeCloseTo(40.4, 1);
    expect(counted.adjustmentReason).toBe("the number is shown inside its band");
  });

  it("is what is stale, unless a risk demands more", () => {
    const stale = "stale or missing inputs are at best answered with caution";

    for (const change of [{ isMarketStale: true }, { isWalletStale: true }, { isCollateralUnknown: true }])
      expect(reasonOf(change)).toBe(stale);
    expect(reasonOf({ isMarketStale: true, adverseProbability: 0.04 })).toBe(stale);
    expect(reasonOf({ isMarketStale: true, bookShare: 1 })).toBe("slippage alone demands at least 71 points");
  });

  it("is the component that demands the most, not the most severe", () => {
    expect(reasonOf({ bookShare: 1, accountLossFraction: 0.9 })).toBe(
      "slippage alone demands at least 71 points",
    );
    expect(reasonOf({ openInterestUtilization: 1, liquidationDistanceFraction: 0.01 })).toBe(
      "liquidation alone demands at least 85 points",
    );
    expect(reasonOf({ adverseProbability: 0.5 })).toBe("var alone demands at least 90 points");
  });

  it("names the points that the score shows, not more", () => {
    // 84.15 on the adverse curve.
    expect(reasonOf({ adverseProbability: 0.4 })).toBe("var alone demands at least 84.2 points");
  });
});
