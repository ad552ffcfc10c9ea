import { HOUR_MS } from "../../domain/bar.ts";
import type { AssetHistory } from "../scenarios/residual-pool.ts";
import type { ConditionedBars } from "./conditioned-bars.ts";
import type { FilteredVolatility } from "./volatility-state.ts";

/**
 * Lays an asset's filtered bars on a common window of clock hours, so that the same index is the same hour for every
 * asset. A bar after a gap is left out: it is a move of several hours. Shapes: `windowHours` entries, newest last, the
 * first hour opening at `windowStartMs`.
 */
export function windowHistory(
  bars: ConditionedBars,
  filtered: FilteredVolatility,
  windowStartMs: number,
  windowHours: number,
): AssetHistory {
  const history = {
    isPresent: new Uint8Array(windowHours),
    logReturn: new Float64Array(windowHours),
    logLow: new Float64Array(windowHours),
    logHigh: new Float64Array(windowHours),
    rangeVarianceStep: new Float64Array(windowHours),
    varianceStep: new Float64Array(windowHours),
    seasonalFactor: new Float64Array(windowHours),
  };
  for (let t = 0; t < bars.length; t++) {
    const hour = Math.round((bars.openTimeMs[t]! - windowStartMs) / HOUR_MS);
    if (hour < 0 || hour >= windowHours) continue;
    // Also after a gap: where no hour is present it is all that tells this asset from others.
    history.logReturn[hour] = bars.logReturn[t]!;
    if (bars.gapHours[t] !== 1) continue;
    history.isPresent[hour] = 1;
    history.logLow[hour] = bars.lowExcursion[t]!;
    history.logHigh[hour] = bars.highExcursion[t]!;
    history.rangeVarianceStep[hour] = filtered.rangeVarianceStep[t]!;
    history.varianceStep[hour] = filtered.varianceStep[t]!;
    history.seasonalFactor[hour] = filtered.seasonalFactor[t]!;
  }
  return history;
}
