import { type MarginMode, type Position, positionOf, type WalletState } from "../../domain/account.ts";
import type { WalletAddress } from "../../domain/ids.ts";
import type { Direction, ProposedTrade } from "../../domain/trade.ts";

/** What rounding leaves of a position that was traded away, as a share of it, is nothing. */
export const FLAT_TOLERANCE = 1e-9;

/** A proposed trade with everything that the wallet decides about it. */
export interface ResolvedTrade {
  readonly isClose: boolean;
  /** What the order does: +1 buys; a close without a position is read as selling a long. */
  readonly direction: Direction;
  /** The side whose risk is described: that of an opening, the held one of a close. */
  readonly exposureDirection: Direction;
  /** What is assessed: the request, cut to the position by a close. */
  readonly notionalUsd: number;
  /** The leverage asked for by an opening, else the position's, else 1. */
  readonly leverage: number;
  /** An open position keeps its mode: the exchange does not switch it. */
  readonly marginMode: MarginMode;
  /** notionalUsd / leverage. */
  readonly marginUsd: number;
  readonly position: Position | null;
  /** A close larger than the position by more than rounding: USD go to coins and back. */
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

/** A close runs against the position and is never larger. */
export function resolveTrade(trade: ProposedTrade, account: WalletState, markPrice: number): ResolvedTrade {
  const { action } = trade;
  const position = positionOf(account, trade.ticker);
  const isClose = action === "close";
  const isBuy = isClose ? position !== null && position.sizeBase < 0 : action === "long";
  const direction = isBuy ? 1 : -1;
  const heldUsd = position === null ? Infinity : Math.abs(position.sizeBase) * markPrice;
  const isOversized = isClose && trade.notionalUsd > heldUsd * (1 + FLAT_TOLERANCE);
  const notionalUsd = isClose ? Math.min(trade.notionalUsd, heldUsd) : trade.notionalUsd;
  // An exit posts no margin: what it is sent as leverage means nothing.
  const leverage = (isClose ? undefined : trade.leverage) ?? position?.leverage ?? 1;
  return {
    isClose,
    direction,
    exposureDirection: isClose ? (isBuy ? -1 : 1) : direction,
    notionalUsd,
    leverage,
    marginMode: position?.marginMode ?? trade.marginMode,
    marginUsd: notionalUsd / leverage,
    position,
    isOversized,
    isWithoutPosition: isClose && position === null,
  };
}
