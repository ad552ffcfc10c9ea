import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FLAG_THRESHOLDS as AT } from "../../../src/risk/scoring/flag-thresholds.ts";
import { FLAG_RULES, type FlagName, type FlagRule } from "../../../src/risk/scoring/flags.ts";
import { CRITICAL_RULES } from "../../../src/risk/scoring/critical-flags.ts";
import { raisedFlags } from "../../../src/risk/scoring/raised-flags.ts";
import type { RiskFacts } from "../../../src/risk/scoring/risk-facts.ts";
import { riskScore } from "../../../src/risk/scoring/score.ts";
import { calmFacts } from "../../support/builders.ts";

type Change = Partial<RiskFacts>;
interface Case {
  /** Facts at, or just past, the threshold. */
  readonly raised: readonly Change[];
  /** The nearest facts that do not raise it. */
  readonly calm: readonly Change[];
}

const ABOVE = 1 + 1e-9;
const BELOW = 1 - 1e-9;

/** Every flag with facts on both sides of its boundary. */
const CASES: Readonly<Record<FlagName, Case>> = {
  extreme_slippage: {
    raised: [{ slippageSigmas: 1.5 }, { slippageFraction: 0.02 }, { bookShare: 1 }, { bookShare: Infinity }],
    calm: [{ slippageSigmas: 1.5 * BELOW }, { slippageFraction: 0.02 * BELOW }, { bookShare: BELOW }],
  },
  near_liquidation: {
    raised: [
      { liquidationProbability: 0.2 },
      { poolLiquidationAdded: 0.2 },
      { liquidationDistanceFraction: 0.02 },
    ],
    calm: [
      { liquidationProbability: 0.2 * BELOW },
      { poolLiquidationAdded: 0.2 * BELOW },
      { liquidationDistanceFraction: 0.02 * ABOVE },
    ],
  },
  near_backstop: { raised: [{ marginRatio: 1 }, { marginRatio: Infinity }], calm: [{ marginRatio: BELOW }] },
  oi_at_cap: {
    raised: [{ isOpenInterestAtCap: true }, { openInterestUtilization: 1 }],
    calm: [{ openInterestUtilization: BELOW }],
  },
  thin_book: {
    raised: [{ depthShare: 0.25 }, { depthShare: null }, { depthRatio: 0.3 }],
    calm: [{ depthShare: 0.25 * BELOW }, { depthRatio: 0.3 * ABOVE }, { depthRatio: null }],
  },
  high_slippage: {
    raised: [{ slippageSigmas: 0.5 }, { slippageFraction: 0.005 }],
    calm: [{ slippageSigmas: 0.5 * BELOW }, { slippageFraction: 0.005 * BELOW }],
  },
  high_leverage: {
    raised: [{ marginSigma: 0.5 }, { marginSigma: null, leverage: 30 }],
    calm: [
      { marginSigma: 0.5 * BELOW },
      { marginSigma: null, leverage: 29.9 },
      { marginSigma: 9, isClose: true },
    ],
  },
  above_tier_leverage: { raised: [{ isAboveTierLeverage: true }], calm: [{}] },
  adl_risk: {
    raised: [{ adlRank: 10, stressedProbability: 0.5 }],
    calm: [{ adlRank: 10 }, { adlRank: 9.9, stressedProbability: 1 }],
  },
  partial_liquidation: {
    raised: [{ positionNotionalUsd: 100_001 }],
    calm: [{ positionNotionalUsd: 100_000 }],
  },
  funding_anomaly: {
    raised: [{ fundingZ: 3.01 }, { fundingZ: -3.01 }],
    calm: [{ fundingZ: 3 }, { fundingZ: -3 }, { fundingZ: null }],
  },
  funding_expensive: {
    raised: [
      { paidFundingShare: 1, fundingDragFraction: 0.01 },
      { paidFundingShare: 0, fundingDragFraction: 0.01 },
    ],
    calm: [{ paidFundingShare: 1, fundingDragFraction: 0.0099 }],
  },
  cex_funding_divergence: {
    raised: [{ cexDivergenceRatio: 3 }, { cexDivergenceRatio: -0.5 }, { cexDivergenceRatio: 1 / 3 }],
    calm: [{ cexDivergenceRatio: 0 }, { cexDivergenceRatio: 2.99 }, { cexDivergenceRatio: 0.34 }],
  },
  high_impact: { raised: [{ impactSigmas: 0.5 }], calm: [{ impactSigmas: 0.5 * BELOW }] },
  low_volume: {
    raised: [{ participationFraction: 0.01 }, { volume24hUsd: 999_999 }],
    calm: [{ participationFraction: 0.01 * BELOW }, { volume24hUsd: 1_000_000 }],
  },
  high_var: { raised: [{ accountLossFraction: 0.45 }], calm: [{ accountLossFraction: 0.45 * BELOW }] },
  oi_near_cap: {
    raised: [{ openInterestUtilization: 0.81 }, { isOpenInterestAtCap: true, openInterestUtilization: null }],
    calm: [{ openInterestUtilization: 0.8 }],
  },
  concentration_risk: { raised: [{ concentrationShare: 0.51 }], calm: [{ concentrationShare: 0.5 }] },
  correlated_exposure: { raised: [{ correlation: 0.7 }], calm: [{ correlation: 0.69 }, { correlation: -1 }] },
  stressed_market: {
    raised: [{ stressedProbability: 0.3, crisisProbability: 0.2 }],
    calm: [{ stressedProbability: 0.3, crisisProbability: 0.19 }],
  },
  insufficient_margin: { raised: [{ isMarginInsufficient: true }], calm: [{}] },
  below_min_order: {
    raised: [{ orderNotionalUsd: 9.99 }],
    calm: [{ orderNotionalUsd: 10 }, { orderNotionalUsd: 1, isClose: true }],
  },
  stale_market_data: { raised: [{ isMarketStale: true }], calm: [{}] },
  collateral_unknown: { raised: [{ isCollateralUnknown: true }], calm: [{}] },
  stale_wallet_state: { raised: [{ isWalletStale: true }, { isWalletMissing: true }], calm: [{}] },
  unpriced_position: { raised: [{ hasUnpricedPosition: true }], calm: [{}] },
  risk_model_unavailable: {
    raised: [
      { accountLossFraction: null },
      { liquidationProbability: null },
      { liquidationSigmas: null },
      { impactSigmas: null },
    ],
    calm: [{}],
  },
  unified_account: { raised: [{ isUnifiedAccount: true }], calm: [{}] },
  limited_history: {
    raised: [{ historyHours: 719 }, { isHistoryPatchy: true }],
    calm: [{ historyHours: 720 }],
  },
  new_listing: { raised: [{ isNewListing: true }], calm: [{}] },
  close_without_position: { raised: [{ isCloseWithoutPosition: true }], calm: [{}] },
  close_exceeds_position: { raised: [{ isCloseOversized: true }], calm: [{}] },
};

describe("raisedFlags", () => {
  it.each(Object.entries(CASES) as [FlagName, Case][])(
    "%s is raised exactly past its threshold",
    (name, { raised, calm }) => {
      for (const change of raised)
        expect(raisedFlags(calmFacts(change)), JSON.stringify(change)).toContain(name);
      for (const change of calm)
        expect(raisedFlags(calmFacts(change)), JSON.stringify(change)).not.toContain(name);
    },
  );

  it("are those of the table, in its order", () => {
    const changes = Object.values(CASES).flatMap(({ raised, calm }) => [...raised, ...calm]);
    const rules = Object.entries<FlagRule>(FLAG_RULES);
    for (const first of changes) {
      for (const second of changes) {
        const facts = calmFacts({ ...first, ...second });
        const byTable = rules.filter(([, { isRaised }]) => isRaised(facts)).map(([name]) => name);
        expect(raisedFlags(facts)).toEqual(byTable);
      }
    }
  });

  it("has every threshold in a flag's rule", () => {
    const rules = ["flags.ts", "critical-flags.ts"]
      .map((file) => readFileSync(new URL(`../../../src/risk/scoring/${file}`, import.meta.url), "utf8"))
      .join("");
    const unused = Object.keys(AT).filter((name) => !new RegExp(`\\bAT\\.${name}\\b`).test(rules));

    expect(unused).toEqual([]);
  });

  it("meets the score where a critical flag is raised: the flag is no step", () => {
    for (const [name, { raised, calm }] of Object.entries(CASES) as [FlagName, Case][]) {
      if (!(name in CRITICAL_RULES)) continue;
      for (const change of raised) expect(riskScore(calmFacts(change)).score).toBeGreaterThanOrEqual(71);
      for (const change of calm) {
        const { score } = riskScore(calmFacts(change));
        expect(score, `${name} ${JSON.stringify(change)}`).toBeLessThan(71);
        expect(score, `${name} ${JSON.stringify(change)}`).toBeGreaterThan(70.99);
      }
    }
  });
});
