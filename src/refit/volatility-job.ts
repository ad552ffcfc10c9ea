import { type BarColumns, barsFrom } from "../domain/bar-columns.ts";
import type { Ticker } from "../domain/ids.ts";
import { LEARNED_HOURS_MAX } from "../domain/learned-hour.ts";
import { conditionBars } from "../risk/volatility/conditioned-bars.ts";
import { annualisedSigma } from "../risk/volatility/term-structure.ts";
import { dailySigmaHistory } from "../risk/volatility/volatility-forecast.ts";
import { fitVolatility, type VolatilityOptions } from "../risk/volatility/volatility-fit.ts";
import { logSigmaRatioOf, type VolatilityModel } from "../risk/volatility/volatility-model.ts";
import {
  type VolatilityRegime,
  VOLATILITY_REGIME_WINDOW_HOURS,
  volatilityRegimeAfter,
} from "../risk/volatility/volatility-regime.ts";
import { filterVolatility, type VolatilityState } from "../risk/volatility/volatility-state.ts";

/** One asset's volatility, to be fitted anew. */
export interface VolatilityJob {
  readonly kind: "volatility";
  readonly ticker: Ticker;
  readonly bars: BarColumns;
  readonly options: VolatilityOptions;
}

export interface FittedVolatility {
  readonly model: VolatilityModel;
  /** After the newest bar of the job. */
  readonly state: VolatilityState;
  /** One-day forecasts after each bar of the regime's window, oldest first. */
  readonly dailySigmas: Float64Array;
  /** What these leave it in; null without any. */
  readonly regime: VolatilityRegime | null;
  /** ln(sigma / long-run sigma) as forecast for each hour of the last 90 days, oldest first: what is usual for it. */
  readonly logSigmaRatios: { readonly hoursMs: Float64Array; readonly values: Float64Array };
}

/** Null when there is too little history for any model. */
export function fitVolatilityJob(job: VolatilityJob): FittedVolatility | null {
  const bars = conditionBars(barsFrom(job.bars));
  if (bars.length === 0) return null;
  const model = fitVolatility(bars, job.options);
  if (model === null) return null;
  const filtered = filterVolatility(model, bars);
  const dailySigmas = dailySigmaHistory(model, bars, filtered).slice(-VOLATILITY_REGIME_WINDOW_HOURS);
  return {
    model,
    state: filtered.state,
    dailySigmas,
    regime: volatilityRegimeAfter(dailySigmas, annualisedSigma(model.longRunVarianceStep, 1)),
    logSigmaRatios: {
      hoursMs: bars.openTimeMs.slice(-LEARNED_HOURS_MAX),
      values: filtered.varianceStep.slice(-LEARNED_HOURS_MAX).map((h) => logSigmaRatioOf(model, h)),
    },
  };
}
