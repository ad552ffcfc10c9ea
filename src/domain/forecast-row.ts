import { isHourStart, WEEK_HOURS } from "./bar.ts";
import { MARKET_LOG_RATIO_MAX, MARKET_RATIO_MAX } from "./market-bounds.ts";

/** VaR and expected shortfall of one side over one horizon; fractions of notional, losses positive. */
export interface TailNumbers {
  readonly var95: number;
  readonly var99: number;
  readonly expectedShortfall95: number;
  readonly expectedShortfall99: number;
}

/** A multiplier of sigma per level and side, learned from what the forecasts missed. */
export interface SigmaMultipliers {
  readonly long95: number;
  readonly long99: number;
  readonly short95: number;
  readonly short99: number;
}

/** What happened after a forecast, as log returns from the close it was made at. */
export interface RealisedReturn {
  readonly logReturn: number;
  /** Lowest and highest price on the way. */
  readonly logLow: number;
  readonly logHigh: number;
}

/** One forecast as it was made before its period, with what happened in it once that is known. */
export interface ForecastRow {
  /** Start of the period: the close of the newest bar that the forecast knew. */
  readonly timeMs: number;
  readonly horizonHours: number;
  /** Standard deviation of the horizon's log return, not annualised, multipliers excluded. */
  readonly sigma: number;
  /** Which rung of the model ladder, as a number. */
  readonly modelCode: number;
  /** The first 48 bits of the calibration hash in force. */
  readonly calibrationCode: number;
  /** Made afterwards from the candles before its time, not at its time. */
  readonly isReplayed: boolean;
  /** What the record had taught by then; a sheet drawn up to an hour before may carry the one before. */
  readonly multipliers: SigmaMultipliers;
  readonly long: TailNumbers;
  readonly short: TailNumbers;
  /** Null until the period is over. */
  readonly outcome: RealisedReturn | null;
}

/** Numbers of a row in its plain form, which is what files and threads carry. */
export const FORECAST_COLUMNS = 21;

const OUTCOME_AT = 18;

/** And half of it: no lesson moves sigma by more. */
const SIGMA_MULTIPLIER_MAX = 2;

/** Equal for the forecast and for the same forecast with its outcome. */
export function forecastKey(columns: Float64Array): string {
  return `${columns[0]!} ${columns[1]!}`;
}

/** Whether the plain form carries an outcome. */
export function hasOutcome(columns: Float64Array): boolean {
  return !Number.isNaN(columns[OUTCOME_AT]!);
}

export function encodeForecast(row: ForecastRow): Float64Array {
  const { multipliers, outcome } = row;
  return Float64Array.of(
    row.timeMs,
    row.horizonHours,
    row.sigma,
    row.modelCode,
    row.calibrationCode,
    row.isReplayed ? 1 : 0,
    multipliers.long95,
    multipliers.long99,
    multipliers.short95,
    multipliers.short99,
    ...tailColumns(row.long),
    ...tailColumns(row.short),
    outcome?.logReturn ?? Number.NaN,
    outcome?.logLow ?? Number.NaN,
    outcome?.logHigh ?? Number.NaN,
  );
}

/** Holds: decode(encode(row)) equals row. */
export function decodeForecast(columns: Float64Array): ForecastRow {
  const read = (column: number): number => columns[column]!;
  const tail = (from: number): TailNumbers => ({
    var95: read(from),
    var99: read(from + 1),
    expectedShortfall95: read(from + 2),
    expectedShortfall99: read(from + 3),
  });
  const logReturn = read(OUTCOME_AT);
  return {
    timeMs: read(0),
    horizonHours: read(1),
    sigma: read(2),
    modelCode: read(3),
    calibrationCode: read(4),
    isReplayed: read(5) === 1,
    multipliers: { long95: read(6), long99: read(7), short95: read(8), short99: read(9) },
    long: tail(10),
    short: tail(14),
    outcome: Number.isNaN(logReturn)
      ? null
      : { logReturn, logLow: read(OUTCOME_AT + 1), logHigh: read(OUTCOME_AT + 2) },
  };
}

/** Whether the row that begins at `at` is a forecast that can have been made. */
export function isPossibleForecast(values: Float64Array, at: number): boolean {
  return (
    isHourStart(values[at]!) &&
    areWithin(values, at + 1, at + 2, 1, WEEK_HOURS) &&
    areWithin(values, at + 2, at + 3, 0, MARKET_LOG_RATIO_MAX) &&
    areWithin(values, at + 3, at + 5, 0, Number.MAX_SAFE_INTEGER) &&
    areWithin(values, at + 6, at + 10, 1 / SIGMA_MULTIPLIER_MAX, SIGMA_MULTIPLIER_MAX) &&
    // A long loses what it is worth at most.
    areWithin(values, at + 10, at + 14, -1, 1) &&
    areWithin(values, at + 14, at + OUTCOME_AT, -1, MARKET_RATIO_MAX) &&
    (Number.isNaN(values[at + OUTCOME_AT]!) ||
      areWithin(values, at + OUTCOME_AT, at + FORECAST_COLUMNS, -MARKET_LOG_RATIO_MAX, MARKET_LOG_RATIO_MAX))
  );
}

/** Rows of FORECAST_COLUMNS one after another, each by itself. */
export function splitForecasts(rows: Float64Array): readonly Float64Array[] {
  return Array.from({ length: rows.length / FORECAST_COLUMNS }, (_, i) =>
    rows.subarray(i * FORECAST_COLUMNS, (i + 1) * FORECAST_COLUMNS),
  );
}

/** The other way round. */
export function joinForecasts(rows: readonly Float64Array[]): Float64Array {
  const out = new Float64Array(rows.length * FORECAST_COLUMNS);
  rows.forEach((row, i) => out.set(row, i * FORECAST_COLUMNS));
  return out;
}

function tailColumns(tail: TailNumbers): readonly number[] {
  return [tail.var95, tail.var99, tail.expectedShortfall95, tail.expectedShortfall99];
}

/** NaN is within nothing. */
function areWithin(values: Float64Array, from: number, until: number, min: number, max: number): boolean {
  for (let i = from; i < until; i++) {
    if (!(values[i]! >= min && values[i]! <= max)) return false;
  }
  return true;
}
