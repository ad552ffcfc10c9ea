import { SIZING_LIMITS } from "../calibration/calibration.ts";
import { maxLeverageAt } from "../margin/margin.ts";
import { crossPaidUsd, safeEquityUsd, safePoolEquityUsd, safeReachOf } from "./safe-equity.ts";
import type { SlackOfSize } from "./size-search.ts";
import { type SizeBasis, sizedTrade } from "./sized-trade.ts";
import type { TradeSetting } from "../trade/trade-setting.ts";

/** Expected shortfall by the size of a trade and the position that it leaves; null when not known. */
export type ShortfallBySize = (tradeUsd: number, sizeBase: number, positionUsd: number) => number | null;

export interface ShortfallsBySize {
  /** Of the account. */
  readonly account: ShortfallBySize;
  /** Of the cross positions alone, for a cross trade beside isolated positions; null where there is no difference. */
  readonly cross: ShortfallBySize | null;
}

/**
 * What a trade of a size leaves the account to the nearest of its risk limits, in closed form. The limits are the free
 * margin, the shortfall and the day's funding over the account's value (of a cross trade also that of the cross positions
 * over their equity), and a liquidation price no nearer than a safe one: at that price, the day's funding paid, the pool's
 * equity must still meet its maintenance. The funding is that of the position and of the other cross ones. An isolated
 * trade leaves as much to the cross pool. A trade that only reduces is never held back, one that the account cannot pay
 * for, or that leaves more than its leverage is allowed for, always.
 *
 * Units:   USD; infinite where there is nothing to measure
 * Holds:   not negative where the risk of the trade carried out is accepted
 */
export function sizeHeadroom(
  setting: TradeSetting,
  basis: SizeBasis,
  shortfalls: ShortfallsBySize,
): SlackOfSize {
  const reach = safeReachOf(setting.asset, basis.direction);
  const heldPaidUsd = crossPaidUsd(setting, setting.asset.listing.ticker);
  const otherUsd = basis.otherMaintenanceUsd + (basis.isCross ? heldPaidUsd : 0);
  const lackedUsd = Math.max(0, -basis.freeMarginUsd);
  const shortfallShareMax = SIZING_LIMITS.shortfallOfEquityMax.value;
  const poolNeededUsd = basis.isCross ? -Infinity : safePoolEquityUsd(setting);
  return (orderUsd) => {
    const sized = sizedTrade(basis, orderUsd);
    const { sizeBase, notionalUsd } = sized;
    if (sized.openedUsd === 0) return Infinity;
    if (basis.leverage > maxLeverageAt(setting.asset.marginSchedule, notionalUsd)) return -Infinity;
    const shortfallUsd = shortfalls.account(orderUsd, sizeBase, notionalUsd);
    if (reach === null || shortfallUsd === null) return -Infinity;
    const paidUsd = reach.paidFraction * notionalUsd + heldPaidUsd;
    const crossShortfallUsd = shortfalls.cross?.(orderUsd, sizeBase, notionalUsd) ?? null;
    const poolLeftUsd = basis.crossEquityUsd + sized.freeMarginUsd - basis.freeMarginUsd;
    const affordedUsd = Math.min(
      sized.freeMarginUsd + lackedUsd,
      shortfallShareMax * sized.accountValueUsd - shortfallUsd - paidUsd,
      crossShortfallUsd === null
        ? Infinity
        : shortfallShareMax * sized.poolEquityUsd - crossShortfallUsd - paidUsd,
      poolLeftUsd - poolNeededUsd,
    );
    const neededUsd = safeEquityUsd(reach, Math.abs(sizeBase), notionalUsd, otherUsd);
    return Math.min(affordedUsd, sized.poolEquityUsd - neededUsd);
  };
}
