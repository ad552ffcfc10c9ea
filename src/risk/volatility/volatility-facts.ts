import type { SigmaTermStructure } from "./term-structure.ts";
import type { VolatilityForecast } from "./volatility-forecast.ts";
import type { VolatilityModel, VolatilityModelKind, VolatilityWarning } from "./volatility-model.ts";
import type { VolatilityRegime } from "./volatility-regime.ts";

/** What a request reads of an asset's volatility; computed when a bar closes or the running hour moves it. */
export interface VolatilityFacts {
  /** Annualised forecasts over 1, 4, 24 and 168 h and the long run. */
  readonly sigmas: SigmaTermStructure;
  /** Standard deviation of the next hour's return, a fraction, not annualised. */
  readonly sigmaHour: number;
  /** Standard deviation of the next 24 hours' return, a fraction, not annualised. */
  readonly sigmaDay: number;
  readonly regime: VolatilityRegime;
  /** The rung of the model ladder that gave the numbers. */
  readonly model: VolatilityModelKind;
  readonly warnings: readonly VolatilityWarning[];
}

export function volatilityFacts(
  model: VolatilityModel,
  forecast: VolatilityForecast,
  regime: VolatilityRegime,
): VolatilityFacts {
  return {
    sigmas: forecast.sigmas,
    sigmaHour: Math.sqrt(forecast.cumulativeVariance[0]),
    sigmaDay: Math.sqrt(forecast.cumulativeVariance[2]),
    regime,
    model: model.kind,
    warnings: model.warnings,
  };
}
