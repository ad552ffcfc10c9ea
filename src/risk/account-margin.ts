import type { Position, WalletState } from "../domain/account.ts";
import type { AssetContext } from "../domain/asset.ts";
import type { Ticker } from "../domain/ids.ts";
import { initialMarginUsd, maintenanceMarginUsd, type MarginSchedule } from "./margin.ts";

/** What valuing a position needs of its asset; an AssetView is one. */
export interface MarginView {
  readonly context: Pick<AssetContext, "markPrice">;
  readonly marginSchedule: MarginSchedule;
}

/** Undefined for an asset that is not known here: its position is then valued at entry and margined by its leverage. */
export type MarginViewOf = (ticker: Ticker) => MarginView | undefined;

/** An account valued at live marks. All amounts in USD. */
export interface AccountMargin {
  /** Cross cash plus the value of the cross positions. */
  readonly crossEquityUsd: number;
  readonly crossMaintenanceUsd: number;
  /** Sum of notional / leverage over cross positions. */
  readonly crossInitialUsd: number;
  readonly crossNotionalUsd: number;
  /** Isolated positions' equity, profit included; also the margin they use. */
  readonly isolatedEquityUsd: number;
  readonly isolatedMaintenanceUsd: number;
  readonly isolatedNotionalUsd: number;
  /** Cross equity + isolated equity. */
  readonly accountValueUsd: number;
  /** Cross initial margin + isolated equity. */
  readonly totalMarginUsedUsd: number;
  /** What new trades may use: accountValueUsd - totalMarginUsedUsd. Negative when the account is over-used. */
  readonly freeMarginUsd: number;
  readonly positionCount: number;
  /** Positions in assets without a live mark, valued at their entry price. */
  readonly unpricedCount: number;
}

/** The mark that values a position: the live one, else its entry price. */
export function markOf(position: Position, view: MarginView | undefined): number {
  return view === undefined ? position.entryPrice : view.context.markPrice;
}

/** Maintenance margin of a position at a price: by its asset's tiers, else half its own initial margin. */
export function positionMaintenanceUsd(
  position: Position,
  price: number,
  view: MarginView | undefined,
): number {
  const notionalUsd = Math.abs(position.sizeBase) * price;
  return view === undefined
    ? notionalUsd / (2 * position.leverage)
    : maintenanceMarginUsd(view.marginSchedule, notionalUsd);
}

/** Values every position at its mark. Source: the exchange's documentation, Margining; see the recorded accounts in the tests. */
export function accountMarginOf(account: WalletState, viewOf: MarginViewOf): AccountMargin {
  let crossEquityUsd = account.crossCashUsd;
  let crossMaintenanceUsd = 0;
  let crossInitialUsd = 0;
  let crossNotionalUsd = 0;
  let isolatedEquityUsd = 0;
  let isolatedMaintenanceUsd = 0;
  let isolatedNotionalUsd = 0;
  let unpricedCount = 0;
  for (const position of account.positions) {
    const view = viewOf(position.ticker);
    if (view === undefined) unpricedCount++;
    const mark = markOf(position, view);
    const valueUsd = position.sizeBase * mark;
    const notionalUsd = Math.abs(valueUsd);
    const maintenanceUsd = positionMaintenanceUsd(position, mark, view);
    if (position.marginMode === "cross") {
      crossEquityUsd += valueUsd;
      crossMaintenanceUsd += maintenanceUsd;
      crossInitialUsd += initialMarginUsd(notionalUsd, position.leverage);
      crossNotionalUsd += notionalUsd;
    } else {
      isolatedEquityUsd += (position.isolatedCashUsd ?? 0) + valueUsd;
      isolatedMaintenanceUsd += maintenanceUsd;
      isolatedNotionalUsd += notionalUsd;
    }
  }
  return {
    crossEquityUsd,
    crossMaintenanceUsd,
    crossInitialUsd,
    crossNotionalUsd,
    isolatedEquityUsd,
    isolatedMaintenanceUsd,
    isolatedNotionalUsd,
    accountValueUsd: crossEquityUsd + isolatedEquityUsd,
    totalMarginUsedUsd: crossInitialUsd + isolatedEquityUsd,
    freeMarginUsd: crossEquityUsd - crossInitialUsd,
    positionCount: account.positions.length,
    unpricedCount,
  };
}

/** Share of the account's value that its positions use as margin, in [0, 1]; 1 when there is no value left. */
export function marginUsedFractionOf(margin: AccountMargin): number {
  if (margin.totalMarginUsedUsd <= 0) return margin.accountValueUsd < 0 ? 1 : 0;
  if (margin.accountValueUsd <= margin.totalMarginUsedUsd) return 1;
  return margin.totalMarginUsedUsd / margin.accountValueUsd;
}
