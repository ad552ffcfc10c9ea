import type { WalletState } from "../domain/account.ts";
import type { StressScenario } from "./stress-scenario.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";
import { stressedPoolOf, stressPool, type StressedPool, type StressViewOf } from "./stressed-pool.ts";

/** The whole account under one scenario. */
export interface PortfolioStress {
  readonly scenario: StressScenario;
  /** Price moves and funding of every position; an isolated position loses its margin at most. */
  readonly totalPnlUsd: number;
  /** Of the account's value before. */
  readonly totalPnlFraction: number;
  /** Funding of all positions, of the account's value before; negative is received. */
  readonly totalFundingFraction: number;
  /** The cross pool is not liquidated, and something is left: a position, or cash. */
  readonly accountSurvives: boolean;
  readonly positionsLiquidated: number;
}

/** Its margin pools: one of the cross positions, and one of each isolated position. */
interface StressedAccount {
  readonly account: WalletState;
  readonly cross: StressedPool;
  readonly isolated: readonly StressedPool[];
  readonly valueUsd: number;
}

/** The scenario with the lowest total PnL, every asset shocked at once; null for an account without positions. */
export function worstPortfolioStress(account: WalletState, viewOf: StressViewOf): PortfolioStress | null {
  let worst: PortfolioStress | null = null;
  for (const stress of portfolioStresses(account, viewOf)) {
    if (worst === null || stress.totalPnlUsd < worst.totalPnlUsd) worst = stress;
  }
  return worst;
}

/** Every scenario, in the order of STRESS_SCENARIOS; none for an account without positions. */
export function portfolioStresses(account: WalletState, viewOf: StressViewOf): PortfolioStress[] {
  if (account.positions.length === 0) return [];
  const cross = stressedPoolOf(account, null, viewOf);
  const isolated = account.positions
    .filter(({ marginMode }) => marginMode === "isolated")
    .map((position) => stressedPoolOf(account, position, viewOf));
  const valueUsd = isolated.reduce((sum, pool) => sum + pool.equityUsd, cross.equityUsd);
  return STRESS_SCENARIOS.map((scenario, index) =>
    stressAccount({ account, cross, isolated, valueUsd }, scenario, index),
  );
}

function stressAccount(
  { account, cross, isolated, valueUsd }: StressedAccount,
  scenario: StressScenario,
  scenarioIndex: number,
): PortfolioStress {
  const crossCount = cross.members.length;
  const crossOutcome = stressPool(cross, scenarioIndex);
  const crossSurvives = crossCount === 0 || crossOutcome.survives;
  let positionsLiquidated = crossSurvives ? 0 : crossCount;
  let totalPnlUsd = crossOutcome.equityUsd - cross.equityUsd;
  let totalFundingUsd = crossOutcome.fundingUsd;
  for (const pool of isolated) {
    const outcome = stressPool(pool, scenarioIndex);
    totalFundingUsd += outcome.fundingUsd;
    if (!outcome.survives) positionsLiquidated++;
    // A liquidated isolated position forfeits its margin, maintenance included, and nothing else.
    totalPnlUsd += outcome.survives ? outcome.equityUsd - pool.equityUsd : -Math.max(0, pool.equityUsd);
  }
  const scaleUsd = Math.max(valueUsd, 1);
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
