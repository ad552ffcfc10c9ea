import { SIZING_LIMITS } from "./calibration.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";

/** What the trade could take off the held position before it opens anything, USD at mark. */
export function reducibleUsdOf({ trade, liquidation }: CarriedTrade): number {
  const held = trade.position?.sizeBase ?? 0;
  return held * trade.direction < 0 ? Math.abs(held) * liquidation.markPrice : 0;
}

/** The largest order that the account's own margin pays for at the trade's leverage, costs aside; USD at mark. */
export function affordedUsdOf({ margin }: TradeSetting, carried: CarriedTrade): number {
  const openableUsd = Math.max(0, margin.freeMarginUsd) * carried.trade.leverage;
  return Math.min(SIZING_LIMITS.notionalMaxUsd.value, reducibleUsdOf(carried) + openableUsd);
}
