import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { expectedShortfallOfDescending, expectedShortfallReach } from "../tails/expected-shortfall.ts";
import type { PortfolioWorkspace } from "./portfolio-var.ts";
import { extremesOf } from "./tail/row-extremes.ts";

/**
 * 99 % 24 h expected shortfall of one row held alone, from the row's own extremes.
 *
 * Shapes:  what was sorted last in the workspace is lost
 */
export function rowShortfall99Usd(
  sheet: ScenarioSheet,
  row: number,
  notionalUsdSigned: number,
  { extremes, selection: { values } }: PortfolioWorkspace,
): number {
  if (notionalUsdSigned === 0) return 0;
  const { returns } = sheet.days[row]!;
  const worst = extremesOf(sheet, row, notionalUsdSigned > 0 ? -1 : 1, extremes);
  const reach = expectedShortfallReach(sheet.scenarios, 0.99);
  for (let rank = 0; rank < reach; rank++) values[rank] = 0 - notionalUsdSigned * returns[worst[rank]!]!;
  return expectedShortfallOfDescending(values, sheet.scenarios, 0.99);
}
