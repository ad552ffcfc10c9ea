import type { ProposedTrade } from "../domain/trade.ts";
import { type AccountRisk, accountRiskAfter, accountShortfall99Usd } from "./account-risk.ts";
import { liquidationWith } from "./liquidation.ts";
import { type PortfolioAssessment, withMargin } from "./portfolio-assessment.ts";
import type { ScenarioAccess } from "./scenario-access.ts";
import type { RiskFacts } from "./scoring/risk-facts.ts";
import { touchProbabilitiesOf } from "./touch-probability.ts";
import { tradeFacts } from "./trade-facts.ts";
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

/**
 * The facts of a trade. Where a cross trade is assessed on assumed margin none of them is better than the pool's own
 * before it: margin that is only assumed must not talk a wallet on the brink of liquidation into safety. Nor are they
 * then worse than at a leverage that needs none, where there is one: the pool of a cross trade is the same at any. An
 * isolated trade stands on its own margin, assumed or not, as do isolated positions beside a cross trade.
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
  return {
    liquidationProbability: larger(a.liquidationProbability, b.liquidationProbability),
    adverseProbability: larger(a.adverseProbability, b.adverseProbability),
    liquidationDistanceFraction: Math.min(a.liquidationDistanceFraction, b.liquidationDistanceFraction),
    liquidationSigmas: smaller(a.liquidationSigmas, b.liquidationSigmas),
    marginRatio: Math.max(a.marginRatio, b.marginRatio),
    accountLossFraction: larger(a.accountLossFraction, b.accountLossFraction),
  };
}

function betterOf(a: MarginedRisk, b: MarginedRisk): MarginedRisk {
  return {
    liquidationProbability: smaller(a.liquidationProbability, b.liquidationProbability),
    adverseProbability: smaller(a.adverseProbability, b.adverseProbability),
    liquidationDistanceFraction: Math.max(a.liquidationDistanceFraction, b.liquidationDistanceFraction),
    liquidationSigmas: larger(a.liquidationSigmas, b.liquidationSigmas),
    marginRatio: Math.min(a.marginRatio, b.marginRatio),
    accountLossFraction: smaller(a.accountLossFraction, b.accountLossFraction),
  };
}

/** The facts of the cross positions as they stand, each the worst over them, and the account's loss. */
function standingRiskOf(setting: TradeSetting, scenarios: ScenarioAccess | null): MarginedRisk {
  const { account, margin, viewOf } = setting;
  let worst: MarginedRisk = {
    liquidationProbability: null,
    adverseProbability: null,
    liquidationDistanceFraction: Infinity,
    liquidationSigmas: null,
    marginRatio: 0,
    accountLossFraction: lossFractionOf(
      accountShortfall99Usd(account, viewOf, scenarios),
      margin.accountValueUsd,
    ),
  };
  for (const { ticker, marginMode } of account.positions) {
    const view = viewOf(ticker);
    if (view === undefined || marginMode !== "cross") continue;
    const liquidation = liquidationWith(account, ticker, viewOf, margin);
    const touch = touchProbabilitiesOf(view.tails, liquidation, view.funding.drag24hFraction);
    const distance = liquidation.liquidationPrice === null ? Infinity : liquidation.distanceFraction;
    const sigmaDay = view.volatility?.sigmaDay ?? null;
    worst = worseOf(worst, {
      liquidationProbability: touch.liquidation,
      adverseProbability: touch.adverse,
      liquidationDistanceFraction: distance,
      liquidationSigmas: sigmaDay === null ? null : distance / sigmaDay,
      marginRatio: lossFractionOf(liquidation.poolMaintenanceUsd, liquidation.poolEquityUsd),
      accountLossFraction: null,
    });
  }
  return worst;
}

function lossFractionOf(lossUsd: number, equityUsd: number): number {
  if (lossUsd <= 0) return 0;
  return equityUsd > 0 ? lossUsd / equityUsd : Infinity;
}

/** The larger of what is known. */
function larger(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

function smaller(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
