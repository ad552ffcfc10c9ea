import type { WalletState } from "../domain/account.ts";
import type { Direction } from "../domain/trade.ts";
import { accountMarginOf, markOf } from "./account-margin.ts";
import type { StressScenario } from "./stress-scenario.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";
import { stressFundingFraction, stressPool, type StressViewOf } from "./stress.ts";

/** The whole account under one scenario. */
export interface PortfolioStress {
  readonly scenario: StressScenario;
  /** Price moves and funding of every position; an isolated position loses its margin at most. */
  readonly totalPnlUsd: number;
  /** Of the account's value before. */
  readonly totalPnlFraction: number;
  /** Funding of all positions, of the account's value before; negative is received. */
  readonly totalFundingFraction: number;
  /** The cross pool is not liquidated; an account of isolated positions only keeps at least one or some cash. */
  readonly accountSurvives: boolean;
  readonly positionsLiquidated: number;
}

/** The scenario with the lowest total PnL, every asset shocked at once; null for an account without positions. */
export function worstPortfolioStress(account: WalletState, viewOf: StressViewOf): PortfolioStress | null {
  if (account.positions.length === 0) return null;
  const valueUsd = accountMarginOf(account, viewOf).accountValueUsd;
  let worst: PortfolioStress | null = null;
  for (let index = 0; index < STRESS_SCENARIOS.length; index++) {
    const outcome = portfolioStressAt(account, index, valueUsd, viewOf);
    if (worst === null || outcome.totalPnlUsd < worst.totalPnlUsd) worst = outcome;
  }
  return worst;
}

/** One scenario of STRESS_SCENARIOS. Units: accountValueUsd is the account's value before the shock. */
export function portfolioStressAt(
  account: WalletState,
  scenarioIndex: number,
  accountValueUsd: number,
  viewOf: StressViewOf,
): PortfolioStress {
  const scenario = STRESS_SCENARIOS[scenarioIndex]!;
  const crossCount = account.positions.filter((position) => position.marginMode === "cross").length;
  const crossSurvives = crossCount === 0 || stressPool(account, null, scenarioIndex, viewOf).survives;
  let positionsLiquidated = crossSurvives ? 0 : crossCount;
  let totalPnlUsd = 0;
  let totalFundingUsd = 0;
  for (const position of account.positions) {
    const view = viewOf(position.ticker);
    const mark = markOf(position, view);
    const direction: Direction = position.sizeBase > 0 ? 1 : -1;
    const fundingUsd = stressFundingFraction(scenario, direction) * Math.abs(position.sizeBase) * mark;
    const moveUsd = position.sizeBase * mark * (view?.stressShocks.moves[scenarioIndex] ?? 0);
    totalFundingUsd += fundingUsd;
    if (position.marginMode === "cross") {
      totalPnlUsd += moveUsd - fundingUsd;
      continue;
    }
    const marginUsd = (position.isolatedCashUsd ?? 0) + position.sizeBase * mark;
    const survives = stressPool(account, position.ticker, scenarioIndex, viewOf).survives;
    if (!survives) positionsLiquidated++;
    // A liquidated isolated position forfeits its margin, maintenance included, and nothing else.
    totalPnlUsd += survives ? moveUsd - fundingUsd : -Math.max(0, marginUsd);
  }
  const scaleUsd = Math.max(accountValueUsd, 1);
  const keepsSomething = positionsLiquidated < account.positions.length || account.crossCashUsd > 0;
  return {
    scenario,
    totalPnlUsd,
    totalPnlFraction: totalPnlUsd / scaleUsd,
    totalFundingFraction: totalFundingUsd / scaleUsd,
    accountSurvives: crossSurvives && keepsSomething,
    positionsLiquidated,
  };
}
