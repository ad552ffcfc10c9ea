import { HOUR_MS } from "../../domain/bar.ts";
import type { AssetHistory } from "../scenarios/residual-pool.ts";
import type { ConditionedBars } from "./conditioned-bars.ts";
import type { FilteredVolatility } from "./volatility-state.ts";

/**
 * Where an hour stands in a window: the same place as long as the window holds it, then the place of the hour that takes
 * its turn. Scenarios replay places, so a draw an hour later replays the same hours but for the newest. Units: UTC ms
 */
export function placeOf(openTimeMs: number, windowHours: number): number {
  return Math.round(openTimeMs / HOUR_MS) % windowHours;
}

/**
 * Lays an asset's filtered bars on a common window of clock hours, so that the same index is the same hour for every
 * asset. A bar after a gap is left out: it is a move of several hours. Shapes: `windowHours` entries, each hour at its
 * place, of the hours from `windowStartMs` on.
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
    const sinceStart = Math.round((bars.openTimeMs[t]! - windowStartMs) / HOUR_MS);
    if (sinceStart < 0 || sinceStart >= windowHours) continue;
    const hour = placeOf(bars.openTimeMs[t]!, windowHours);
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
