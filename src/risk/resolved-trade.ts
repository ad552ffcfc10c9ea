import type { Position, WalletState } from "../domain/account.ts";
import type { MarginMode } from "../domain/account.ts";
import type { WalletAddress } from "../domain/ids.ts";
import type { Direction, ProposedTrade } from "../domain/trade.ts";
import type { AssetView } from "./asset-view.ts";
import { leverageInForceOf, positionOf, tradeDirectionOf } from "./trade-application.ts";

/** A proposed trade with everything that the wallet decides about it. */
export interface ResolvedTrade {
  readonly isClose: boolean;
  /** What the order does: +1 buys. */
  readonly direction: Direction;
  /** The side whose risk is described: that of an opening, the held one of a close. */
  readonly exposureDirection: Direction;
  /** What is assessed: the request, cut to the position by a close. */
  readonly notionalUsd: number;
  readonly leverage: number;
  /** An open position keeps its mode. */
  readonly marginMode: MarginMode;
  /** notionalUsd / leverage. */
  readonly marginUsd: number;
  readonly position: Position | null;
  readonly isOversized: boolean;
  readonly isWithoutPosition: boolean;
}

/** An account of which nothing is known: no collateral, no position. */
export function emptyAccount(wallet: WalletAddress): WalletState {
  return {
    wallet,
    mode: "unknown",
    crossCashUsd: 0,
    isCollateralKnown: true,
    positions: [],
    takerFeeFraction: null,
    exchangeTimeMs: 0,
    arrivedAtMs: 0,
  };
}

/** A close runs against the position and is never larger; without one it is read as selling a long. */
export function resolveTrade(trade: ProposedTrade, account: WalletState, asset: AssetView): ResolvedTrade {
  const position = positionOf(account, trade.ticker);
  const isClose = trade.action === "close";
  const direction = tradeDirectionOf(position, trade.action) ?? -1;
  const heldUsd = position === null ? Infinity : Math.abs(position.sizeBase) * asset.context.markPrice;
  const isOversized = isClose && trade.notionalUsd > heldUsd;
  const notionalUsd = isOversized ? heldUsd : trade.notionalUsd;
  // An exit posts no margin: what it is sent as leverage means nothing.
  const leverage = leverageInForceOf(position, isClose ? undefined : trade.leverage);
  return {
    isClose,
    direction,
    exposureDirection: isClose ? (direction === 1 ? -1 : 1) : direction,
    notionalUsd,
    leverage,
    marginMode: position?.marginMode ?? trade.marginMode,
    marginUsd: notionalUsd / leverage,
    position,
    isOversized,
    isWithoutPosition: isClose && position === null,
  };
}
