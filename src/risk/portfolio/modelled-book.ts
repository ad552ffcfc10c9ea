import { DAY_HOURS } from "../../domain/bar.ts";
import type { Position, WalletState } from "../../domain/account.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { Ticker } from "../../domain/ids.ts";
import { directionOf } from "../../domain/trade.ts";
import { markOf } from "../margin/account-margin.ts";
import type { AssetView } from "../asset-view.ts";
import { type BoundedPosition, lossBoundOf } from "./loss-bound.ts";
import type { PortfolioTail } from "./portfolio-var.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { horizonTail, sideTails } from "../tails/var.ts";

/** Loss that stands for a position of which no model knows anything; unknown is not safe. */
export const UNMODELLED_LOSS: Calibrated = {
  value: 0.5,
  unit: "fraction of notional",
  source: "chosen: the average token fell by 47 % on 2025-10-10 (CoinDesk, Kaiko)",
  fittedOn: "not fitted: chosen 2026-11",
};

/** One position as the portfolio models see it. */
export interface ModelledPosition {
  readonly ticker: Ticker;
  readonly notionalUsdSigned: number;
  /** Its place in the joint scenarios; null when it has none. */
  readonly joint: BoundedPosition | null;
  /** Its tail alone, added in full because its company with the rest is not known; 0 for a joint position. */
  readonly chargeUsd: PortfolioTail;
}

const NO_CHARGE: PortfolioTail = {
  var95Usd: 0,
  var99Usd: 0,
  expectedShortfall95Usd: 0,
  expectedShortfall99Usd: 0,
};

/**
 * The account's positions at their marks, in their order; none is left out. An isolated position can lose what is behind
 * it, but for that of the asset, if any, whose position is to be counted in full.
 */
export function modelledBook(
  account: WalletState,
  viewOf: (ticker: Ticker) => AssetView | undefined,
  sheet: ScenarioSheet | null,
  inFull: Ticker | null = null,
): readonly ModelledPosition[] {
  return account.positions.map((position) =>
    modelledPosition(position, viewOf(position.ticker), sheet, position.ticker === inFull),
  );
}

/** One position of such a book. */
export function modelledPosition(
  position: Position,
  view: AssetView | undefined,
  sheet: ScenarioSheet | null,
  isInFull: boolean,
): ModelledPosition {
  const { ticker, sizeBase } = position;
  const markPrice = markOf(position, view);
  const notionalUsdSigned = sizeBase * markPrice;
  const bound = isInFull ? null : lossBoundOf(position, markPrice, view);
  const row = view?.sheetRow ?? null;
  const isJoint = sheet !== null && row !== null && row < sheet.rows;
  return {
    ticker,
    notionalUsdSigned,
    joint: isJoint ? { row, notionalUsdSigned, bound } : null,
    chargeUsd: isJoint ? NO_CHARGE : chargeOf(notionalUsdSigned, view, bound?.equityUsd ?? Infinity),
  };
}

export function jointPositions(book: readonly ModelledPosition[]): BoundedPosition[] {
  const positions: BoundedPosition[] = [];
  for (const { joint } of book) if (joint !== null) positions.push(joint);
  return positions;
}

/** Sum of the charges of the positions outside the joint scenarios. */
export function totalCharge(book: readonly ModelledPosition[]): PortfolioTail {
  let total = NO_CHARGE;
  for (const { chargeUsd } of book) if (chargeUsd !== NO_CHARGE) total = addTails(total, chargeUsd);
  return total;
}

export function addTails(a: PortfolioTail, b: PortfolioTail): PortfolioTail {
  return {
    var95Usd: a.var95Usd + b.var95Usd,
    var99Usd: a.var99Usd + b.var99Usd,
    expectedShortfall95Usd: a.expectedShortfall95Usd + b.expectedShortfall95Usd,
    expectedShortfall99Usd: a.expectedShortfall99Usd + b.expectedShortfall99Usd,
  };
}

/** The position's own tail, as far as it can lose. */
function chargeOf(notionalUsdSigned: number, view: AssetView | undefined, mostUsd: number): PortfolioTail {
  const notionalUsd = Math.abs(notionalUsdSigned);
  const tails = view?.tails ?? null;
  const day =
    tails === null ? null : horizonTail(sideTails(tails, directionOf(notionalUsdSigned)), DAY_HOURS);
  const unknown = UNMODELLED_LOSS.value;
  return {
    var95Usd: Math.min(mostUsd, notionalUsd * (day?.var95 ?? unknown)),
    var99Usd: Math.min(mostUsd, notionalUsd * (day?.var99 ?? unknown)),
    expectedShortfall95Usd: Math.min(mostUsd, notionalUsd * (day?.expectedShortfall95 ?? unknown)),
    expectedShortfall99Usd: Math.min(mostUsd, notionalUsd * (day?.expectedShortfall99 ?? unknown)),
  };
}
