import { DAY_HOURS } from "../../domain/bar.ts";
import type { Position } from "../../domain/account.ts";
import { directionOf } from "../../domain/trade.ts";
import type { AssetView } from "../asset-view.ts";
import { paidFundingUsd } from "../funding.ts";
import { isolatedLiquidationOf } from "../margin/liquidation.ts";
import { sheetRow, type ScenarioSheet } from "../scenarios/sheet.ts";
import { LEVELS, type PathLimits, rowLimitsOf } from "./liquidation/path-limits.ts";
import type { SheetPosition } from "./portfolio-losses.ts";

/** An isolated position can lose what is behind it, and has lost it where its path meets its liquidation price. */
export interface LossBound {
  /** Not negative. */
  readonly equityUsd: number;
  /** ln(liquidation price / mark), the day's funding paid; 0 where it is liquidated already, null where no price does it. */
  readonly logBarrier: number | null;
}

/** A position on the joint scenarios, with what limits its loss; null for one that shares a pool. */
export interface BoundedPosition extends SheetPosition {
  readonly bound: LossBound | null;
}

/**
 * Null for a cross position, whose losses the whole account bears. Funding that is expected to be paid within the day is
 * taken off the equity, as in the position's touch probability.
 */
export function lossBoundOf(
  position: Position,
  markPrice: number,
  view: AssetView | undefined,
): LossBound | null {
  if (position.marginMode === "cross") return null;
  const paidUsd = paidFundingUsd(view?.funding, position.sizeBase * markPrice);
  const { liquidationPrice, poolEquityUsd } = isolatedLiquidationOf(position, markPrice, view, paidUsd);
  return {
    equityUsd: Math.max(0, poolEquityUsd),
    logBarrier: liquidationPrice === null ? null : Math.log(liquidationPrice / markPrice),
  };
}

/** Whether a position's bound is met in any scenario; where it is in none, the position loses what its price moves. */
export function isBoundMet(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned, bound }: BoundedPosition,
  limits: PathLimits,
): boolean {
  if (bound === null || bound.logBarrier === null) return false;
  const direction = directionOf(notionalUsdSigned);
  const barrier = (direction * bound.logBarrier) / sheet.days[row]!.sigmaRatio;
  const worst = rowLimitsOf(sheet, row, direction, limits)[LEVELS.groups];
  for (let group = 0; group < worst.length; group++) {
    if (direction * worst[group]! <= barrier) return true;
  }
  return false;
}

/** Scenarios in which a position's bound is met. Shapes: the first `count` of the list, ascending; room for all */
export interface MetScenarios {
  count: number;
  readonly scenarios: Uint16Array;
}

/** Finds where a position's bound is met: whatever the price does afterwards, what was behind the position is lost. */
export function listMet(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned, bound }: BoundedPosition,
  met: MetScenarios,
): void {
  met.count = 0;
  if (bound === null || bound.logBarrier === null) return;
  // Paths are stored as they were drawn: the rescaling is undone.
  const barrier = bound.logBarrier / sheet.days[row]!.sigmaRatio;
  const { scenarios } = met;
  let count = 0;
  if (directionOf(notionalUsdSigned) === 1) {
    const lows = sheetRow(sheet, row, DAY_HOURS, "low");
    for (let s = 0; s < lows.length; s++) if (lows[s]! <= barrier) scenarios[count++] = s;
  } else {
    const highs = sheetRow(sheet, row, DAY_HOURS, "high");
    for (let s = 0; s < highs.length; s++) if (highs[s]! >= barrier) scenarios[count++] = s;
  }
  met.count = count;
}
