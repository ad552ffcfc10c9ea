import type { SheetPosition } from "../../src/risk/portfolio/portfolio-losses.ts";
import { dayReturnsOf, type ScenarioSheet } from "../../src/risk/scenarios/sheet.ts";

/** Adds one position to a vector of losses; a negated notional takes it out again. */
export function addPositionLosses(
  sheet: ScenarioSheet,
  position: SheetPosition,
  lossesUsd: Float64Array,
): void {
  const returns = dayReturnsOf(sheet, position.row);
  const notionalUsd = position.notionalUsdSigned;
  for (let scenario = 0; scenario < lossesUsd.length; scenario++) {
    lossesUsd[scenario] = lossesUsd[scenario]! - notionalUsd * returns[scenario]!;
  }
}
