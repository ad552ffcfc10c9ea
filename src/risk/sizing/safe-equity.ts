import type { Ticker } from "../../domain/ids.ts";
import { paidFundingFraction, paidFundingUsd } from "../funding.ts";
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
 * Units:   quantity in coins, unsigned; USD; otherUsd is what the others have to maintain and are expected to pay
 */
export function safeEquityUsd(
  { direction, marginSchedule, safePrice, paidFraction }: SafeReach,
  quantity: number,
  notionalUsd: number,
  otherUsd: number,
): number {
  const safeUsd = quantity * safePrice;
  const lossUsd = direction * (notionalUsd - safeUsd) + paidFraction * notionalUsd;
  return lossUsd + otherUsd + maintenanceMarginUsd(marginSchedule, safeUsd);
}

/** What the account's cross positions, but for one asset's if named, are expected to pay in funding within a day. */
export function crossPaidUsd(
  { account, viewOf }: Pick<TradeSetting, "account" | "viewOf">,
  except: Ticker | null,
): number {
  let paidUsd = 0;
  for (const { ticker, sizeBase, marginMode } of account.positions) {
    const view = viewOf(ticker);
    if (marginMode !== "cross" || ticker === except || view === undefined) continue;
    paidUsd += paidFundingUsd(view.funding, sizeBase * view.context.markPrice);
  }
  return paidUsd;
}

/**
 * The equity that the cross pool needs for all of its positions. An isolated order must leave it, since its margin is taken
 * from there.
 *
 * Units:   USD; -Infinity without cross positions that have a model
 */
export function safePoolEquityUsd(setting: TradeSetting): number {
  const { account, margin, viewOf } = setting;
  const paidUsd = crossPaidUsd(setting, null);
  let neededUsd = -Infinity;
  for (const { ticker, sizeBase, marginMode } of account.positions) {
    const view = viewOf(ticker);
    const reach = view === undefined ? null : safeReachOf(view, directionOf(sizeBase));
    if (marginMode !== "cross" || view === undefined || reach === null) continue;
    const quantity = Math.abs(sizeBase);
    const notionalUsd = quantity * view.context.markPrice;
    const ownMaintenanceUsd = maintenanceMarginUsd(view.marginSchedule, notionalUsd);
    const otherMaintenanceUsd = margin.crossMaintenanceUsd - ownMaintenanceUsd;
    const otherUsd = otherMaintenanceUsd + paidUsd - reach.paidFraction * notionalUsd;
    neededUsd = Math.max(neededUsd, safeEquityUsd(reach, quantity, notionalUsd, otherUsd));
  }
  return neededUsd;
}
