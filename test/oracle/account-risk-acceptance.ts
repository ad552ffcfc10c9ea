import { SIZING_LIMITS } from "../../src/risk/calibration/calibration.ts";
import type { ShortfallBySize } from "../../src/risk/sizing/size-headroom.ts";
import { liquidationOf } from "../../src/risk/margin/liquidation.ts";
import { touchProbabilitiesOf } from "../../src/risk/trade/touch-probability.ts";
import type { CarriedTrade, TradeSetting } from "../../src/risk/trade/trade-setting.ts";

/**
 * P(liquidation in 24 h), and the shortfall of the account with the funding that the position is expected to pay in 24 h
 * over its value, within their limits; unknown is not. After an isolated trade also that of each cross position, as far as
 * it is known.
 */
export function isAccountRiskAccepted(
  candidate: CarriedTrade,
  shortfallBySize: ShortfallBySize,
  longFundingDrag24hFraction: number,
  viewOf: TradeSetting["viewOf"],
): boolean {
  const { touch, applied, trade, liquidation } = candidate;
  // A trade that only reduces is never held back, one that the account cannot pay for always.
  if (applied.openedBase === 0) return true;
  if (applied.assumedDepositUsd > 0) return false;
  const probabilityMax = SIZING_LIMITS.liquidationProbabilityMax.value;
  if (touch.liquidation === null || touch.liquidation > probabilityMax) return false;
  const { account, margin } = applied;
  const pool = trade.marginMode === "isolated" ? account.positions : [];
  for (const { ticker, marginMode } of pool) {
    if (marginMode !== "cross") continue;
    const left = touchProbabilitiesOf(viewOf(ticker), liquidationOf(account, ticker, viewOf, margin));
    if (left.liquidation !== null && viewOf(ticker)?.tails && left.liquidation > probabilityMax) return false;
  }
  const shortfallUsd = shortfallBySize(trade.notionalUsd, liquidation.sizeBase, liquidation.notionalUsd);
  const paidUsd = Math.max(0, longFundingDrag24hFraction * liquidation.sizeBase * liquidation.markPrice);
  return (
    shortfallUsd !== null &&
    shortfallUsd + paidUsd <= SIZING_LIMITS.shortfallOfEquityMax.value * applied.margin.accountValueUsd
  );
}
