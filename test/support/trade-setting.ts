import type { WalletState } from "../../src/domain/account.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import type { ProposedTrade } from "../../src/domain/trade.ts";
import { accountMarginOf, type MarginViewOf } from "../../src/risk/margin/account-margin.ts";
import type { AssessInput } from "../../src/risk/assess.ts";
import { type LiquidationFacts, liquidationOf } from "../../src/risk/margin/liquidation.ts";
import { resolveTrade } from "../../src/risk/trade/resolved-trade.ts";
import { type AppliedTrade, applyTrade, type TradeFill } from "../../src/risk/trade/trade-application.ts";
import { tradeSetting, type TradeSetting } from "../../src/risk/trade/trade-setting.ts";

/** What assess makes of its input before it carries the trade out, for an account of the caller's. */
export function settingOf(
  { asset, viewOf: otherView }: AssessInput,
  account: WalletState,
  staleness: Partial<Pick<TradeSetting, "isMarketStale" | "isWalletStale" | "isWalletMissing">> = {},
): TradeSetting {
  const viewOf: AssessInput["viewOf"] = (ticker) =>
    ticker === asset.listing.ticker ? asset : otherView(ticker);
  return tradeSetting(asset, account, accountMarginOf(account, viewOf), viewOf, {
    ...{ isWalletMissing: false, isMarketStale: false, isWalletStale: false },
    ...staleness,
  });
}

/** A trade with the prices and the fee that it is carried out at. */
export type FilledTrade = ProposedTrade & TradeFill;

export function appliedTrade(account: WalletState, filled: FilledTrade, viewOf: MarginViewOf): AppliedTrade {
  const trade = resolveTrade(filled, account, filled.markPrice);
  return applyTrade(account, accountMarginOf(account, viewOf), trade, filled, viewOf);
}

/** What the account is worth with every position at its entry price: only profit that is realised, and costs, move it. */
export function bookedUsd({ crossCashUsd, positions }: WalletState): number {
  return positions.reduce(
    (sumUsd, { sizeBase, entryPrice, isolatedCashUsd }) =>
      sumUsd + (isolatedCashUsd ?? 0) + sizeBase * entryPrice,
    crossCashUsd,
  );
}

/** The liquidation of a position in an account that is valued for it. */
export function liquidationAt(account: WalletState, ticker: Ticker, viewOf: MarginViewOf): LiquidationFacts {
  return liquidationOf(account, ticker, viewOf, accountMarginOf(account, viewOf));
}
