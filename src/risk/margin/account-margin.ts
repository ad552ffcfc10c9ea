import type { Position, WalletState } from "../../domain/account.ts";
import type { AssetContext } from "../../domain/asset.ts";
import type { Ticker } from "../../domain/ids.ts";
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
  /** Isolated positions' equity, profit included; of one that has lost more than its margin a debt. */
  readonly isolatedEquityUsd: number;
  /** The margin that isolated positions use: their equity, of one that has lost it all nothing. */
  readonly isolatedUsedUsd: number;
  readonly isolatedNotionalUsd: number;
  /** Cross equity + isolated equity. */
  readonly accountValueUsd: number;
  /** Cross initial margin + what isolated positions use. */
  readonly totalMarginUsedUsd: number;
  /** What new trades may use: cross equity - cross initial margin. Negative when the account is over-used. */
  readonly freeMarginUsd: number;
  readonly positionCount: number;
}

/** The mark that values a position: the live one, else its entry price. */
export function markOf(position: Position, view: MarginView | undefined): number {
  return view === undefined ? position.entryPrice : view.context.markPrice;
}

/** The cash leg of an isolated position; 0 of none. */
export function isolatedCashOf(position: Position | null): number {
  return position?.isolatedCashUsd ?? 0;
}

/** What is behind an isolated position at a price. */
export function isolatedEquityUsdAt(position: Position, price: number): number {
  return isolatedCashOf(position) + position.sizeBase * price;
}

/** The cash of a margin pool: that of an isolated position, or the account's that its cross positions share. */
export function poolCashOf(account: WalletState, isolated: Position | null): number {
  return isolated === null ? account.crossCashUsd : isolatedCashOf(isolated);
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
  const sums = copied(NOTHING);
  sums.crossEquityUsd = account.crossCashUsd;
  for (const position of account.positions) addPosition(sums, 1, position, viewOf(position.ticker));
  return totalled(sums);
}

/** The margin of an account in which one position of an asset took another's place: only the difference is valued. */
export function accountMarginWith(
  margin: AccountMargin,
  crossCashChangeUsd: number,
  removed: Position | null,
  added: Position | null,
  view: MarginView | undefined,
): AccountMargin {
  const sums = copied(margin);
  sums.crossEquityUsd += crossCashChangeUsd;
  if (removed !== null) addPosition(sums, -1, removed, view);
  if (added !== null) addPosition(sums, 1, added, view);
  return totalled(sums);
}

/** An account's margin while positions are added up: its totals are filled in last, in the same object. */
type MarginSums = { -readonly [Field in keyof AccountMargin]: number };

const NOTHING: AccountMargin = {
  crossEquityUsd: 0,
  crossMaintenanceUsd: 0,
  crossInitialUsd: 0,
  crossNotionalUsd: 0,
  isolatedEquityUsd: 0,
  isolatedUsedUsd: 0,
  isolatedNotionalUsd: 0,
  accountValueUsd: 0,
  totalMarginUsedUsd: 0,
  freeMarginUsd: 0,
  positionCount: 0,
};

/** Field by field: a spread costs more than the sums. */
function copied(margin: AccountMargin): MarginSums {
  return {
    crossEquityUsd: margin.crossEquityUsd,
    crossMaintenanceUsd: margin.crossMaintenanceUsd,
    crossInitialUsd: margin.crossInitialUsd,
    crossNotionalUsd: margin.crossNotionalUsd,
    isolatedEquityUsd: margin.isolatedEquityUsd,
    isolatedUsedUsd: margin.isolatedUsedUsd,
    isolatedNotionalUsd: margin.isolatedNotionalUsd,
    accountValueUsd: margin.accountValueUsd,
    totalMarginUsedUsd: margin.totalMarginUsedUsd,
    freeMarginUsd: margin.freeMarginUsd,
    positionCount: margin.positionCount,
  };
}

/** Adds a position to the sums, or with sign -1 takes it out. */
function addPosition(sums: MarginSums, sign: 1 | -1, position: Position, view: MarginView | undefined): void {
  sums.positionCount += sign;
  const mark = markOf(position, view);
  const valueUsd = position.sizeBase * mark;
  const notionalUsd = Math.abs(valueUsd);
  if (position.marginMode === "cross") {
    sums.crossEquityUsd += sign * valueUsd;
    sums.crossMaintenanceUsd += sign * positionMaintenanceUsd(position, mark, view);
    sums.crossInitialUsd += sign * initialMarginUsd(notionalUsd, position.leverage);
    sums.crossNotionalUsd += sign * notionalUsd;
  } else {
    const equityUsd = isolatedEquityUsdAt(position, mark);
    sums.isolatedEquityUsd += sign * equityUsd;
    sums.isolatedUsedUsd += sign * Math.max(0, equityUsd);
    sums.isolatedNotionalUsd += sign * notionalUsd;
  }
}

function totalled(sums: MarginSums): AccountMargin {
  sums.accountValueUsd = sums.crossEquityUsd + sums.isolatedEquityUsd;
  sums.totalMarginUsedUsd = sums.crossInitialUsd + sums.isolatedUsedUsd;
  sums.freeMarginUsd = sums.crossEquityUsd - sums.crossInitialUsd;
  return sums;
}

/** The exchange counts dollars in millionths: less is what rounding leaves of an account that has used all it had. */
const USD_MIN = 1e-6;

/** Whether the cross account owes anything. */
export function isInDebt({ crossEquityUsd }: AccountMargin): boolean {
  return crossEquityUsd <= -USD_MIN;
}

/** Share of the account's value that its positions use as margin, in [0, 1]; 1 when there is no value left. */
export function marginUsedFractionOf(margin: AccountMargin): number {
  if (margin.totalMarginUsedUsd < USD_MIN) return margin.accountValueUsd <= -USD_MIN ? 1 : 0;
  if (margin.accountValueUsd <= margin.totalMarginUsedUsd) return 1;
  return margin.totalMarginUsedUsd / margin.accountValueUsd;
}
