import type { Position, WalletState } from "../../src/domain/account.ts";
import type { Direction } from "../../src/domain/trade.ts";
import { invariant } from "../../src/math/invariant.ts";
import { markOf, positionMaintenanceUsd } from "../../src/risk/margin/account-margin.ts";
import type { StressScenario } from "../../src/risk/stress/stress-scenario.ts";
import {
  stressFundingFraction,
  type StressView,
  type StressViewOf,
} from "../../src/risk/stress/stressed-pool.ts";
import type { StressShocks } from "../../src/risk/stress/stress-shocks.ts";
import type { TradeStress } from "../../src/risk/stress/stress.ts";
import { STRESS_SCENARIOS } from "../../src/risk/stress/stress-scenarios.ts";

/** The cross positions with their common cash, or one isolated position with its own, ready to be shocked. */
interface StressedPool {
  readonly cashUsd: number;
  /** At mark, before any shock. */
  readonly equityUsd: number;
  readonly members: readonly PoolMember[];
}

interface PoolMember {
  readonly position: Position;
  readonly view: StressView | undefined;
  readonly markPrice: number;
  readonly direction: Direction;
}

/** A pool under one scenario. */
interface PoolOutcome {
  readonly equityUsd: number;
  readonly maintenanceUsd: number;
  readonly fundingUsd: number;
  /** Equity exceeds maintenance at the end and, where prices come back, at the worst moment before any funding. */
  readonly survives: boolean;
}

/** The pool that carries a position: the account's cross positions, or one isolated position. */
export function stressedPoolOf(
  account: WalletState,
  isolated: Position | null,
  viewOf: StressViewOf,
): StressedPool {
  const positions =
    isolated === null ? account.positions.filter(({ marginMode }) => marginMode === "cross") : [isolated];
  const members = positions.map((position): PoolMember => {
    const view = viewOf(position.ticker);
    const direction = position.sizeBase > 0 ? 1 : -1;
    return { position, view, markPrice: markOf(position, view), direction };
  });
  const cashUsd = isolated === null ? account.crossCashUsd : (isolated.isolatedCashUsd ?? 0);
  const valueUsd = members.reduce((sum, member) => sum + member.position.sizeBase * member.markPrice, 0);
  return { cashUsd, equityUsd: cashUsd + valueUsd, members };
}

/**
 * Equity and maintenance of a pool with every asset shocked at once, tiers read at the shocked prices. An asset that is
 * not known here keeps its price.
 */
export function stressPool(pool: StressedPool, scenarioIndex: number): PoolOutcome {
  const scenario = scenarioAt(scenarioIndex);
  const comesBack = scenario.excursions !== undefined;
  let fundingUsd = 0;
  let endEquityUsd = pool.cashUsd;
  let worstEquityUsd = pool.cashUsd;
  let endMaintenanceUsd = 0;
  let worstMaintenanceUsd = 0;
  for (let i = 0; i < pool.members.length; i++) {
    const { position, view, markPrice, direction } = pool.members[i]!;
    const { sizeBase } = position;
    fundingUsd += stressFundingFraction(scenario, direction) * Math.abs(sizeBase) * markPrice;
    const endMove = view === undefined ? 0 : view.stressShocks.moves[scenarioIndex]!;
    const endPrice = markPrice * (1 + endMove);
    endEquityUsd += sizeBase * endPrice;
    endMaintenanceUsd += positionMaintenanceUsd(position, endPrice, view);
    if (!comesBack) continue;
    const worstMove = view === undefined ? 0 : view.stressShocks.excursions[scenarioIndex]!;
    const worstPrice = markPrice * (1 + worstMove);
    worstEquityUsd += sizeBase * worstPrice;
    worstMaintenanceUsd += positionMaintenanceUsd(position, worstPrice, view);
  }
  return {
    equityUsd: endEquityUsd - fundingUsd,
    maintenanceUsd: endMaintenanceUsd,
    fundingUsd,
    survives:
      isMore(endEquityUsd - fundingUsd, endMaintenanceUsd) &&
      (!comesBack || isMore(worstEquityUsd, worstMaintenanceUsd)),
  };
}

/** By more than rounding. */
function isMore(equityUsd: number, maintenanceUsd: number): boolean {
  return equityUsd - maintenanceUsd > 1e-9 * maintenanceUsd;
}

function scenarioAt(index: number): StressScenario {
  const scenario = STRESS_SCENARIOS[index];
  invariant(scenario !== undefined, "the scenario index is inside the table");
  return scenario;
}

/** What the price gives an order in one scenario: what is liquidated has the worse of the end and the way there. */
export function stressedGainFraction(
  { liquidatedIn }: Pick<TradeStress, "liquidatedIn">,
  { moves, excursions }: StressShocks,
  direction: Direction,
  scenarioIndex: number,
): number {
  const atEnd = direction * moves[scenarioIndex]!;
  const isLiquidated = Math.floor(liquidatedIn / 2 ** scenarioIndex) % 2 === 1;
  return isLiquidated ? Math.min(atEnd, direction * excursions[scenarioIndex]!) : atEnd;
}
