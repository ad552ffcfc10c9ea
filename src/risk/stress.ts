import type { WalletState } from "../domain/account.ts";
import type { Ticker } from "../domain/ids.ts";
import type { Direction } from "../domain/trade.ts";
import { invariant } from "../math/invariant.ts";
import { markOf, positionMaintenanceUsd, type MarginView } from "./account-margin.ts";
import { liquidationPriceOf } from "./liquidation.ts";
import { maintenanceMarginUsd } from "./margin.ts";
import { slippageOf, type SlippageMarket } from "./slippage.ts";
import type { StressScenario } from "./stress-scenario.ts";
import type { StressShocks } from "./stress-shocks.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";

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

/** An account's cross pool, or one isolated position, under one scenario. */
export interface StressedPool {
  readonly equityUsd: number;
  readonly maintenanceUsd: number;
  /** Lowest equity - maintenance of the end and the worst point on the way. */
  readonly survives: boolean;
}

/** Funding paid over the scenario as a fraction of notional at start; negative is received. */
export function stressFundingFraction(scenario: StressScenario, direction: Direction): number {
  const paid = scenario.fundingRateHourly * scenario.horizonHours;
  return scenario.isFundingAdverse ? Math.abs(paid) : direction * paid;
}

/** Cost of leaving under the scenario: the wider half spread, and the walk through what is left of the depth. */
export function stressLiquidityFraction(
  market: SlippageMarket,
  scenario: StressScenario,
  direction: Direction,
  notionalUsd: number,
): number {
  const exit: Direction = direction > 0 ? -1 : 1;
  const walk = slippageOf(market, exit, notionalUsd / scenario.depthMultiplier);
  return walk.costFraction + (scenario.spreadMultiplier - 1) * walk.halfSpreadFraction;
}

/**
 * Equity and maintenance of a margin pool with every asset shocked at once, tiers read at the shocked prices. An asset
 * that is not known here keeps its price.
 */
export function stressPool(
  account: WalletState,
  isolatedTicker: Ticker | null,
  scenarioIndex: number,
  viewOf: StressViewOf,
): StressedPool {
  const scenario = scenarioAt(scenarioIndex);
  const startUsd = isolatedTicker === null ? account.crossCashUsd : 0;
  let endEquityUsd = startUsd;
  let endMaintenanceUsd = 0;
  let worstEquityUsd = startUsd;
  let worstMaintenanceUsd = 0;
  for (const position of account.positions) {
    const isMember =
      isolatedTicker === null ? position.marginMode === "cross" : position.ticker === isolatedTicker;
    if (!isMember) continue;
    const view = viewOf(position.ticker);
    const mark = markOf(position, view);
    const direction: Direction = position.sizeBase > 0 ? 1 : -1;
    const fundingUsd = stressFundingFraction(scenario, direction) * Math.abs(position.sizeBase) * mark;
    const cashUsd = (position.isolatedCashUsd ?? 0) - fundingUsd;
    const endPrice = mark * (1 + (view?.stressShocks.moves[scenarioIndex] ?? 0));
    const worstPrice = mark * (1 + worstMoveOf(view, scenarioIndex, direction));
    endEquityUsd += cashUsd + position.sizeBase * endPrice;
    endMaintenanceUsd += positionMaintenanceUsd(position, endPrice, view);
    worstEquityUsd += cashUsd + position.sizeBase * worstPrice;
    worstMaintenanceUsd += positionMaintenanceUsd(position, worstPrice, view);
  }
  return {
    equityUsd: endEquityUsd,
    maintenanceUsd: endMaintenanceUsd,
    survives: endEquityUsd > endMaintenanceUsd && worstEquityUsd > worstMaintenanceUsd,
  };
}

/**
 * A position of this direction and size under every scenario; survival and distance are those of the account's
 * position in the asset, whose margin pool is shocked as a whole.
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
  return STRESS_SCENARIOS.map((scenario, index) => {
    const moveFraction = viewOf(ticker)?.stressShocks.moves[index] ?? 0;
    const fundingCostFraction = notionalUsd > 0 ? stressFundingFraction(scenario, direction) : 0;
    const liquidityCostFraction =
      notionalUsd > 0 ? stressLiquidityFraction(market, scenario, direction, notionalUsd) : 0;
    const heldMove = notionalUsd > 0 ? direction * moveFraction : 0;
    const pnlFraction = heldMove - fundingCostFraction - liquidityCostFraction;
    const liquidationDistanceFraction = stressedDistance(account, ticker, index, viewOf);
    return {
      scenario,
      moveFraction,
      pnlFraction,
      pnlUsd: notionalUsd * pnlFraction,
      fundingCostFraction,
      liquidityCostFraction,
      liquidationDistanceFraction: liquidationDistanceFraction ?? 0,
      survives: liquidationDistanceFraction !== null,
    };
  });
}

/** Distance from the shocked price to liquidation; 1 when no price liquidates, null when the scenario already has. */
function stressedDistance(
  account: WalletState,
  ticker: Ticker,
  scenarioIndex: number,
  viewOf: StressViewOf,
): number | null {
  const position = account.positions.find((candidate) => candidate.ticker === ticker);
  const view = viewOf(ticker);
  if (position === undefined || view === undefined) return 1;
  const isolatedTicker = position.marginMode === "isolated" ? ticker : null;
  const pool = stressPool(account, isolatedTicker, scenarioIndex, viewOf);
  if (!pool.survives) return null;
  const price = view.context.markPrice * (1 + view.stressShocks.moves[scenarioIndex]!);
  const valueUsd = position.sizeBase * price;
  const ownMaintenanceUsd = maintenanceMarginUsd(view.marginSchedule, Math.abs(valueUsd));
  const liquidationPrice = liquidationPriceOf(
    view.marginSchedule,
    position.sizeBase,
    pool.equityUsd - valueUsd,
    pool.maintenanceUsd - ownMaintenanceUsd,
    1,
  );
  return liquidationPrice === null ? 1 : Math.abs(liquidationPrice / price - 1);
}

/** Deepest adverse move on the way, the end included. */
export function worstMoveOf(
  view: StressView | undefined,
  scenarioIndex: number,
  direction: Direction,
): number {
  if (view === undefined) return 0;
  const { lows, highs } = view.stressShocks;
  return (direction > 0 ? lows : highs)[scenarioIndex]!;
}

function scenarioAt(index: number): StressScenario {
  const scenario = STRESS_SCENARIOS[index];
  invariant(scenario !== undefined, "the scenario index is inside the table");
  return scenario;
}
