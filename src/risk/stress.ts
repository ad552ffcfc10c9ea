import type { Position, WalletState } from "../domain/account.ts";
import type { Ticker } from "../domain/ids.ts";
import type { Direction } from "../domain/trade.ts";
import { invariant } from "../math/invariant.ts";
import { markOf, positionMaintenanceUsd, type MarginView } from "./account-margin.ts";
import { liquidationPriceOf } from "./liquidation.ts";
import { maintenanceMarginUsd } from "./margin.ts";
import { halfSpreadFractionOf, slippageFractionOf, type SlippageMarket } from "./slippage.ts";
import type { StressScenario } from "./stress-scenario.ts";
import type { StressShocks } from "./stress-shocks.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";
import { positionOf } from "./trade-application.ts";

/** What stressing a position needs of its asset; an AssetView is one. */
export interface StressView extends MarginView {
  readonly stressShocks: StressShocks;
}

export type StressViewOf = (ticker: Ticker) => StressView | undefined;

/** One trade under one scenario. Fractions of notional; positive pnl gains, positive costs are paid. */
export interface StressOutcome {
  readonly scenario: StressScenario;
  /** Price move of the asset from start to end. */
  readonly moveFraction: number;
  /** direction x move - funding - liquidity. */
  readonly pnlFraction: number;
  readonly pnlUsd: number;
  readonly fundingCostFraction: number;
  readonly liquidityCostFraction: number;
  /** From the shocked price; 0 when it does not survive, 1 when no price liquidates it. */
  readonly liquidationDistanceFraction: number;
  readonly survives: boolean;
}

/** The cross positions with their common cash, or one isolated position with its own, ready to be shocked. */
export interface StressedPool {
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
export interface PoolOutcome {
  readonly equityUsd: number;
  readonly maintenanceUsd: number;
  readonly fundingUsd: number;
  /** Equity exceeds maintenance at the end and, where prices come back, at the worst moment before any funding. */
  readonly survives: boolean;
}

/** Funding paid over the scenario as a fraction of notional at start; negative is received. */
export function stressFundingFraction(scenario: StressScenario, direction: Direction): number {
  const paid = scenario.fundingRateHourly * scenario.horizonHours;
  return scenario.isFundingAdverse ? Math.abs(paid) : direction * paid;
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
      endEquityUsd - fundingUsd > endMaintenanceUsd && (!comesBack || worstEquityUsd > worstMaintenanceUsd),
  };
}

/** The shares of depth that scenarios leave, each once: scenarios that leave as much share a walk of the book. */
const DEPTHS_LEFT = [...new Set(STRESS_SCENARIOS.map(({ depthMultiplier }) => depthMultiplier))];
const DEPTH_LEFT_INDEX = STRESS_SCENARIOS.map(({ depthMultiplier }) => DEPTHS_LEFT.indexOf(depthMultiplier));

/** Slippage of leaving through what is left of the book, by DEPTHS_LEFT: n times the size through all of it. */
function exitWalks(market: SlippageMarket, exit: Direction, notionalUsd: number): number[] {
  const costFractions: number[] = [];
  for (const depthLeft of DEPTHS_LEFT) {
    costFractions.push(notionalUsd > 0 ? slippageFractionOf(market, exit, notionalUsd / depthLeft) : 0);
  }
  return costFractions;
}

/**
 * A position of this direction and size under every scenario; survival and distance are those of the account's
 * position in the asset, whose margin pool is shocked as a whole. Leaving costs the walk and the widening of the spread.
 *
 * Holds: pnlUsd = notionalUsd x pnlFraction; survives false has distance 0.
 */
export function stressTrade(
  account: WalletState,
  ticker: Ticker,
  direction: Direction,
  notionalUsd: number,
  market: SlippageMarket,
  viewOf: StressViewOf,
): StressOutcome[] {
  const view = viewOf(ticker);
  const position = positionOf(account, ticker);
  const isolated = position?.marginMode === "isolated" ? position : null;
  const pool = position === null ? null : stressedPoolOf(account, isolated, viewOf);
  const exit: Direction = direction > 0 ? -1 : 1;
  const walkFractions = exitWalks(market, exit, notionalUsd);
  const halfSpreadFraction = halfSpreadFractionOf(market, exit);
  const isHeld = notionalUsd > 0;
  const outcomes: StressOutcome[] = [];
  for (let index = 0; index < STRESS_SCENARIOS.length; index++) {
    const scenario = STRESS_SCENARIOS[index]!;
    const moveFraction = view === undefined ? 0 : view.stressShocks.moves[index]!;
    const fundingCostFraction = isHeld ? stressFundingFraction(scenario, direction) : 0;
    const wideningFraction = (scenario.spreadMultiplier - 1) * halfSpreadFraction;
    const liquidityCostFraction = isHeld ? walkFractions[DEPTH_LEFT_INDEX[index]!]! + wideningFraction : 0;
    const heldMove = isHeld ? direction * moveFraction : 0;
    const pnlFraction = heldMove - fundingCostFraction - liquidityCostFraction;
    const distance =
      position === null || view === undefined || pool === null
        ? 1
        : stressedDistance(position, view, pool, index);
    outcomes.push({
      scenario,
      moveFraction,
      pnlFraction,
      pnlUsd: notionalUsd * pnlFraction,
      fundingCostFraction,
      liquidityCostFraction,
      liquidationDistanceFraction: distance ?? 0,
      survives: distance !== null,
    });
  }
  return outcomes;
}

/** Distance from the shocked price to liquidation; 1 when no price liquidates, null when the scenario already has. */
function stressedDistance(
  position: Position,
  view: StressView,
  pool: StressedPool,
  scenarioIndex: number,
): number | null {
  const outcome = stressPool(pool, scenarioIndex);
  if (!outcome.survives) return null;
  const price = view.context.markPrice * (1 + view.stressShocks.moves[scenarioIndex]!);
  const valueUsd = position.sizeBase * price;
  const ownMaintenanceUsd = maintenanceMarginUsd(view.marginSchedule, Math.abs(valueUsd));
  const liquidationPrice = liquidationPriceOf(
    view.marginSchedule,
    position.sizeBase,
    outcome.equityUsd - valueUsd,
    outcome.maintenanceUsd - ownMaintenanceUsd,
    1,
  );
  return liquidationPrice === null ? 1 : Math.abs(liquidationPrice / price - 1);
}

function scenarioAt(index: number): StressScenario {
  const scenario = STRESS_SCENARIOS[index];
  invariant(scenario !== undefined, "the scenario index is inside the table");
  return scenario;
}
