import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import { directionOf } from "../../domain/trade.ts";
import { worstPathsOf } from "./liquidation/row-paths.ts";
import { type BoundedPosition, metLevelOf } from "./loss-bound.ts";
import { fillPortfolioLosses } from "./portfolio-losses.ts";

/** Loss of every scenario: what prices move or, of positions whose bound is met there, all that is behind them. */
export function fillBoundedLosses(
  sheet: ScenarioSheet,
  positions: readonly BoundedPosition[],
  lossesUsd: Float64Array,
): void {
  fillPortfolioLosses(sheet, positions, lossesUsd);
  for (const position of positions) {
    const { row, notionalUsdSigned, bound } = position;
    const level = bound === null ? null : metLevelOf(sheet, position, bound);
    if (bound === null || level === null) continue;
    const direction = directionOf(notionalUsdSigned);
    const paths = worstPathsOf(sheet, row, direction);
    const returns = dayReturnsOf(sheet, row);
    for (let s = 0; s < paths.length; s++) {
      if (direction * paths[s]! > level) continue;
      lossesUsd[s] = lossesUsd[s]! + (bound.equityUsd + notionalUsdSigned * returns[s]!);
    }
  }
}
