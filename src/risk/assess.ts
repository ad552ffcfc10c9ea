import type { WalletState } from "../domain/account.ts";
import type { Ticker } from "../domain/ids.ts";
import { oppositeOf, type ProposedTrade } from "../domain/trade.ts";
import { accountMarginOf } from "./margin/account-margin.ts";
import { accountRiskAfter } from "./trade/account-risk.ts";
import type { AssetView } from "./asset-view.ts";
import {
  liquidationModeOf,
  portfolioRiskOf,
  portfolioStressAfter,
  stressedOrderOf,
  tradeCost,
  tradeGreeks,
  tradeStopFraction,
} from "./assess-blocks.ts";
import { explainTrade } from "./assess-explanation.ts";
import { sizingChanges, sizingOfTrade } from "./sizing/assess-sizing.ts";
import type { SizingMemory } from "./sizing/sizing-memory.ts";
import type { Assessment } from "./assessment.ts";
import { stressedExitOf } from "./liquidity/exit-cost.ts";
import { withImpliedCollateral } from "./margin/implied-collateral.ts";
import { annualisedFundingFraction } from "./funding.ts";
import { feesOf } from "./fees.ts";
import { monteCarlo } from "./tails/monte-carlo.ts";
import { assessPortfolio } from "./portfolio/portfolio-assessment.ts";
import { emptyAccount } from "./trade/resolved-trade.ts";
import { stressedAccountOf } from "./stress/portfolio-stress.ts";
import type { ScenarioAccess } from "./portfolio/scenario-access.ts";
import { riskScore } from "./scoring/score.ts";
import { stressTrade } from "./stress/stress.ts";
import { standingFacts } from "./trade/standing-risk.ts";
import { carryOut, tradeSetting } from "./trade/trade-setting.ts";
import { sideTails, valueAtRisk } from "./tails/var.ts";

export interface AssessInput {
  readonly trade: ProposedTrade;
  readonly asset: AssetView;
  /** Null when the wallet's state could not be had. */
  readonly account: WalletState | null;
  readonly viewOf: (ticker: Ticker) => AssetView | undefined;
  /** Null until the first joint scenarios are drawn. */
  readonly scenarios: ScenarioAccess | null;
  readonly isMarketStale: boolean;
  readonly isWalletStale: boolean;
  /** This thread's; null for a state that is not met again. */
  readonly sizings: SizingMemory | null;
}

/**
 * The whole assessment of one trade, block by block in the order of the answer. Every number that takes history to know
 * was computed before the request; this only reads.
 *
 * Holds:   a close scores at most 30 and proceeds whatever is missing; equal inputs give equal answers, whatever is in
 *          memory; asking for the simulation or the explanation changes no other field
 */
export function assess(input: AssessInput): Assessment {
  const { trade: proposed, asset, scenarios } = input;
  // One state of the traded asset in all blocks, whatever arrives meanwhile.
  const viewOf = (ticker: Ticker): AssetView | undefined =>
    ticker === asset.listing.ticker ? asset : input.viewOf(ticker);
  const account = withImpliedCollateral(input.account ?? emptyAccount(proposed.wallet), viewOf);
  const margin = accountMarginOf(account, viewOf);
  const setting = tradeSetting(asset, account, margin, viewOf, {
    isWalletMissing: input.account === null,
    isMarketStale: input.isMarketStale,
    isWalletStale: input.isWalletStale,
  });
  const { market, depth } = setting;
  const { tails, volatility } = asset;

  const carried = carryOut(setting, proposed);
  const { trade, liquidity, impact, applied, liquidation } = carried;
  const { notionalUsd, exposureDirection, marginUsd } = trade;
  const positionsBefore = account.positions.length;
  const portfolio =
    positionsBefore === 0
      ? null
      : assessPortfolio(applied.account, applied.margin, viewOf, scenarios, sizingChanges(setting, carried));
  const accountRisk = accountRiskAfter(setting, carried, portfolio, scenarios);
  const facts = standingFacts(setting, proposed, carried, accountRisk, portfolio, scenarios);
  const score = riskScore(facts);

  const exit = stressedExitOf(market, depth, asset.bookStatistics, oppositeOf(exposureDirection));
  const risk = tails === null ? null : valueAtRisk(tails, exposureDirection, notionalUsd, marginUsd, exit);
  const cost = tradeCost(setting, carried);
  const stressed = positionsBefore === 0 ? null : stressedAccountOf(applied.account, viewOf);
  return {
    trade,
    markPrice: asset.context.markPrice,
    maxLeverage: asset.listing.maxLeverage,
    score,
    slippage: liquidity.slippage,
    depth,
    liquidation,
    liquidationMode: liquidationModeOf(carried),
    funding: asset.funding,
    annualisedFundingFraction: annualisedFundingFraction(asset.funding.rateHourly),
    agentPaysFunding: facts.paidFundingShare > 0,
    impact,
    valueAtRisk: risk,
    volatility,
    openInterest: asset.openInterest,
    stress: stressTrade(applied.account, stressedOrderOf(setting, carried), market, viewOf, stressed?.cross),
    portfolioRisk:
      portfolio === null || positionsBefore < 2
        ? null
        : portfolioRiskOf(applied.account, applied.margin, viewOf, portfolio, scenarios),
    portfolioStress: stressed === null ? null : portfolioStressAfter(stressed),
    portfolioAttribution: portfolio,
    fees: feesOf(notionalUsd, setting.takerFeeFraction, marginUsd),
    cost,
    sizing: trade.isClose
      ? null
      : sizingOfTrade(setting, proposed, carried, facts, portfolio, scenarios, input.sizings),
    monteCarlo: proposed.wantsMonteCarlo
      ? tails === null
        ? null
        : monteCarlo(tails, exposureDirection)
      : undefined,
    extremeTail: tails === null ? null : sideTails(tails, exposureDirection).extreme,
    greeks: tradeGreeks(asset, carried, risk, cost),
    regime: asset.liquidityRegime,
    drawdown: asset.drawdown,
    suggestedStopFraction: tradeStopFraction(asset, liquidation, liquidity.slippage),
    explanation: proposed.wantsExplanation
      ? explainTrade(setting, proposed, trade, score, scenarios)
      : undefined,
    applied,
  };
}
