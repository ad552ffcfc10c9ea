/** Outcomes of the record that no statistic counts, and why. */
export interface LeftOut {
  readonly pricesOutsideMarket: number;
  readonly overKeyCap: number;
}

/**
 * The outcomes that count, as columns, in the order of the record.
 *
 * Shapes:  columns of one length; `calibration` indexes `calibrations`
 * Holds:   forecast is in (0, 1), or NaN where no probability was published
 */
export interface OutcomeColumns {
  readonly riskScore: Float64Array;
  readonly pnlUsd: Float64Array;
  readonly pnlFraction: Float64Array;
  /** 1 for an adverse outcome. */
  readonly isAdverse: Uint8Array;
  readonly forecast: Float64Array;
  readonly recordedAtMs: Float64Array;
  readonly calibration: Uint32Array;
  readonly calibrations: readonly { readonly hash: string; readonly isKnown: boolean }[];
  readonly leftOut: LeftOut;
}

/** Forecasts that were made, and what happened: columns of one length, in the order of the record. */
export interface ForecastColumns {
  readonly probabilities: Float64Array;
  readonly outcomes: Uint8Array;
}

/** The outcomes at which a probability had been published. */
export function forecastsOf(
  columns: OutcomeColumns,
  isIncluded: (i: number) => boolean = () => true,
): ForecastColumns {
  const { forecast } = columns;
  const kept: number[] = [];
  for (let i = 0; i < forecast.length; i++) if (!Number.isNaN(forecast[i]!) && isIncluded(i)) kept.push(i);
  return {
    probabilities: Float64Array.from(kept, (i) => forecast[i]!),
    outcomes: Uint8Array.from(kept, (i) => columns.isAdverse[i]!),
  };
}
