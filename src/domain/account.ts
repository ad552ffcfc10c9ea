import type { Ticker, WalletAddress } from "./ids.ts";

export type MarginMode = "cross" | "isolated";

/**
 * How the account's collateral is held; unified and portfolio-margin balances live in the spot state. The address of an
 * agent (API) wallet holds none: it signs for accounts that have addresses of their own.
 */
export type AccountMode = "standard" | "unified" | "portfolio_margin" | "agent" | "unknown";

/** Whether an account of this mode holds the collateral of its positions in spot. */
export function poolsCollateral(mode: AccountMode): boolean {
  return mode === "unified" || mode === "portfolio_margin";
}

/** One open position as the exchange reports it. */
export interface Position {
  readonly ticker: Ticker;
  /** Coins; positive long, negative short. Never 0. */
  readonly sizeBase: number;
  readonly entryPrice: number;
  readonly marginMode: MarginMode;
  readonly leverage: number;
  /** Signed cash leg of an isolated position; its equity is isolatedCashUsd + sizeBase x mark. Null when cross. */
  readonly isolatedCashUsd: number | null;
  /** As reported; ours is computed from live marks. Null when there is none. */
  readonly reportedLiquidationPrice: number | null;
}

/** A wallet's margin account, in a form from which equity follows at any marks. */
export interface WalletState {
  readonly wallet: WalletAddress;
  readonly mode: AccountMode;
  /**
   * Signed cash leg of the cross account: cross equity = crossCashUsd + sum over cross positions of sizeBase x mark.
   * Unified accounts: the spot collateral that backs the perp account is included where it could be read.
   */
  readonly crossCashUsd: number;
  /**
   * False when a unified or portfolio-margin account's spot collateral could not be read, when the account contradicts
   * itself, or holds nothing and may be an agent's.
   */
  readonly isCollateralKnown: boolean;
  readonly positions: readonly Position[];
  /** Effective taker fee as a fraction of notional; null when it is not known yet. */
  readonly takerFeeFraction: number | null;
  /** Exchange time of the state. */
  readonly exchangeTimeMs: number;
  readonly arrivedAtMs: number;
}

/** The account's position in an asset; an account has one of an asset at most. */
export function positionOf(account: WalletState, ticker: Ticker): Position | null {
  return account.positions.find((position) => position.ticker === ticker) ?? null;
}

/** The account with other cash and positions. Field by field: a spread costs more than the rest of a trade. */
export function changedAccount(
  account: WalletState,
  crossCashUsd: number,
  positions: readonly Position[],
  isCollateralKnown: boolean = account.isCollateralKnown,
): WalletState {
  return {
    wallet: account.wallet,
    mode: account.mode,
    crossCashUsd,
    isCollateralKnown,
    positions,
    takerFeeFraction: account.takerFeeFraction,
    exchangeTimeMs: account.exchangeTimeMs,
    arrivedAtMs: account.arrivedAtMs,
  };
}
