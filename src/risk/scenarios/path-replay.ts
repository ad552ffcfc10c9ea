import { advanceVariance } from "../volatility/variance-recursion.ts";
import { AVERAGES_MAX } from "./variance-growths.ts";
import { modelOfScenario, PATH_VARIANCE_MAX } from "./path-kernel.ts";
import { TUPLE_LENGTH } from "./residual-pool.ts";
import type { ScenarioSheet } from "./sheet.ts";

/**
 * Hour-by-hour log prices of one scenario of one asset, replayed from its pool. Stored hourly checkpoints of close, low
 * and high would take 236 MB for 200 assets, and only the few scenarios near a liquidation are ever looked at.
 *
 * Shapes:  closes, lows and highs as long as the hours to replay; low and high are the extremes within each hour
 */
export interface HourlyPath {
  readonly closes: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /** Working memory of the variance recursion. */
  readonly state: Float64Array;
}

export function createHourlyPath(hours: number): HourlyPath {
  return {
    closes: new Float64Array(hours),
    lows: new Float64Array(hours),
    highs: new Float64Array(hours),
    state: new Float64Array(1 + AVERAGES_MAX),
  };
}

/**
 * Replays the first hours of a scenario at the row's sigma now.
 *
 * Holds:   its close, lowest low and highest high are the drawn path's times the row's sigma ratio
 */
export function replayPath(sheet: ScenarioSheet, row: number, scenario: number, out: HourlyPath): void {
  const { models, sigmaFactors } = sheet.dynamics[row]!;
  const { sigmaRatio } = sheet.days[row]!;
  const { hours, steps } = sheet.index;
  const { tuples } = sheet.pools;
  const { state } = out;
  const model = models[modelOfScenario(models, sheet.index, scenario)]!;
  for (let k = 0; k < model.state.length; k++) state[k] = model.state[k]!;
  const rowAt = row * sheet.windowHours;
  let close = 0;
  for (let step = 0; step < out.closes.length; step++) {
    const at = (rowAt + hours[scenario * steps + step]!) * TUPLE_LENGTH;
    const sigma = sigmaRatio * Math.sqrt(state[0]!) * sigmaFactors[step]!;
    out.lows[step] = close + sigma * tuples[at + 1]!;
    out.highs[step] = close + sigma * tuples[at + 2]!;
    close += sigma * tuples[at]!;
    out.closes[step] = close;
    const next = advanceVariance(model.recursion, state, tuples[at]!, tuples[at + 3]!);
    state[0] = Math.min(next, PATH_VARIANCE_MAX);
  }
}
