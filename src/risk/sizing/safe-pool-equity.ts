import { paidFundingFraction } from "../funding.ts";
import { directionOf } from "../../domain/trade.ts";
import { maintenanceMarginUsd } from "../margin/margin.ts";
import { nearestSafePrice } from "../trade/touch-probability.ts";
import type { TradeSetting } from "../trade/trade-setting.ts";

/**
 * The equity that the cross pool needs for every position in it to reach its nearest safe liquidation price unharmed, the
 * day's funding paid, the others at their marks. An isolated order must leave it, since its margin is taken from there.
 *
 * Units:   USD; -Infinity without cross positions that have a model
 */
export function safePoolEquityUsd({ account, margin, viewOf }: TradeSetting): number {
  let neededUsd = -Infinity;
  for (const { ticker, sizeBase, marginMode } of account.positions) {
    const view = viewOf(ticker);
    if (marginMode !== "cross" || view === undefined || view.tails === null) continue;
    const { context, marginSchedule, tails, funding } = view;
    const direction = directionOf(sizeBase);
    const markUsd = Math.abs(sizeBase) * context.markPrice;
    const safeUsd = Math.abs(sizeBase) * nearestSafePrice(tails, direction, context.markPrice);
    const otherMaintenanceUsd = margin.crossMaintenanceUsd - maintenanceMarginUsd(marginSchedule, markUsd);
    const lossUsd = direction * (markUsd - safeUsd) + paidFundingFraction(funding, direction) * markUsd;
    const maintenanceUsd = otherMaintenanceUsd + maintenanceMarginUsd(marginSchedule, safeUsd);
    neededUsd = Math.max(neededUsd, lossUsd + maintenanceUsd);
  }
  return neededUsd;
}
