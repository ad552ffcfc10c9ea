import type { WalletState } from "../../domain/account.ts";
import { clamp } from "../../math/clamp.ts";
import type { StressScenario } from "./stress-scenario.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";
import { stressedPoolOf, type StressedPool, type StressViewOf, survivesScenario } from "./stressed-pool.ts";

/** Cash below this share of the account's value is what rounding leaves of nothing. */
const CASH_ROUNDING = 1e-9;

/** The whole account under one scenario. */
export interface PortfolioStress {
  readonly scenario: StressScenario;
  /** Price moves and funding of every position; what is liquidated loses the equity of its pool, no more. */
  readonly totalPnlUsd: number;
  /** Of the account's value before, a pool below nothing counted as nothing: all of it can be lost, no more. 0 of no value. */
  readonly totalPnlFraction: number;
  /** Funding of all positions, of the same value; negative is received. Of a liquidated pool its equity at most. */
  readonly totalFundingFraction: number;
  /** The cross pool is not liquidated, and something is left: a position, or cash. */
  readonly accountSurvives: boolean;
  readonly positionsLiquidated: number;
}

/** An account's margin pools under every scenario: one of the cross positions, and one of each isolated position. */
export interface StressedAccount {
  readonly account: WalletState;
  readonly cross: StressedPool;
  readonly isolated: readonly StressedPool[];
  readonly valueUsd: number;
}

/** Every pool of the account; its value is the sum of theirs, one below nothing counted as nothing. */
export function stressedAccountOf(account: WalletState, viewOf: StressViewOf): StressedAccount {
  const cross = stressedPoolOf(account, null, viewOf);
  const isolated: StressedPool[] = [];
  let valueUsd = Math.max(0, cross.startEquityUsd);
  if (cross.positionCount < account.positions.length) {
    for (const position of account.positions) {
      if (position.marginMode !== "isolated") continue;
      const pool = stressedPoolOf(account, position, viewOf);
      valueUsd += Math.max(0, pool.startEquityUsd);
      isolated.push(pool);
    }
  }
  return { account, cross, isolated, valueUsd };
}

/**
 * The scenario with the lowest total PnL, every asset shocked at once; of those that take all there is the one that would
 * take most. Null for an account without positions.
 */
export function worstPortfolioStress(stressed: StressedAccount): PortfolioStress | null {
  const { account, cross } = stressed;
  if (account.positions.length === 0) return null;
  let worst = 0;
  let worstPnlUsd = totalPnlUsd(stressed, 0);
  for (let i = 1; i < STRESS_SCENARIOS.length; i++) {
    const pnlUsd = totalPnlUsd(stressed, i);
    const isDeeper = pnlUsd === worstPnlUsd && cross.equityUsd[i]! < cross.equityUsd[worst]!;
    if (pnlUsd < worstPnlUsd || isDeeper) {
      worst = i;
      worstPnlUsd = pnlUsd;
    }
  }
  return portfolioStressOf(stressed, worst);
}

function totalPnlUsd({ cross, isolated }: StressedAccount, scenarioIndex: number): number {
  let pnlUsd = cross.positionCount === 0 ? 0 : poolPnlUsd(cross, scenarioIndex);
  for (const pool of isolated) pnlUsd += poolPnlUsd(pool, scenarioIndex);
  return pnlUsd;
}

/** A liquidated pool forfeits its equity, maintenance included, and nothing else: the exchange keeps no debts. */
function poolPnlUsd(pool: StressedPool, scenarioIndex: number): number {
  if (!survivesScenario(pool, scenarioIndex)) return Math.min(0, -pool.startEquityUsd);
  return pool.equityUsd[scenarioIndex]! - pool.startEquityUsd;
}

/** Part of what a liquidated pool loses, so no more than that, paid or received: its equity may be nothing. */
function poolFundingUsd(pool: StressedPool, scenarioIndex: number): number {
  const fundingUsd = pool.fundingUsd[scenarioIndex]!;
  if (survivesScenario(pool, scenarioIndex)) return fundingUsd;
  const lostUsd = Math.max(0, pool.startEquityUsd);
  return clamp(fundingUsd, -lostUsd, lostUsd);
}

/** The account under one scenario, by its place in STRESS_SCENARIOS. */
export function portfolioStressOf(stressed: StressedAccount, scenarioIndex: number): PortfolioStress {
  const { account, cross, isolated, valueUsd } = stressed;
  const crossSurvives = cross.positionCount === 0 || survivesScenario(cross, scenarioIndex);
  let positionsLiquidated = crossSurvives ? 0 : cross.positionCount;
  let totalFundingUsd = poolFundingUsd(cross, scenarioIndex);
  for (const pool of isolated) {
    totalFundingUsd += poolFundingUsd(pool, scenarioIndex);
    if (!survivesScenario(pool, scenarioIndex)) positionsLiquidated++;
  }
  const pnlUsd = totalPnlUsd(stressed, scenarioIndex);
  const keepsCash = account.crossCashUsd > CASH_ROUNDING * Math.max(valueUsd, 1);
  const keepsSomething = positionsLiquidated < account.positions.length || keepsCash;
  return {
    scenario: STRESS_SCENARIOS[scenarioIndex]!,
    totalPnlUsd: pnlUsd,
    totalPnlFraction: valueUsd > 0 ? pnlUsd / valueUsd : 0,
    totalFundingFraction: valueUsd > 0 ? totalFundingUsd / valueUsd : 0,
    accountSurvives: crossSurvives && keepsSomething,
    positionsLiquidated,
  };
}
