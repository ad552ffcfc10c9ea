import { type Position, positionOf, type WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import { type Direction, oppositeOf } from "../../domain/trade.ts";
import { poolCashOf } from "../margin/account-margin.ts";
import { pooledLiquidationPriceOf } from "../margin/liquidation.ts";
import { maintenanceMarginUsd } from "../margin/margin.ts";
import { halfSpreadFractionOf, slippageFractionOf, type SlippageMarket } from "../liquidity/slippage.ts";
import type { StressShocks } from "./stress-shocks.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";
import {
  exceedsMaintenance,
  LONG_FUNDING,
  RETURNING_BITS,
  SHORT_FUNDING,
  type StressedPool,
  stressedPoolOf,
  type StressView,
  type StressViewOf,
  survivesScenario,
} from "./stressed-pool.ts";

/** The order that is stressed. */
export interface StressedOrder {
  readonly ticker: Ticker;
  readonly direction: Direction;
  readonly notionalUsd: number;
  /** What of it is held afterwards, and pays funding and an exit: of an order against a position what it opens. */
  readonly heldShare: number;
}

/**
 * A trade under every scenario. Fractions of its notional at mark; positive pnl gains, positive costs are paid.
 *
 * Shapes:  columns in the order of STRESS_SCENARIOS; an answer keeps no object per scenario
 */
export interface TradeStress {
  readonly notionalUsd: number;
  /** direction x move - funding - liquidity; where prices come back and the position is gone by then, the worse of both moves. */
  readonly pnlFractions: ArrayLike<number>;
  readonly fundingCostFractions: ArrayLike<number>;
  readonly liquidityCostFractions: ArrayLike<number>;
  /** From the shocked price; 0 when it does not survive, 1 when no price liquidates it. */
  readonly liquidationDistanceFractions: ArrayLike<number>;
  /** Bit set of the scenarios that liquidate the position. */
  readonly liquidatedIn: number;
}

/** The shares of depth that scenarios leave, each once: scenarios that leave as much share a walk of the book. */
const DEPTHS_LEFT = [...new Set(STRESS_SCENARIOS.map(({ depthMultiplier }) => depthMultiplier))];
const DEPTH_LEFT_INDEX = STRESS_SCENARIOS.map(({ depthMultiplier }) => DEPTHS_LEFT.indexOf(depthMultiplier));
const WIDENINGS = STRESS_SCENARIOS.map(({ spreadMultiplier }) => spreadMultiplier - 1);
const COUNT = STRESS_SCENARIOS.length;
const NOTHING: readonly number[] = STRESS_SCENARIOS.map(() => 0);
const NEVER_NEAR: readonly number[] = STRESS_SCENARIOS.map(() => 1);

/** The most that a seller loses to a thin book: all that it shows for his coins. */
const SELL_COST_MAX = 1;

/** Slippage of leaving through what is left of the book, by DEPTHS_LEFT: n times the size through all of it. */
function exitWalks(market: SlippageMarket, exit: Direction, notionalUsd: number): number[] {
  const costFractions: number[] = [];
  for (let i = 0; i < DEPTHS_LEFT.length; i++) {
    costFractions.push(slippageFractionOf(market, exit, notionalUsd / DEPTHS_LEFT[i]!));
  }
  return costFractions;
}

/**
 * An order under every scenario; survival and distance are those of the account's position in the asset, whose margin
 * pool is shocked as a whole. Leaving costs the walk and the widening of the spread, of what the coins are worth then.
 *
 * Shapes: crossPool as stressedPoolOf has it, for a caller that needs it anyway
 * Holds: a scenario that liquidates has distance 0; a long loses its notional and funding at most
 */
export function stressTrade(
  account: WalletState,
  order: StressedOrder,
  market: SlippageMarket,
  viewOf: StressViewOf,
  crossPool: StressedPool | null = null,
): TradeStress {
  const { ticker, direction, notionalUsd } = order;
  const view = viewOf(ticker);
  const position = positionOf(account, ticker);
  let liquidationDistanceFractions = NEVER_NEAR;
  let liquidatedIn = 0;
  if (position !== null && view !== undefined) {
    const distances = new Array<number>(COUNT);
    liquidatedIn = fillDistances(account, position, view, viewOf, crossPool, distances);
    liquidationDistanceFractions = distances;
  }
  const moveFractions = view === undefined ? NOTHING : heldMoves(view.stressShocks, direction, liquidatedIn);
  const isHeld = notionalUsd > 0 && order.heldShare > 0;
  const fundingCostFractions = isHeld ? fundingCosts(order) : NOTHING;
  const liquidityCostFractions = isHeld ? liquidityCosts(order, market, moveFractions) : NOTHING;
  let pnlFractions = NOTHING;
  if (notionalUsd > 0) {
    const pnl = new Array<number>(COUNT);
    for (let i = 0; i < COUNT; i++) {
      pnl[i] = direction * moveFractions[i]! - fundingCostFractions[i]! - liquidityCostFractions[i]!;
    }
    pnlFractions = pnl;
  }
  return {
    notionalUsd,
    pnlFractions,
    fundingCostFractions,
    liquidityCostFractions,
    liquidationDistanceFractions,
    liquidatedIn,
  };
}

/**
 * The moves that the order lives through: of one liquidated on the way no recovery. Excursions of other scenarios are
 * their moves.
 */
function heldMoves(
  { moves, excursions }: StressShocks,
  direction: Direction,
  liquidatedIn: number,
): ArrayLike<number> {
  if ((liquidatedIn & RETURNING_BITS) === 0) return moves;
  const held = new Array<number>(COUNT);
  for (let i = 0; i < COUNT; i++) {
    const isGone = (liquidatedIn & (1 << i)) !== 0;
    held[i] = isGone && direction * (excursions[i]! - moves[i]!) < 0 ? excursions[i]! : moves[i]!;
  }
  return held;
}

function fundingCosts({ direction, heldShare }: StressedOrder): readonly number[] {
  const costFractions = direction > 0 ? LONG_FUNDING : SHORT_FUNDING;
  return heldShare === 1 ? costFractions : costFractions.map((fraction) => heldShare * fraction);
}

/** The book keeps its shape around the shocked price, so that its costs are shares of the coins' value there. */
function liquidityCosts(
  { direction, notionalUsd, heldShare }: StressedOrder,
  market: SlippageMarket,
  moveFractions: ArrayLike<number>,
): readonly number[] {
  const exit = oppositeOf(direction);
  const costMax = exit < 0 ? SELL_COST_MAX : Infinity;
  const walkFractions = exitWalks(market, exit, heldShare * notionalUsd);
  const halfSpreadFraction = halfSpreadFractionOf(market, exit);
  const costFractions = new Array<number>(COUNT);
  for (let i = 0; i < COUNT; i++) {
    const costFraction = walkFractions[DEPTH_LEFT_INDEX[i]!]! + WIDENINGS[i]! * halfSpreadFraction;
    costFractions[i] = heldShare * (1 + moveFractions[i]!) * Math.min(costMax, costFraction);
  }
  return costFractions;
}

/**
 * Distances from the shocked prices to liquidation; 1 when no price liquidates, 0 when the scenario already has: those
 * scenarios' bits are returned.
 */
function fillDistances(
  account: WalletState,
  position: Position,
  view: StressView,
  viewOf: StressViewOf,
  crossPool: StressedPool | null,
  distances: number[],
): number {
  const isolated = position.marginMode === "isolated" ? position : null;
  if (isolated !== null || account.positions.length === 1) {
    return fillLoneDistances(position, poolCashOf(account, isolated), view, distances);
  }
  const pool = crossPool ?? stressedPoolOf(account, null, viewOf);
  const { moves } = view.stressShocks;
  let liquidatedIn = 0;
  for (let i = 0; i < COUNT; i++) {
    const survives = survivesScenario(pool, i);
    const price = view.context.markPrice * (1 + moves[i]!);
    distances[i] = survives
      ? distanceAt(position, view, price, pool.equityUsd[i]!, pool.maintenanceUsd[i]!)
      : 0;
    if (!survives) liquidatedIn |= 1 << i;
  }
  return liquidatedIn;
}

/** The same for a position alone in its pool, which most answers have: stressedPoolOf of one position, written out (`src/DECISIONS.md` 117). */
function fillLoneDistances(
  position: Position,
  cashUsd: number,
  view: StressView,
  distances: number[],
): number {
  const { sizeBase } = position;
  const { markPrice } = view.context;
  const { moves, excursions } = view.stressShocks;
  const fundingFractions = sizeBase > 0 ? LONG_FUNDING : SHORT_FUNDING;
  const markUsd = Math.abs(sizeBase) * markPrice;
  let liquidatedIn = 0;
  for (let i = 0; i < COUNT; i++) {
    const price = markPrice * (1 + moves[i]!);
    const valueUsd = sizeBase * price;
    const equityUsd = cashUsd + valueUsd - fundingFractions[i]! * markUsd;
    const maintenanceUsd = maintenanceMarginUsd(view.marginSchedule, Math.abs(valueUsd));
    let survives = exceedsMaintenance(equityUsd, maintenanceUsd);
    if (survives && STRESS_SCENARIOS[i]!.excursions !== undefined) {
      const worstUsd = sizeBase * (markPrice * (1 + excursions[i]!));
      const worstMaintenanceUsd = maintenanceMarginUsd(view.marginSchedule, Math.abs(worstUsd));
      survives = exceedsMaintenance(cashUsd + worstUsd, worstMaintenanceUsd);
    }
    distances[i] = survives ? distanceAt(position, view, price, equityUsd, maintenanceUsd) : 0;
    if (!survives) liquidatedIn |= 1 << i;
  }
  return liquidatedIn;
}

/** From a shocked price to liquidation, the pool's equity and maintenance shocked with it; 1 when no price liquidates. */
function distanceAt(
  { sizeBase }: Position,
  { marginSchedule }: StressView,
  price: number,
  equityUsd: number,
  maintenanceUsd: number,
): number {
  const liquidationPrice = pooledLiquidationPriceOf(
    marginSchedule,
    sizeBase,
    price,
    equityUsd,
    maintenanceUsd,
  );
  return liquidationPrice === null ? 1 : Math.abs(liquidationPrice / price - 1);
}
