import type { Position } from "../../domain/account.ts";
import { directionOf } from "../../domain/trade.ts";
import type { AssetView } from "../asset-view.ts";
import { paidFundingUsd } from "../funding.ts";
import { isolatedLiquidationOf } from "../margin/liquidation.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
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

/**
 * The log return as drawn, negated for a short, at or below which a path meets a bound; null where none does. Paths are
 * stored as they were drawn: the rescaling is undone.
 */
export function metLevelOf(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned }: SheetPosition,
  { logBarrier }: LossBound,
): number | null {
  return logBarrier === null
    ? null
    : (directionOf(notionalUsdSigned) * logBarrier) / sheet.days[row]!.sigmaRatio;
}
