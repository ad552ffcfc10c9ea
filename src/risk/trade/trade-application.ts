import { changedAccount, type MarginMode, type Position, type WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import {
  type AccountMargin,
  accountMarginWith,
  isolatedCashOf,
  type MarginViewOf,
} from "../margin/account-margin.ts";
import { initialMarginUsd } from "../margin/margin.ts";
import { FLAT_TOLERANCE, type ResolvedTrade } from "./resolved-trade.ts";

/** The prices that a trade is carried out at, and its fee. Coins = notionalUsd / markPrice, as the exchange values a size. */
export interface TradeFill {
  readonly ticker: Ticker;
  readonly markPrice: number;
  /** The average price that the order is expected to pay. */
  readonly fillPrice: number;
  readonly takerFeeFraction: number;
}

/** What a trade does to an account. */
export interface AppliedTrade {
  readonly account: WalletState;
  readonly margin: AccountMargin;
  /** Null when the trade leaves the asset flat. */
  readonly position: Position | null;
  /** Signed coins traded; 0 for a close with nothing to close. */
  readonly tradedBase: number;
  /** Coins, unsigned: what the trade adds to, and what it takes off, the position. Both when it flips through zero; rounding opens nothing. */
  readonly openedBase: number;
  readonly closedBase: number;
  /** What the wallet lacked for the opened part; assessed as if it had been posted. 0 when the margin is sufficient. */
  readonly assumedDepositUsd: number;
}

/** Signed coins after a trade. */
export function sizeAfter(heldBase: number, tradedBase: number): number {
  const sum = heldBase + tradedBase;
  return Math.abs(sum) <= FLAT_TOLERANCE * Math.abs(heldBase) ? 0 : sum;
}

/**
 * The account after a trade: nets against the position, realises the closed part, posts notional / leverage to an
 * isolated position from the cross cash, returns a closed isolated part's share of margin, and pays the fee.
 * Holds: account value changes by size x (mark - fill) - fee + assumedDepositUsd and nothing else.
 */
export function applyTrade(
  account: WalletState,
  marginBefore: AccountMargin,
  trade: ResolvedTrade,
  fill: TradeFill,
  viewOf: MarginViewOf,
): AppliedTrade {
  const { position: before, leverage, marginMode } = trade;
  const held = before?.sizeBase ?? 0;
  const asked = trade.notionalUsd / fill.markPrice;
  const tradedBase = trade.direction * (trade.isClose ? Math.min(asked, Math.abs(held)) : asked);
  if (tradedBase === 0) return untouchedAccount(account, marginBefore, before);

  const closedBase = held * tradedBase < 0 ? Math.min(Math.abs(held), Math.abs(tradedBase)) : 0;
  const after = sizeAfter(held, tradedBase);
  const openedBase = after === 0 ? 0 : Math.abs(tradedBase) - closedBase;
  const feeUsd = Math.abs(tradedBase) * fill.markPrice * fill.takerFeeFraction;
  const postedUsd = initialMarginUsd(openedBase * fill.markPrice, leverage);
  const cash = cashAfter(account, before, fill, tradedBase, closedBase, marginMode, postedUsd, feeUsd);
  const position: Position | null =
    after === 0
      ? null
      : {
          ticker: fill.ticker,
          sizeBase: after,
          entryPrice: entryAfter(before, fill.fillPrice, openedBase, closedBase),
          marginMode,
          leverage: openedBase > 0 ? leverage : (before?.leverage ?? leverage),
          isolatedCashUsd: cash.isolatedCashUsd,
          reportedLiquidationPrice: null,
        };
  const positions = replaced(account.positions, before, position);
  const view = viewOf(fill.ticker);
  const paidUsd = cash.crossCashUsd - account.crossCashUsd;
  const unfundedMargin = accountMarginWith(marginBefore, paidUsd, before, position, view);
  const deficitUsd = Math.max(0, -unfundedMargin.freeMarginUsd) - Math.max(0, -marginBefore.freeMarginUsd);
  // Only what this trade itself needs: a held position that a lower leverage makes dearer stays the account's matter.
  const slippedUsd = Math.max(0, tradedBase * (fill.fillPrice - fill.markPrice));
  const needUsd = postedUsd + feeUsd + slippedUsd;
  const assumedDepositUsd = openedBase > 0 ? Math.min(Math.max(0, deficitUsd), needUsd) : 0;
  return {
    account: changedAccount(account, cash.crossCashUsd + assumedDepositUsd, positions),
    margin:
      assumedDepositUsd === 0
        ? unfundedMargin
        : accountMarginWith(unfundedMargin, assumedDepositUsd, null, null, view),
    position,
    tradedBase,
    openedBase,
    closedBase,
    assumedDepositUsd,
  };
}

/** The account when nothing is traded. */
export function untouchedAccount(
  account: WalletState,
  margin: AccountMargin,
  position: Position | null,
): AppliedTrade {
  return { account, margin, position, tradedBase: 0, openedBase: 0, closedBase: 0, assumedDepositUsd: 0 };
}

function cashAfter(
  account: WalletState,
  before: Position | null,
  fill: TradeFill,
  tradedBase: number,
  closedBase: number,
  marginMode: MarginMode,
  postedUsd: number,
  feeUsd: number,
): { crossCashUsd: number; isolatedCashUsd: number | null } {
  const paidUsd = tradedBase * fill.fillPrice;
  if (marginMode === "cross") {
    return { crossCashUsd: account.crossCashUsd - paidUsd - feeUsd, isolatedCashUsd: null };
  }
  const held = before?.sizeBase ?? 0;
  const heldCashUsd = isolatedCashOf(before);
  const closedShare = held === 0 ? 0 : closedBase / Math.abs(held);
  const closedCashUsd = heldCashUsd * closedShare;
  const releasedUsd = closedCashUsd + Math.sign(held) * closedBase * fill.fillPrice;
  const openedPaidUsd = paidUsd + Math.sign(held) * closedBase * fill.fillPrice;
  return {
    crossCashUsd: account.crossCashUsd + releasedUsd - postedUsd - feeUsd,
    isolatedCashUsd: heldCashUsd - closedCashUsd - openedPaidUsd + postedUsd,
  };
}

/** Size-weighted when adding, unchanged when reducing, the fill price when new or flipped. */
function entryAfter(
  before: Position | null,
  fillPrice: number,
  openedBase: number,
  closedBase: number,
): number {
  if (before === null) return fillPrice;
  const held = Math.abs(before.sizeBase);
  if (closedBase > 0) return openedBase > 0 ? fillPrice : before.entryPrice;
  return (before.entryPrice * held + fillPrice * openedBase) / (held + openedBase);
}

function replaced(
  positions: readonly Position[],
  before: Position | null,
  after: Position | null,
): Position[] {
  if (before === null) return after === null ? [...positions] : [...positions, after];
  if (after === null) return positions.filter((position) => position !== before);
  return positions.map((position) => (position === before ? after : position));
}
