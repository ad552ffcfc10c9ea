import type { ProposedTrade } from "../../domain/trade.ts";
import {
  type AccountRisk,
  accountRiskAfter,
  accountShortfall99Usd,
  crossPartOf,
  holdsOthers,
  ownShortfall99Usd,
} from "./account-risk.ts";
import { affordedUsdOf } from "./afforded-size.ts";
import type { AssetView } from "../asset-view.ts";
import { SCORE, SEVERITIES } from "../calibration/calibration.ts";
import { isInDebt } from "../margin/account-margin.ts";
import { type LiquidationFacts, liquidationOf } from "../margin/liquidation.ts";
import { accountTouchOf } from "../portfolio/liquidation/cross-touch.ts";
import { type PortfolioAssessment, withMargin } from "../portfolio/portfolio-assessment.ts";
import type { ScenarioAccess } from "../portfolio/scenario-access.ts";
import { rampInverse } from "../../math/ramp.ts";
import type { RiskFacts } from "../scoring/risk-facts.ts";
import { touchProbabilitiesOf } from "./touch-probability.ts";
import {
  liquidationDistanceOf,
  liquidationSigmasOf,
  lossFractionOf,
  marginRatioOf,
  shareOf,
  tradeFacts,
} from "./trade-facts.ts";
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

const SEVERITY_OF_UNKNOWN = SCORE.missingSeverity.value;
/** Where an unknown fact stands among known ones: at the value of the same severity, or below all where it has none. */
const UNKNOWN_AT = {
  liquidationProbability: rampInverse(SEVERITIES.liquidationProbability.value, SEVERITY_OF_UNKNOWN),
  adverseProbability: -Infinity,
  liquidationSigmas: rampInverse(SEVERITIES.liquidationSigmas.value, SEVERITY_OF_UNKNOWN),
  accountLossFraction: rampInverse(SEVERITIES.accountLoss.value, SEVERITY_OF_UNKNOWN),
} as const;

/** Of a pool that is in debt: what is posted to it is gone. */
const LOST: MarginedRisk = {
  liquidationProbability: 1,
  adverseProbability: 1,
  liquidationDistanceFraction: 0,
  liquidationSigmas: 0,
  marginRatio: Infinity,
  accountLossFraction: Infinity,
};

/**
 * The facts of a trade. Where it is assessed on assumed margin none of them is better for what the wallet does not have:
 * margin that is only assumed must not talk a wallet on the brink of liquidation into safety.
 *
 * A cross trade is then no better than the pool before it, nor than the pool after the largest order that the account can
 * pay for. Nor is it worse than at a leverage that needs no deposit, where there is one: the pool of a cross trade is the
 * same at any. An isolated trade stands on its own margin, assumed or not, so only what that would better is floored: the
 * position that it adds to and the account's loss, which are no better than after that order. What is not known of an
 * asset without a model stays unknown, unless the floor is worse than that counts for.
 *
 * Holds:   no better at a higher leverage, but for what an isolated order's margin is to the cross pool; on assumed margin no
 *          better at a larger size, nor than at one that needs none, but for what a hedge takes off the account's loss
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
  const hasNothingAtStake = setting.account.positions.length === 0 && !isInDebt(setting.margin);
  if (carried.applied.assumedDepositUsd <= 0 || hasNothingAtStake) return facts;
  if (carried.trade.marginMode === "isolated") {
    return {
      ...facts,
      ...worseOf(facts, affordedRiskOf(setting, proposed, carried, accountRisk, scenarios)),
    };
  }
  const floored = worseOf(facts, pooledRiskOf(setting, proposed, carried, scenarios));
  const unassisted = unassistedFacts(setting, proposed, portfolio, scenarios);
  return { ...facts, ...(unassisted === null ? floored : betterOf(floored, unassisted)) };
}

/** The risk of the cross pool before the trade, and after as much of it as the account can pay for. */
function pooledRiskOf(
  setting: TradeSetting,
  proposed: ProposedTrade,
  carried: CarriedTrade,
  scenarios: ScenarioAccess | null,
): MarginedRisk {
  const before = standingRiskOf(setting, scenarios);
  const after = afterAffordedOf(setting, proposed, carried);
  return after === setting ? before : worseOf(before, standingRiskOf({ ...setting, ...after }, scenarios));
}

/** The account after the largest order that needs no assumed margin; as it is where it can pay for none. */
function afterAffordedOf(
  setting: TradeSetting,
  proposed: ProposedTrade,
  carried: CarriedTrade,
): Pick<TradeSetting, "account" | "margin"> {
  const notionalUsd = affordedUsdOf(setting, carried);
  if (notionalUsd === 0) return setting;
  const { account, margin } = carryOut(setting, { ...proposed, notionalUsd }).applied;
  return { account, margin };
}

/**
 * The risk of the largest order that needs no assumed margin. The account's shortfall after it counts as far as that of the
 * trade itself goes: a hedge is not held back by what less of it would have left.
 */
function affordedRiskOf(
  setting: TradeSetting,
  proposed: ProposedTrade,
  carried: CarriedTrade,
  { expectedShortfall99Usd: askedShortfallUsd }: AccountRisk,
  scenarios: ScenarioAccess | null,
): MarginedRisk {
  const { asset, viewOf } = setting;
  const { ticker } = asset.listing;
  const after = afterAffordedOf(setting, proposed, carried);
  const liquidation = liquidationOf(after.account, ticker, viewOf, after.margin);
  const shortfallUsd = holdsOthers(after.account, ticker)
    ? accountShortfall99Usd(after.account, ticker, viewOf, scenarios)
    : (ownShortfall99Usd(asset, liquidation.sizeBase, liquidation.notionalUsd) ?? 0);
  const lossFraction = lossFractionOf(
    asset,
    after.margin.accountValueUsd,
    liquidation,
    askedShortfallUsd === null ? null : Math.min(shortfallUsd, askedShortfallUsd),
    null,
  );
  return riskOf(asset, liquidation, lossFraction);
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
    liquidationProbability: chosenFact("liquidationProbability", ofDangers, a, b),
    adverseProbability: chosenFact("adverseProbability", ofDangers, a, b),
    liquidationDistanceFraction: ofDistances(a.liquidationDistanceFraction, b.liquidationDistanceFraction),
    liquidationSigmas: chosenFact("liquidationSigmas", ofDistances, a, b),
    marginRatio: ofDangers(a.marginRatio, b.marginRatio),
    accountLossFraction: chosenFact("accountLossFraction", ofDangers, a, b),
  };
}

function chosenFact(
  fact: keyof typeof UNKNOWN_AT,
  choice: Choice,
  a: MarginedRisk,
  b: MarginedRisk,
): number | null {
  const unknown = UNKNOWN_AT[fact];
  const value = choice(a[fact] ?? unknown, b[fact] ?? unknown);
  return value === unknown ? null : value;
}

/** The facts of the cross pool as it stands, each the worst that is known of its positions, and the account's loss. */
function standingRiskOf(setting: TradeSetting, scenarios: ScenarioAccess | null): MarginedRisk {
  const { account, margin, viewOf } = setting;
  if (isInDebt(margin)) return LOST;
  const pool = holdsOthers(account, setting.asset.listing.ticker)
    ? accountTouchOf(account, margin, viewOf, scenarios)
    : null;
  let worst: MarginedRisk = {
    liquidationProbability: pool?.liquidation ?? 0,
    adverseProbability: pool?.adverse ?? null,
    liquidationDistanceFraction: Infinity,
    liquidationSigmas: Infinity,
    marginRatio: 0,
    accountLossFraction: standingLossFraction(setting, scenarios),
  };
  for (const { ticker, marginMode } of account.positions) {
    if (marginMode !== "cross") continue;
    const risk = riskOf(viewOf(ticker), liquidationOf(account, ticker, viewOf, margin), 0);
    worst = worseOf(worst, {
      ...risk,
      liquidationProbability: risk.liquidationProbability ?? 0,
      liquidationSigmas: risk.liquidationSigmas ?? Infinity,
    });
  }
  return worst;
}

/** Of the account over its value and, if worse, of its cross positions over the equity that they share. */
function standingLossFraction(
  { account, margin, viewOf, asset: { listing } }: TradeSetting,
  scenarios: ScenarioAccess | null,
): number {
  const lossUsd = accountShortfall99Usd(account, listing.ticker, viewOf, scenarios);
  const ofAccount = shareOf(lossUsd, margin.accountValueUsd);
  const cross = crossPartOf(account);
  if (cross.positions.length === account.positions.length) return ofAccount;
  const crossLossUsd = accountShortfall99Usd(cross, listing.ticker, viewOf, scenarios);
  return Math.max(ofAccount, shareOf(crossLossUsd, margin.crossEquityUsd));
}

function riskOf(
  view: AssetView | undefined,
  liquidation: LiquidationFacts,
  accountLossFraction: number | null,
): MarginedRisk {
  const touch = touchProbabilitiesOf(view, liquidation);
  return {
    liquidationProbability: touch.liquidation,
    adverseProbability: touch.adverse,
    liquidationDistanceFraction: liquidationDistanceOf(liquidation),
    liquidationSigmas: liquidationSigmasOf(liquidation, view?.volatility?.sigmaDay),
    marginRatio: marginRatioOf(liquidation),
    accountLossFraction,
  };
}
