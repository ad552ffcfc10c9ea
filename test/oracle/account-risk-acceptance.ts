import { SIZING_LIMITS } from "../../src/risk/calibration/calibration.ts";
import type { ShortfallBySize } from "../../src/risk/sizing/size-headroom.ts";
import { changedAccount } from "../../src/domain/account.ts";
import { accountMarginOf } from "../../src/risk/margin/account-margin.ts";
import { liquidationOf } from "../../src/risk/margin/liquidation.ts";
import { touchProbabilitiesOf } from "../../src/risk/trade/touch-probability.ts";
import type { CarriedTrade, TradeSetting } from "../../src/risk/trade/trade-setting.ts";

/**
 * P(liquidation in 24 h), and the shortfall of the account with the funding that it and the other cross
 * positions are expected to pay in 24 h over its value, within their limits; unknown is not. After an isolated trade also that of each cross position, as far as
 * it is known.
 */
export function isAccountRiskAccepted(
  candidate: CarriedTrade,
  shortfallBySize: ShortfallBySize,
  longFundingDrag24hFraction: number,
  viewOf: TradeSetting["viewOf"],
): boolean {
  const { applied, trade, liquidation } = candidate;
  // A trade that only reduces is never held back, one that the account cannot pay for always.
  if (applied.openedBase === 0) return true;
  if (applied.assumedDepositUsd > 0) return false;
  const probabilityMax = SIZING_LIMITS.liquidationProbabilityMax.value;
  const traded = applied.position!.ticker;
  const { account } = applied;
  // Each cross position with what the others of its pool are expected to pay gone.
  const paidByOthersUsd = (than: string): number =>
    account.positions.reduce((sumUsd, { ticker, sizeBase, marginMode }) => {
      const view = viewOf(ticker);
      if (marginMode !== "cross" || ticker === than || view === undefined) return sumUsd;
      return sumUsd + Math.max(0, view.funding.drag24hFraction * sizeBase * view.context.markPrice);
    }, 0);
  for (const { ticker, marginMode } of account.positions) {
    if (ticker !== traded && (marginMode !== "cross" || trade.marginMode === "cross")) continue;
    const isPooled = marginMode === "cross";
    const poorer = changedAccount(
      account,
      account.crossCashUsd - (isPooled ? paidByOthersUsd(ticker) : 0),
      account.positions,
    );
    const margin = accountMarginOf(poorer, viewOf);
    const left = touchProbabilitiesOf(viewOf(ticker), liquidationOf(poorer, ticker, viewOf, margin));
    if (ticker !== traded && !viewOf(ticker)?.tails) continue;
    if (left.liquidation === null || left.liquidation > probabilityMax) return false;
  }
  const shortfallUsd = shortfallBySize(trade.notionalUsd, liquidation.sizeBase, liquidation.notionalUsd);
  const paidUsd = Math.max(0, longFundingDrag24hFraction * liquidation.sizeBase * liquidation.markPrice);
  return (
    shortfallUsd !== null &&
    shortfallUsd + paidUsd + paidByOthersUsd(traded) <=
      SIZING_LIMITS.shortfallOfEquityMax.value * applied.margin.accountValueUsd
  );
}
