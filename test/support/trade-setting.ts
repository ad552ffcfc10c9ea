import type { WalletState } from "../../src/domain/account.ts";
import { accountMarginOf } from "../../src/risk/account-margin.ts";
import type { AssessInput } from "../../src/risk/assess.ts";
import { takerFeeFractionOf } from "../../src/risk/fees.ts";
import { tradeSetting, type TradeSetting } from "../../src/risk/trade-setting.ts";

/** What assess makes of its input before it carries the trade out, for an account of the caller's. */
export function settingOf(
  { asset, viewOf: otherView }: AssessInput,
  account: WalletState,
  staleness: { readonly isMarketStale?: boolean; readonly isWalletStale?: boolean } = {},
): TradeSetting {
  const viewOf: AssessInput["viewOf"] = (ticker) =>
    ticker === asset.listing.ticker ? asset : otherView(ticker);
  const fee = takerFeeFractionOf(account.takerFeeFraction);
  return tradeSetting(asset, account, accountMarginOf(account, viewOf), viewOf, fee, {
    ...{ isWalletMissing: false, isMarketStale: false, isWalletStale: false },
    ...staleness,
  });
}
