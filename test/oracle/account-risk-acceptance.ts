import { SIZING_LIMITS } from "../../src/risk/calibration/calibration.ts";
import type { ShortfallBySize } from "../../src/risk/sizing/size-headroom.ts";
import type { CarriedTrade } from "../../src/risk/trade/trade-setting.ts";

/**
 * P(liquidation in 24 h), and the shortfall of the account with the funding that the position is expected to pay in 24 h
 * over its value, within their limits; unknown is not.
 */
export function isAccountRiskAccepted(
  candidate: CarriedTrade,
  shortfallBySize: ShortfallBySize,
  longFundingDrag24hFraction: number,
): boolean {
  const { touch, applied, trade, liquidation } = candidate;
  // A trade that only reduces is never held back, one that the account cannot pay for always.
  if (applied.openedBase === 0) return true;
  if (applied.assumedDepositUsd > 0) return false;
  if (touch.liquidation === null || touch.liquidation > SIZING_LIMITS.liquidationProbabilityMax.value) {
    return false;
  }
  const shortfallUsd = shortfallBySize(trade.notionalUsd, liquidation.sizeBase, liquidation.notionalUsd);
  const paidUsd = Math.max(0, longFundingDrag24hFraction * liquidation.sizeBase * liquidation.markPrice);
  return (
    shortfallUsd !== null &&
    shortfallUsd + paidUsd <= SIZING_LIMITS.shortfallOfEquityMax.value * applied.margin.accountValueUsd
  );
}
