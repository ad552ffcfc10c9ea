import { paidFundingFraction } from "../funding.ts";
import { type Direction, directionOf } from "../../domain/trade.ts";
import type { AssetView } from "../asset-view.ts";
import { maintenanceMarginUsd, type MarginSchedule } from "../margin/margin.ts";
import { nearestSafePrice } from "../trade/touch-probability.ts";
import type { TradeSetting } from "../trade/trade-setting.ts";

/** How far from the mark the liquidation price of an asset's position is to be. */
export interface SafeReach {
  readonly direction: Direction;
  readonly marginSchedule: MarginSchedule;
  /** The nearest liquidation price that is safe. */
  readonly safePrice: number;
  /** What the position is expected to pay in funding within a day, as a fraction of its notional. */
  readonly paidFraction: number;
}

/** Null for an asset without a model. */
export function safeReachOf(
  { context, marginSchedule, tails, funding }: AssetView,
  direction: Direction,
): SafeReach | null {
  if (tails === null) return null;
  return {
    direction,
    marginSchedule,
    safePrice: nearestSafePrice(tails, direction, context.markPrice),
    paidFraction: paidFundingFraction(funding, direction),
  };
}

/**
 * The equity with which a pool still meets its maintenance when a position in it is at its nearest safe liquidation price,
 * the day's funding paid, the others at their marks.
 *
 * Units:   quantity in coins, unsigned; USD
 */
export function safeEquityUsd(
  { direction, marginSchedule, safePrice, paidFraction }: SafeReach,
  quantity: number,
  notionalUsd: number,
  otherMaintenanceUsd: number,
): number {
  const safeUsd = quantity * safePrice;
  const lossUsd = direction * (notionalUsd - safeUsd) + paidFraction * notionalUsd;
  return lossUsd + otherMaintenanceUsd + maintenanceMarginUsd(marginSchedule, safeUsd);
}

/**
 * The equity that the cross pool needs for all of its positions. An isolated order must leave it, since its margin is taken
 * from there.
 *
 * Units:   USD; -Infinity without cross positions that have a model
 */
export function safePoolEquityUsd({ account, margin, viewOf }: TradeSetting): number {
  let neededUsd = -Infinity;
  for (const { ticker, sizeBase, marginMode } of account.positions) {
    const view = viewOf(ticker);
    const reach = view === undefined ? null : safeReachOf(view, directionOf(sizeBase));
    if (marginMode !== "cross" || view === undefined || reach === null) continue;
    const quantity = Math.abs(sizeBase);
    const notionalUsd = quantity * view.context.markPrice;
    const ownMaintenanceUsd = maintenanceMarginUsd(view.marginSchedule, notionalUsd);
    const otherMaintenanceUsd = margin.crossMaintenanceUsd - ownMaintenanceUsd;
    neededUsd = Math.max(neededUsd, safeEquityUsd(reach, quantity, notionalUsd, otherMaintenanceUsd));
  }
  return neededUsd;
}
