import { maintenanceMarginUsd } from "../../src/risk/margin/margin.ts";
import type { MarginedPosition } from "../../src/risk/portfolio/liquidation/account-replay.ts";
import { createHourlyPath, replayPath } from "../../src/risk/scenarios/path-replay.ts";
import type { ScenarioSheet } from "../../src/risk/scenarios/sheet.ts";

/** Follows every scenario through 24 hours without any pre-selection; counts those that reach maintenance. */
export function liquidatedScenarios(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  equityUsd: number,
): { readonly atClose: number; readonly atWorst: number } {
  let atClose = 0;
  let atWorst = 0;
  for (let scenario = 0; scenario < sheet.scenarios; scenario++) {
    const paths = positions.map(({ row }) => {
      const path = createHourlyPath(24);
      replayPath(sheet, row, scenario, path);
      return path;
    });
    const isGone = (logReturnOf: (i: number, hour: number) => number): boolean =>
      paths[0]!.closes.some((_, hour) => {
        let over = equityUsd;
        positions.forEach(({ notionalUsdSigned, marginSchedule }, i) => {
          const growth = Math.exp(logReturnOf(i, hour));
          over += notionalUsdSigned * (growth - 1);
          over -= maintenanceMarginUsd(marginSchedule, Math.abs(notionalUsdSigned) * growth);
        });
        return over <= 0;
      });
    if (isGone((i, hour) => paths[i]!.closes[hour]!)) atClose++;
    if (
      isGone((i, hour) => (positions[i]!.notionalUsdSigned > 0 ? paths[i]!.lows : paths[i]!.highs)[hour]!)
    ) {
      atWorst++;
    }
  }
  return { atClose, atWorst };
}
