import type { AccountMode, Position, WalletState } from "../../domain/account.ts";
import type { WalletAddress } from "../../domain/ids.ts";
import type { PerpAccount, SpotAccount } from "./parse-account.ts";

/** What was read of a wallet; null where it could not be read. */
export interface WalletReadings {
  readonly wallet: WalletAddress;
  readonly perp: PerpAccount;
  readonly spot: SpotAccount | null;
  readonly mode: AccountMode;
  readonly takerFeeFraction: number | null;
  readonly arrivedAtMs: number;
}

/**
 * The wallet's state, with the collateral that the account's mode puts outside the perpetual account.
 *
 *   unified:  equity = spot USDC - isolated margin, which already contains the perpetual account's equity
 *   where the exchange reports it: equity = available after maintenance + maintenance margin of the cross positions,
 *   which also deducts what the account's positions on other exchanges of the venue need
 *   cash = equity - signed notional of the cross positions
 *
 * Source: Hyperliquid docs, Trading, Account abstraction modes, Unified account ratio.
 */
export function assembleWallet(readings: WalletReadings): WalletState {
  const { perp } = readings;
  const pooledEquityUsd = pooledCrossEquityUsd(readings);
  const isCollateralRead = readings.mode === "standard" || pooledEquityUsd !== null;
  return {
    wallet: readings.wallet,
    mode: readings.mode,
    crossCashUsd:
      pooledEquityUsd === null ? perp.crossCashUsd : pooledEquityUsd - perp.crossSignedNotionalUsd,
    isCollateralKnown: isCollateralRead && perp.isConsistent,
    positions: perp.isConsistent ? perp.positions : perp.positions.map(withoutLiquidationPrice),
    takerFeeFraction: readings.takerFeeFraction,
    exchangeTimeMs: perp.exchangeTimeMs,
    arrivedAtMs: readings.arrivedAtMs,
  };
}

/** No position, no cash and, as far as its tokens could be read, none of these. */
export function mayHoldNothing({ perp, spot }: Pick<WalletReadings, "perp" | "spot">): boolean {
  return spot?.isEmpty !== false && perp.positions.length === 0 && perp.crossCashUsd === 0;
}

/** From an account that contradicts itself no collateral is inferred. */
function withoutLiquidationPrice(position: Position): Position {
  return { ...position, reportedLiquidationPrice: null };
}

function pooledCrossEquityUsd({ mode, perp, spot }: WalletReadings): number | null {
  if (spot === null || (mode !== "unified" && mode !== "portfolio_margin")) return null;
  if (spot.availableAfterMaintenanceUsd !== null) {
    return spot.availableAfterMaintenanceUsd + perp.crossMaintenanceMarginUsd;
  }
  // Portfolio margin lends against other tokens: its USDC balance alone says nothing about its collateral.
  return mode === "unified" ? spot.usdcTotalUsd - perp.isolatedMarginUsd : null;
}
