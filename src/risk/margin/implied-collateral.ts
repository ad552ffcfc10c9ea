import { changedAccount, type WalletState } from "../../domain/account.ts";
import { accountMarginOf, markOf, positionMaintenanceUsd, type MarginViewOf } from "./account-margin.ts";
import { medianOf } from "../../math/median.ts";

/**
 * Collateral that the exchange counts and the perp state does not show: what must be added to the cross cash so that
 * equity meets maintenance exactly at the exchange's own liquidation prices. Median over the cross positions that
 * have one; null when none has. Near 0 for an account without collateral elsewhere.
 */
export function impliedCollateralUsd(account: WalletState, viewOf: MarginViewOf): number | null {
  const margin = accountMarginOf(account, viewOf);
  const implied: number[] = [];
  for (const position of account.positions) {
    const price = position.reportedLiquidationPrice;
    if (position.marginMode !== "cross" || price === null) continue;
    const view = viewOf(position.ticker);
    const mark = markOf(position, view);
    const otherMaintenanceUsd = margin.crossMaintenanceUsd - positionMaintenanceUsd(position, mark, view);
    const equityAtPriceUsd = margin.crossEquityUsd + position.sizeBase * (price - mark);
    implied.push(positionMaintenanceUsd(position, price, view) + otherMaintenanceUsd - equityAtPriceUsd);
  }
  return implied.length === 0 ? null : medianOf(implied);
}

/**
 * The account with the collateral that its own liquidation prices give away, where the exchange's answer leaves part of
 * it in the dark. Unchanged, and still not known, without a price to tell from.
 */
export function withImpliedCollateral(account: WalletState, viewOf: MarginViewOf): WalletState {
  if (account.isCollateralKnown) return account;
  const impliedUsd = impliedCollateralUsd(account, viewOf);
  if (impliedUsd === null) return account;
  return changedAccount(account, account.crossCashUsd + impliedUsd, account.positions, true);
}
