import { SIZING_LIMITS } from "./calibration.ts";
import { initialMarginUsd, maintenanceMarginUsd } from "./margin.ts";
import type { SlackOfSize } from "./size-search.ts";
import { fillPriceOf } from "./slippage.ts";
import { nearestSafePrice } from "./touch-probability.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";

/** Expected shortfall of the account by the size of a trade and the position that it leaves; null when not known. */
export type ShortfallBySize = (tradeUsd: number, sizeBase: number, positionUsd: number) => number | null;

/**
 * What opening the first position in an asset at a size leaves the account to the nearest of its risk limits: carryOut in
 * closed form. The account's value moves by slippage and fee; of the positions before only their sums count. The limits
 * are the free margin, the shortfall over the account's value, and a liquidation price no nearer than a safe one: at
 * that price the pool's equity must still meet its maintenance.
 *
 * Units:   USD
 * Holds:   not negative where isAccountRiskAccepted accepts the trade carried out; only for a trade in an asset not held
 *          before
 */
export function openingHeadroom(
  setting: TradeSetting,
  carried: CarriedTrade,
  shortfallBySize: ShortfallBySize,
): SlackOfSize {
  const { asset, market, takerFeeFraction } = setting;
  const { direction, leverage, marginMode } = carried.trade;
  const before = carried.applied.marginBefore;
  const { tails, marginSchedule } = asset;
  const { markPrice } = asset.context;
  const isCross = marginMode === "cross";
  const lackedUsd = Math.max(0, -before.freeMarginUsd);
  if (tails === null) return () => -Infinity;
  const safePrice = nearestSafePrice(tails, direction, markPrice, asset.funding.drag24hFraction);
  const shortfallShareMax = SIZING_LIMITS.shortfallOfEquityMax.value;
  return (notionalUsd) => {
    const sizeBase = (direction * notionalUsd) / markPrice;
    const slippedUsd = sizeBase * (fillPriceOf(market, direction, notionalUsd) - markPrice);
    const feeUsd = notionalUsd * takerFeeFraction;
    const postedUsd = initialMarginUsd(notionalUsd, leverage);
    const freeUsd = before.freeMarginUsd - postedUsd - feeUsd - (isCross ? slippedUsd : 0);
    const shortfallUsd = shortfallBySize(notionalUsd, sizeBase, notionalUsd);
    if (shortfallUsd === null) return -Infinity;
    const accountValueUsd = before.accountValueUsd - slippedUsd - feeUsd;
    const equityUsd = isCross ? before.crossEquityUsd - slippedUsd - feeUsd : postedUsd - slippedUsd;
    const otherMaintenanceUsd = isCross ? before.crossMaintenanceUsd : 0;
    const safeUsd = Math.abs(sizeBase) * safePrice;
    const safeEquityUsd = equityUsd + direction * (safeUsd - notionalUsd);
    return Math.min(
      freeUsd + lackedUsd,
      shortfallShareMax * accountValueUsd - shortfallUsd,
      safeEquityUsd - otherMaintenanceUsd - maintenanceMarginUsd(marginSchedule, safeUsd),
    );
  };
}
