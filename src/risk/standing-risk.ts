import { type AccountRisk, accountShortfall99Usd } from "./account-risk.ts";
import { liquidationWith } from "./liquidation.ts";
import type { ScenarioAccess } from "./portfolio-assessment.ts";
import type { RiskFacts } from "./scoring/risk-facts.ts";
import { touchProbabilitiesOf } from "./touch-probability.ts";
import { tradeFacts } from "./trade-facts.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";

/** The facts of the cross positions as they stand, each the worst over them, and the account's loss. */
type StandingRisk = Pick<
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
 * before it: margin that is only assumed must not talk a wallet on the brink of liquidation into safety. An isolated
 * trade stands on its own margin, assumed or not, as do isolated positions beside a cross trade.
 */
export function standingFacts(
  setting: TradeSetting,
  carried: CarriedTrade,
  accountRisk: AccountRisk,
  scenarios: ScenarioAccess | null,
): RiskFacts {
  const facts = tradeFacts(setting, carried, accountRisk);
  const { assumedDepositUsd, marginMode } = carried.applied;
  const isAssumed = assumedDepositUsd > 0 && marginMode === "cross" && setting.account.positions.length > 0;
  return isAssumed ? notBettered(facts, setting, scenarios) : facts;
}

function notBettered(facts: RiskFacts, setting: TradeSetting, scenarios: ScenarioAccess | null): RiskFacts {
  const standing = standingRiskOf(setting, scenarios);
  return {
    ...facts,
    liquidationProbability: larger(facts.liquidationProbability, standing.liquidationProbability),
    adverseProbability: larger(facts.adverseProbability, standing.adverseProbability),
    liquidationDistanceFraction: Math.min(
      facts.liquidationDistanceFraction,
      standing.liquidationDistanceFraction,
    ),
    liquidationSigmas: smaller(facts.liquidationSigmas, standing.liquidationSigmas),
    marginRatio: Math.max(facts.marginRatio, standing.marginRatio),
    accountLossFraction: larger(facts.accountLossFraction, standing.accountLossFraction),
  };
}

function standingRiskOf(setting: TradeSetting, scenarios: ScenarioAccess | null): StandingRisk {
  const { account, margin, viewOf } = setting;
  let worst: StandingRisk = {
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
    worst = {
      ...worst,
      liquidationProbability: larger(worst.liquidationProbability, touch.liquidation),
      adverseProbability: larger(worst.adverseProbability, touch.adverse),
      liquidationDistanceFraction: Math.min(worst.liquidationDistanceFraction, distance),
      liquidationSigmas: smaller(worst.liquidationSigmas, sigmaDay === null ? null : distance / sigmaDay),
      marginRatio: Math.max(
        worst.marginRatio,
        lossFractionOf(liquidation.poolMaintenanceUsd, liquidation.poolEquityUsd),
      ),
    };
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
