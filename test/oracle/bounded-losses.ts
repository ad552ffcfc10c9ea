import type { Position } from "../../src/domain/account.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { dayReturnsOf, sheetRow, type ScenarioSheet } from "../../src/risk/scenarios/sheet.ts";
import { liquidationBySearch, maintenanceBySlices } from "./liquidation-search.ts";

/**
 * An isolated position's loss, scenario by scenario: all that is behind it once its path was at the price that liquidates it
 * when it has paid the day's funding.
 */
export function isolatedLossesUsd(position: Position, view: AssetView, sheet: ScenarioSheet): Float64Array {
  const { sizeBase, isolatedCashUsd } = position;
  const { markPrice } = view.context;
  const tiers = view.listing.marginTiers;
  const row = view.sheetRow!;
  const { sigmaRatio } = sheet.days[row]!;
  const equityUsd = isolatedCashUsd! + sizeBase * markPrice;
  const leftUsd = equityUsd - Math.max(0, sizeBase * markPrice * view.funding.drag24hFraction);
  const isGone = leftUsd <= maintenanceBySlices(tiers, Math.abs(sizeBase) * markPrice);
  const price = isGone ? markPrice : liquidationBySearch(tiers, sizeBase, markPrice, leftUsd, 0, 1);
  const worst = sheetRow(sheet, row, 24, sizeBase > 0 ? "low" : "high");
  return Float64Array.from(dayReturnsOf(sheet, row), (dayReturn, s) => {
    const reached = markPrice * Math.exp(sigmaRatio * worst[s]!);
    const isTouched = price !== null && (sizeBase > 0 ? reached <= price : reached >= price);
    return isGone || isTouched ? Math.max(0, equityUsd) : -sizeBase * markPrice * dayReturn;
  });
}
