import { SIZING_LIMITS } from "./calibration.ts";
import { liquidationPriceOf } from "./liquidation.ts";
import { initialMarginUsd, maintenanceMarginUsd } from "./margin.ts";
import { fillPriceOf } from "./slippage.ts";
import { nearestSafePrice } from "./touch-probability.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";

/** Expected shortfall of the account by the size of a trade and the position that it leaves; null when not known. */
export type ShortfallBySize = (tradeUsd: number, sizeBase: number, positionUsd: number) => number | null;

/**
 * Whether the account keeps its risk limits when it opens its first position in the asset at a size: carryOut in
 * closed form. The account's value moves by slippage and fee; of the positions before only their sums count. A size that
 * the account cannot pay for is refused.
 *
 * Holds:   the answer of isAccountRiskAccepted on the trade carried out; only for a trade in an asset not held before
 */
export function openingHeadroom(
  setting: TradeSetting,
  carried: CarriedTrade,
  shortfallBySize: ShortfallBySize,
): (notionalUsd: number) => boolean {
  const { asset, market, takerFeeFraction } = setting;
  const { direction, leverage, marginMode } = carried.trade;
  const before = carried.applied.marginBefore;
  const { tails, marginSchedule } = asset;
  const { markPrice } = asset.context;
  const isCross = marginMode === "cross";
  const lackedUsd = Math.max(0, -before.freeMarginUsd);
  if (tails === null) return () => false;
  const safePrice = nearestSafePrice(tails, direction, markPrice, asset.funding.drag24hFraction);
  return (notionalUsd) => {
    const sizeBase = (direction * notionalUsd) / markPrice;
    const slippedUsd = sizeBase * (fillPriceOf(market, direction, notionalUsd) - markPrice);
    const feeUsd = notionalUsd * takerFeeFraction;
    const postedUsd = initialMarginUsd(notionalUsd, leverage);
    const freeUsd = before.freeMarginUsd - postedUsd - feeUsd - (isCross ? slippedUsd : 0);
    if (-freeUsd > lackedUsd) return false;
    const accountValueUsd = before.accountValueUsd - slippedUsd - feeUsd;
    const shortfallUsd = shortfallBySize(notionalUsd, sizeBase, notionalUsd);
    if (shortfallUsd === null) return false;
    if (shortfallUsd > SIZING_LIMITS.shortfallOfEquityMax.value * accountValueUsd) return false;

    const equityUsd = isCross ? before.crossEquityUsd - slippedUsd - feeUsd : postedUsd - slippedUsd;
    const otherMaintenanceUsd = isCross ? before.crossMaintenanceUsd : 0;
    if (equityUsd <= otherMaintenanceUsd + maintenanceMarginUsd(marginSchedule, notionalUsd)) return false;
    const cashUsd = equityUsd - direction * notionalUsd;
    const price = liquidationPriceOf(marginSchedule, sizeBase, cashUsd, otherMaintenanceUsd, 1);
    return price === null || direction * (safePrice - price) >= 0;
  };
}
