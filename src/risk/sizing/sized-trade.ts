import type { Direction } from "../../domain/trade.ts";
import { isolatedCashOf } from "../margin/account-margin.ts";
import { initialMarginUsd, maintenanceMarginUsd } from "../margin/margin.ts";
import type { ResolvedTrade } from "../trade/resolved-trade.ts";
import { fillPriceOf, type SlippageMarket } from "../liquidity/slippage.ts";
import { sizeAfter } from "../trade/trade-application.ts";
import type { TradeSetting } from "../trade/trade-setting.ts";

/** What does not change with the size of a trade: the order, the position in the asset, and sums over all others. */
export interface SizeBasis {
  readonly market: SlippageMarket;
  readonly markPrice: number;
  readonly direction: Direction;
  readonly leverage: number;
  readonly takerFeeFraction: number;
  readonly isCross: boolean;
  /** Of the position in the asset before the trade; 0 without one. */
  readonly heldBase: number;
  readonly heldCashUsd: number;
  readonly accountValueUsd: number;
  readonly freeMarginUsd: number;
  readonly crossEquityUsd: number;
  /** Of the other cross positions. */
  readonly otherInitialUsd: number;
  /** Of those that share the pool of the traded position; 0 for an isolated one. */
  readonly otherMaintenanceUsd: number;
}

/** What a trade of a size leaves, and what stands behind it. */
export interface SizedTrade {
  readonly fillPrice: number;
  /** At mark, what the trade adds to the position; 0 where it only reduces or closes. */
  readonly openedUsd: number;
  /** The position after: signed coins, and USD at mark. */
  readonly sizeBase: number;
  readonly notionalUsd: number;
  /** Before any deposit that the account would need for it. */
  readonly freeMarginUsd: number;
  readonly accountValueUsd: number;
  /** Of the pool that carries the position. */
  readonly poolEquityUsd: number;
}

export function sizeBasisOf(
  { asset, market, margin, takerFeeFraction }: TradeSetting,
  trade: ResolvedTrade,
): SizeBasis {
  const { position: held } = trade;
  const { markPrice } = asset.context;
  const isCross = trade.marginMode === "cross";
  const heldBase = held === null ? 0 : held.sizeBase;
  const heldUsd = Math.abs(heldBase) * markPrice;
  const isPooled = isCross && held !== null;
  const heldInitialUsd = isPooled ? initialMarginUsd(heldUsd, held.leverage) : 0;
  const heldMaintenanceUsd = isPooled ? maintenanceMarginUsd(asset.marginSchedule, heldUsd) : 0;
  return {
    market,
    markPrice,
    direction: trade.direction,
    leverage: trade.leverage,
    takerFeeFraction,
    isCross,
    heldBase,
    heldCashUsd: isolatedCashOf(held),
    accountValueUsd: margin.accountValueUsd,
    freeMarginUsd: margin.freeMarginUsd,
    crossEquityUsd: margin.crossEquityUsd,
    otherInitialUsd: margin.crossInitialUsd - heldInitialUsd,
    otherMaintenanceUsd: isCross ? margin.crossMaintenanceUsd - heldMaintenanceUsd : 0,
  };
}

/**
 * carryOut of an opening order at a size, in closed form: the account's value moves by slippage and fee, of its other
 * positions only their sums count, and only the position in the traded asset is another one.
 *
 * Units:   order size in USD at mark
 * Holds:   what applyTrade leaves of the account, up to rounding; leverage and margin are those of an order that opens
 */
export function sizedTrade(basis: SizeBasis, orderUsd: number): SizedTrade {
  const { market, markPrice, direction, leverage, heldBase } = basis;
  const fillPrice = fillPriceOf(market, direction, orderUsd);
  const tradedBase = (direction * orderUsd) / markPrice;
  const closedBase = heldBase * tradedBase < 0 ? Math.min(Math.abs(heldBase), Math.abs(tradedBase)) : 0;
  const sizeBase = sizeAfter(heldBase, tradedBase);
  const openedUsd = sizeBase === 0 ? 0 : (Math.abs(tradedBase) - closedBase) * markPrice;
  const notionalUsd = Math.abs(sizeBase) * markPrice;
  const slippedUsd = tradedBase * (fillPrice - markPrice);
  const feeUsd = orderUsd * basis.takerFeeFraction;
  const accountValueUsd = basis.accountValueUsd - slippedUsd - feeUsd;
  if (basis.isCross) {
    const poolEquityUsd = basis.crossEquityUsd - slippedUsd - feeUsd;
    const freeMarginUsd = poolEquityUsd - basis.otherInitialUsd - initialMarginUsd(notionalUsd, leverage);
    return { fillPrice, openedUsd, sizeBase, notionalUsd, freeMarginUsd, accountValueUsd, poolEquityUsd };
  }
  // The closed part takes its share of the position's cash along; the opened part is paid from its own margin.
  const closedCashUsd = heldBase === 0 ? 0 : basis.heldCashUsd * (closedBase / Math.abs(heldBase));
  const proceedsUsd = Math.sign(heldBase) * closedBase * fillPrice;
  const postedUsd = initialMarginUsd(openedUsd, leverage);
  const paidUsd = tradedBase * fillPrice + proceedsUsd;
  return {
    fillPrice,
    openedUsd,
    sizeBase,
    notionalUsd,
    freeMarginUsd: basis.freeMarginUsd + closedCashUsd + proceedsUsd - postedUsd - feeUsd,
    accountValueUsd,
    poolEquityUsd: basis.heldCashUsd - closedCashUsd + postedUsd - paidUsd + sizeBase * markPrice,
  };
}
