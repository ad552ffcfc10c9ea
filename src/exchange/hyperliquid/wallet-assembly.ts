import { type AccountMode, poolsCollateral, type Position, type WalletState } from "../../domain/account.ts";
import type { WalletAddress } from "../../domain/ids.ts";
import type { PerpAccount, SpotAccount, StatedMode } from "./parse-account.ts";

/** What was read of a wallet; null where it could not be read. */
export interface WalletReadings {
  readonly wallet: WalletAddress;
  readonly perp: PerpAccount;
  readonly spot: SpotAccount | null;
  readonly mode: StatedMode;
  readonly takerFeeFraction: number | null;
  readonly arrivedAtMs: number;
}

/** The exchange liquidates a portfolio-margin account when its maintenance exceeds this share of its value. Source: below. */
const PORTFOLIO_MARGIN_RATIO_MAX = 0.95;

/**
 * The wallet's state, with the collateral that the account's mode puts outside the perpetual account.
 *
 *   unified:  equity = available after maintenance + maintenance margin of the cross positions, which also deducts what the
 *   account's positions on other exchanges of the venue need
 *   portfolio margin:  the same less maintenance x (1 / 0.95 - 1), so that it meets maintenance where it is liquidated
 *   cash = equity - signed notional of the cross positions
 *
 * What is read now goes before a mode that can be an hour old: an account of which the exchange says what is available after
 * maintenance pools its collateral by now, and of one that does not pool it any more it is not known until its mode is.
 *
 * Source: Hyperliquid docs, Account abstraction modes, Unified account ratio; Portfolio margin, Liquidations.
 */
export function assembleWallet(readings: WalletReadings): WalletState {
  const { perp, spot } = readings;
  const mode = heldAs(readings.mode, spot);
  // Where there is no spot collateral, the mode does not matter.
  const isApart = mode === "standard" || (poolsCollateral(mode) && spot?.isEmpty === true);
  const pooledEquityUsd = isApart ? null : pooledCrossEquityUsd(mode, perp, spot);
  const isCollateralRead = isApart || pooledEquityUsd !== null;
  return {
    wallet: readings.wallet,
    mode,
    crossCashUsd:
      pooledEquityUsd === null ? perp.crossCashUsd : pooledEquityUsd - perp.crossSignedNotionalUsd,
    isCollateralKnown: isCollateralRead && perp.isConsistent,
    positions: perp.isConsistent ? perp.positions : perp.positions.map(withoutLiquidationPrice),
    takerFeeFraction: readings.takerFeeFraction,
    exchangeTimeMs: perp.exchangeTimeMs,
    arrivedAtMs: readings.arrivedAtMs,
  };
}

/** How the collateral is held, as far as what was read of the account lets a stated mode stand. */
function heldAs(mode: StatedMode, spot: SpotAccount | null): AccountMode {
  if (mode !== "standard" && mode !== "unset") return mode;
  if (spot === null) return mode === "unset" ? "unknown" : mode;
  return spot.availableAfterMaintenanceUsd === null ? "standard" : "unified";
}

/** Whether the account no longer holds its collateral as the mode says. */
export function contradictsMode(spot: SpotAccount, mode: StatedMode): boolean {
  if (spot.availableAfterMaintenanceUsd !== null) return mode === "standard";
  return mode !== "unset" && poolsCollateral(mode) && !spot.isEmpty;
}

/** No position, no cash and, as far as its tokens could be read, none of these. */
export function mayHoldNothing({ perp, spot }: Pick<WalletReadings, "perp" | "spot">): boolean {
  return spot?.isEmpty !== false && perp.positions.length === 0 && perp.crossCashUsd === 0;
}

/** From an account that contradicts itself no collateral is inferred. */
function withoutLiquidationPrice(position: Position): Position {
  return { ...position, reportedLiquidationPrice: null };
}

function pooledCrossEquityUsd(mode: AccountMode, perp: PerpAccount, spot: SpotAccount | null): number | null {
  const availableUsd = spot?.availableAfterMaintenanceUsd ?? null;
  if (!poolsCollateral(mode) || availableUsd === null) return null;
  const maintenanceUsd = perp.crossMaintenanceMarginUsd;
  const reserveUsd = mode === "unified" ? 0 : maintenanceUsd * (1 / PORTFOLIO_MARGIN_RATIO_MAX - 1);
  return availableUsd + maintenanceUsd - reserveUsd;
}
