import { type MarginMode, type Position, positionOf, type WalletState } from "../../domain/account.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { Ticker } from "../../domain/ids.ts";
import {
  isolatedEquityUsdAt,
  marginUsedFractionOf,
  markOf,
  positionMaintenanceUsd,
  type AccountMargin,
  type MarginView,
  type MarginViewOf,
} from "./account-margin.ts";
import { buildMarginSchedule, maintenanceMarginUsd, type MarginSchedule } from "./margin.ts";

export const LIQUIDATION_CALIBRATION = {
  /** Below this share of maintenance the liquidator vault takes the position over. */
  backstopShare: {
    value: 2 / 3,
    unit: "fraction of maintenance margin",
    source: "Exchange documentation, Liquidations: backstop liquidation",
    fittedOn: "not fitted: rule of the exchange, read 2026-11",
  },
  /** Stands for the leverage of an account whose equity is gone. */
  effectiveLeverageMax: {
    value: 1000,
    unit: "notional / equity",
    source: "chosen: keeps the number finite, 25 times the exchange's highest leverage, BTC's 40",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

/** A position's liquidation, in its margin pool after a trade. */
export interface LiquidationFacts {
  readonly marginMode: MarginMode;
  /** Signed coins; 0 when there is no position. */
  readonly sizeBase: number;
  readonly markPrice: number;
  readonly notionalUsd: number;
  /** Where the pool's equity meets its maintenance; the mark when it already has. Null: no price liquidates it. */
  readonly liquidationPrice: number | null;
  /** |liquidation price / mark - 1|; 0 when liquidatable, 1 when no price liquidates it. */
  readonly distanceFraction: number;
  readonly isLiquidatable: boolean;
  /** Equity of the pool: the isolated position's, or the whole cross account's. */
  readonly poolEquityUsd: number;
  readonly poolMaintenanceUsd: number;
  /** Pool notional / pool equity, capped when the equity is gone. */
  readonly effectiveLeverage: number;
  /** Account margin used / account value, in [0, 1]. */
  readonly marginUsedFraction: number;
}

/** As a share of the position's value, what rounding leaves of the cash behind a position that is paid in full. */
const CASH_ROUNDING = 1e-12;

/** The pool's equity less the position's value at mark; a position paid in full has exactly nothing behind it. */
function cashBehindUsd(poolEquityUsd: number, valueUsd: number): number {
  const cashUsd = poolEquityUsd - valueUsd;
  return Math.abs(cashUsd) > CASH_ROUNDING * Math.abs(valueUsd) ? cashUsd : 0;
}

/**
 * Root P of cash + size P = maintenance(|size| P) + otherMaintenance, exact over tiers.
 *
 * Maintenance is the largest of the tiers' lines, so the root is the worst of the lines' roots: the highest for a
 * long, the lowest for a short. It holds the tier of the notional at the liquidation price by itself.
 * Units: cashUsd as cashBehindUsd has it. Null when no positive root exists.
 */
export function liquidationPriceOf(
  schedule: MarginSchedule,
  sizeBase: number,
  cashUsd: number,
  otherMaintenanceUsd: number,
): number | null {
  const side = sizeBase > 0 ? 1 : -1;
  const quantity = Math.abs(sizeBase);
  let root = side > 0 ? -Infinity : Infinity;
  for (let tier = 0; tier < schedule.maintenanceFraction.length; tier++) {
    const fraction = schedule.maintenanceFraction[tier]!;
    const deductionUsd = schedule.deductionUsd[tier]!;
    const price = (otherMaintenanceUsd - deductionUsd - cashUsd) / (quantity * (side - fraction));
    root = side > 0 ? Math.max(root, price) : Math.min(root, price);
  }
  return root > 0 && Number.isFinite(root) ? root : null;
}

/** The same of a position in a pool whose equity is known at a price, from which only this position's moves on. Units: USD. */
export function liquidationPriceFrom(
  schedule: MarginSchedule,
  sizeBase: number,
  price: number,
  equityUsd: number,
  otherMaintenanceUsd: number,
): number | null {
  const cashUsd = cashBehindUsd(equityUsd, sizeBase * price);
  return liquidationPriceOf(schedule, sizeBase, cashUsd, otherMaintenanceUsd);
}

/** The same where the maintenance of the whole pool is known. */
export function pooledLiquidationPriceOf(
  schedule: MarginSchedule,
  sizeBase: number,
  price: number,
  equityUsd: number,
  maintenanceUsd: number,
): number | null {
  const otherMaintenanceUsd = maintenanceUsd - maintenanceMarginUsd(schedule, Math.abs(sizeBase) * price);
  return liquidationPriceFrom(schedule, sizeBase, price, equityUsd, otherMaintenanceUsd);
}

/** Liquidation of the account's position in this asset; facts of a flat book when it has none. */
export function liquidationOf(
  account: WalletState,
  ticker: Ticker,
  viewOf: MarginViewOf,
  margin: AccountMargin,
): LiquidationFacts {
  const position = positionOf(account, ticker);
  if (position === null) return flatFacts(ticker, viewOf, margin);
  const view = viewOf(ticker);
  const markPrice = markOf(position, view);
  const isCross = position.marginMode === "cross";
  const ownMaintenanceUsd = positionMaintenanceUsd(position, markPrice, view);
  const valueUsd = position.sizeBase * markPrice;
  const poolEquityUsd = isCross ? margin.crossEquityUsd : isolatedEquityUsdAt(position, markPrice);
  const otherMaintenanceUsd = isCross ? margin.crossMaintenanceUsd - ownMaintenanceUsd : 0;
  const poolMaintenanceUsd = isCross ? margin.crossMaintenanceUsd : ownMaintenanceUsd;
  const poolNotionalUsd = isCross ? margin.crossNotionalUsd : Math.abs(valueUsd);
  const isLiquidatable = poolEquityUsd <= poolMaintenanceUsd;
  const liquidationPrice = isLiquidatable
    ? markPrice
    : positionLiquidationPriceOf(position, markPrice, view, poolEquityUsd, otherMaintenanceUsd);
  return {
    marginMode: position.marginMode,
    sizeBase: position.sizeBase,
    markPrice,
    notionalUsd: Math.abs(valueUsd),
    liquidationPrice,
    distanceFraction: liquidationPrice === null ? 1 : Math.abs(liquidationPrice / markPrice - 1),
    isLiquidatable,
    poolEquityUsd,
    poolMaintenanceUsd,
    effectiveLeverage: effectiveLeverageOf(poolNotionalUsd, poolEquityUsd),
    marginUsedFraction: marginUsedFractionOf(margin),
  };
}

/** Where an isolated position is liquidated once it has paid so much funding, and what is behind it before. */
export function isolatedLiquidationOf(
  position: Position,
  markPrice: number,
  view: MarginView | undefined,
  paidUsd: number,
): Pick<LiquidationFacts, "liquidationPrice" | "poolEquityUsd"> {
  const poolEquityUsd = isolatedEquityUsdAt(position, markPrice);
  const leftUsd = poolEquityUsd - paidUsd;
  const isLiquidatable = leftUsd <= positionMaintenanceUsd(position, markPrice, view);
  return {
    poolEquityUsd,
    liquidationPrice: isLiquidatable
      ? markPrice
      : positionLiquidationPriceOf(position, markPrice, view, leftUsd, 0),
  };
}

function positionLiquidationPriceOf(
  position: Position,
  markPrice: number,
  view: MarginView | undefined,
  poolEquityUsd: number,
  otherMaintenanceUsd: number,
): number | null {
  const schedule = view === undefined ? flatSchedule(position) : view.marginSchedule;
  return liquidationPriceFrom(schedule, position.sizeBase, markPrice, poolEquityUsd, otherMaintenanceUsd);
}

/** Notional / equity, capped at effectiveLeverageMax when the equity is (nearly) gone. */
export function effectiveLeverageOf(notionalUsd: number, equityUsd: number): number {
  const cap = LIQUIDATION_CALIBRATION.effectiveLeverageMax.value;
  if (notionalUsd <= 0) return 0;
  return equityUsd * cap <= notionalUsd ? cap : notionalUsd / equityUsd;
}

/** An asset that is not known here: maintenance is half the position's own initial margin. */
function flatSchedule(position: Position): MarginSchedule {
  return buildMarginSchedule([{ notionalLowerUsd: 0, maxLeverage: position.leverage }]);
}

function flatFacts(ticker: Ticker, viewOf: MarginViewOf, margin: AccountMargin): LiquidationFacts {
  return {
    marginMode: "cross",
    sizeBase: 0,
    markPrice: viewOf(ticker)?.context.markPrice ?? 0,
    notionalUsd: 0,
    liquidationPrice: null,
    distanceFraction: 1,
    isLiquidatable: false,
    poolEquityUsd: margin.crossEquityUsd,
    poolMaintenanceUsd: margin.crossMaintenanceUsd,
    effectiveLeverage: effectiveLeverageOf(margin.crossNotionalUsd, margin.crossEquityUsd),
    marginUsedFraction: marginUsedFractionOf(margin),
  };
}
