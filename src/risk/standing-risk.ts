import type { ProposedTrade } from "../domain/trade.ts";
import { type AccountRisk, accountRiskAfter, accountShortfall99Usd } from "./account-risk.ts";
import { SCORE, SEVERITIES } from "./calibration.ts";
import { liquidationWith } from "./liquidation.ts";
import { type PortfolioAssessment, withMargin } from "./portfolio-assessment.ts";
import type { ScenarioAccess } from "./scenario-access.ts";
import { rampInverse } from "./scoring/ramp.ts";
import type { RiskFacts } from "./scoring/risk-facts.ts";
import { touchProbabilitiesOf } from "./touch-probability.ts";
import { liquidationSigmasOf, marginRatioOf, shareOf, tradeFacts } from "./trade-facts.ts";
import { carryOut, type CarriedTrade, type TradeSetting } from "./trade-setting.ts";

/** The facts that margin betters. */
type MarginedRisk = Pick<
  RiskFacts,
  | "liquidationProbability"
  | "adverseProbability"
  | "liquidationDistanceFraction"
  | "liquidationSigmas"
  | "marginRatio"
  | "accountLossFraction"
>;

const severityOfUnknown = SCORE.missingSeverity.value;
/** Where an unknown fact stands among known ones: at the value of the same severity, or below all where it has none. */
const UNKNOWN_AT = {
  liquidationProbability: rampInverse(SEVERITIES.liquidationProbability.value, severityOfUnknown),
  adverseProbability: -Infinity,
  liquidationSigmas: rampInverse(SEVERITIES.liquidationSigmas.value, severityOfUnknown),
  accountLossFraction: rampInverse(SEVERITIES.accountLoss.value, severityOfUnknown),
} as const;

/**
 * The facts of a trade. Where a cross trade is assessed on assumed margin none of them is better than the pool's own
 * before it: margin that is only assumed must not talk a wallet on the brink of liquidation into safety. Nor are they
 * then worse than at a leverage that needs none, where there is one: the pool of a cross trade is the same at any. An
 * isolated trade stands on its own margin, assumed or not, as do isolated positions beside a cross trade. What is not known
 * of an asset without a model stays unknown, unless the pool is worse than that counts for.
 *
 * Holds:   no better at a higher leverage
 */
export function standingFacts(
  setting: TradeSetting,
  proposed: ProposedTrade,
  carried: CarriedTrade,
  accountRisk: AccountRisk,
  portfolio: PortfolioAssessment | null,
  scenarios: ScenarioAccess | null,
): RiskFacts {
  const facts = tradeFacts(setting, carried, accountRisk);
  const { assumedDepositUsd, marginMode } = carried.applied;
  const isAssumed = assumedDepositUsd > 0 && marginMode === "cross" && setting.account.positions.length > 0;
  if (!isAssumed) return facts;
  const floored = worseOf(facts, standingRiskOf(setting, scenarios));
  const unassisted = unassistedFacts(setting, proposed, portfolio, scenarios);
  return { ...facts, ...(unassisted === null ? floored : betterOf(floored, unassisted)) };
}

/** The facts of the same trade at the asset's largest leverage; null where that lacks margin, too. */
function unassistedFacts(
  setting: TradeSetting,
  proposed: ProposedTrade,
  portfolio: PortfolioAssessment | null,
  scenarios: ScenarioAccess | null,
): RiskFacts | null {
  const carried = carryOut(setting, { ...proposed, leverage: setting.asset.listing.maxLeverage });
  const { account, margin, assumedDepositUsd } = carried.applied;
  if (assumedDepositUsd > 0) return null;
  const remargined =
    portfolio === null ? null : withMargin(portfolio, account, margin, setting.viewOf, scenarios);
  return tradeFacts(setting, carried, accountRiskAfter(setting, carried, remargined, scenarios));
}

function worseOf(a: MarginedRisk, b: MarginedRisk): MarginedRisk {
  return combined(a, b, Math.max, Math.min);
}

function betterOf(a: MarginedRisk, b: MarginedRisk): MarginedRisk {
  return combined(a, b, Math.min, Math.max);
}

type Choice = (a: number, b: number) => number;

/** Fact by fact one of the two: ofDangers chooses where more is worse, ofDistances where less is. */
function combined(a: MarginedRisk, b: MarginedRisk, ofDangers: Choice, ofDistances: Choice): MarginedRisk {
  return {
    liquidationProbability: chosen("liquidationProbability", ofDangers, a, b),
    adverseProbability: chosen("adverseProbability", ofDangers, a, b),
    liquidationDistanceFraction: ofDistances(a.liquidationDistanceFraction, b.liquidationDistanceFraction),
    liquidationSigmas: chosen("liquidationSigmas", ofDistances, a, b),
    marginRatio: ofDangers(a.marginRatio, b.marginRatio),
    accountLossFraction: chosen("accountLossFraction", ofDangers, a, b),
  };
}

function chosen(
  fact: keyof typeof UNKNOWN_AT,
  choice: Choice,
  a: MarginedRisk,
  b: MarginedRisk,
): number | null {
  const unknown = UNKNOWN_AT[fact];
  const value = choice(a[fact] ?? unknown, b[fact] ?? unknown);
  return value === unknown ? null : value;
}

/** The facts of the cross positions as they stand, each the worst that is known of them, and the account's loss. */
function standingRiskOf(setting: TradeSetting, scenarios: ScenarioAccess | null): MarginedRisk {
  const { account, margin, viewOf } = setting;
  let worst: MarginedRisk = {
    liquidationProbability: 0,
    adverseProbability: null,
    liquidationDistanceFraction: Infinity,
    liquidationSigmas: Infinity,
    marginRatio: 0,
    accountLossFraction: shareOf(accountShortfall99Usd(account, viewOf, scenarios), margin.accountValueUsd),
  };
  for (const { ticker, marginMode } of account.positions) {
    const view = viewOf(ticker);
    if (view === undefined || marginMode !== "cross") continue;
    const liquidation = liquidationWith(account, ticker, viewOf, margin);
    const touch = touchProbabilitiesOf(view.tails, liquidation, view.funding.drag24hFraction);
    const distance = liquidation.liquidationPrice === null ? Infinity : liquidation.distanceFraction;
    worst = worseOf(worst, {
      liquidationProbability: touch.liquidation ?? 0,
      adverseProbability: touch.adverse,
      liquidationDistanceFraction: distance,
      liquidationSigmas: liquidationSigmasOf(distance, view.volatility?.sigmaDay) ?? Infinity,
      marginRatio: marginRatioOf(liquidation),
      accountLossFraction: 0,
    });
  }
  return worst;
}
