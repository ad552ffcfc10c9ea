import { SIZING_LIMITS } from "../calibration/calibration.ts";
import { isolatedEquityUsdAt } from "../margin/account-margin.ts";
import { initialMarginUsd } from "../margin/margin.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";

/** What the trade could take off the held position before it opens anything, USD at mark. */
export function reducibleUsdOf({ trade, liquidation }: CarriedTrade): number {
  const held = trade.position?.sizeBase ?? 0;
  return held * trade.direction < 0 ? Math.abs(held) * liquidation.markPrice : 0;
}

/**
 * What the account's margin opens at the trade's leverage beside what the trade only reduces, costs aside; USD at mark.
 * The held position gives back what it is margined with: of a cross one the order margins what is left anew at its own
 * leverage, of an isolated one it keeps what it does not take off. Source: the exchange's documentation, Margining.
 */
export function openableUsdOf({ margin }: TradeSetting, carried: CarriedTrade): number {
  const { position, leverage } = carried.trade;
  const { freeMarginUsd } = margin;
  if (position === null) return Math.max(0, freeMarginUsd) * leverage;
  const heldUsd = position.sizeBase * carried.liquidation.markPrice;
  const isReduced = reducibleUsdOf(carried) > 0;
  if (position.marginMode === "isolated") {
    const releasedUsd = isReduced ? isolatedEquityUsdAt(position, carried.liquidation.markPrice) : 0;
    return Math.max(0, freeMarginUsd + releasedUsd) * leverage;
  }
  const carriableUsd = (freeMarginUsd + initialMarginUsd(Math.abs(heldUsd), position.leverage)) * leverage;
  return Math.max(0, isReduced ? carriableUsd : carriableUsd - Math.abs(heldUsd));
}

/** The largest order that the account's own margin pays for at the trade's leverage, costs aside; USD at mark. */
export function affordedUsdOf(setting: TradeSetting, carried: CarriedTrade): number {
  const affordedUsd = reducibleUsdOf(carried) + openableUsdOf(setting, carried);
  return Math.min(SIZING_LIMITS.notionalMaxUsd.value, affordedUsd);
}
