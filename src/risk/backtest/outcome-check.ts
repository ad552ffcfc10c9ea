import { HOUR_MS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { ForecastRow } from "../../domain/forecast-row.ts";
import type { OutcomeCheck, PriceFinding, RecordedOutcome } from "../../domain/trade-outcome.ts";
import type { CandleSeries } from "./hourly-candles.ts";

const OUTCOME_CHECK: Calibrated<{
  readonly reportedWithinHours: number;
  readonly priceTolerance: number;
  readonly waitHours: number;
  readonly forecastLateHours: number;
}> = {
  value: { reportedWithinHours: 24, priceTolerance: 0.005, waitHours: 48, forecastLateHours: 2 },
  unit: "hours from exit to report; fraction of price; hours after which what is missing stays missing; hours that a forecast may be older than its horizon",
  source:
    "chosen: a report names no times, so a day is allowed for it; half a percent for averages of fills and prices of other venues",
  fittedOn: "not fitted: chosen 2026-11",
};

type Reported = Pick<
  RecordedOutcome,
  "action" | "entryPrice" | "exitPrice" | "holdingPeriodHours" | "recordedAtMs"
>;

/**
 * What candles and recorded forecasts say of an outcome; null while the candle it was reported in is not closed or the
 * record of forecasts, which a fresh service replays, has not reached its entry. After two days what is there decides.
 *
 * Shapes:  series null where there are no candles; forecasts of the asset in any order
 * Holds:   more candles after the report change nothing
 */
export function checkOutcome(
  outcome: Reported,
  series: CandleSeries | null,
  forecasts: readonly ForecastRow[],
  nowMs: number,
): OutcomeCheck | null {
  const isClosed = series !== null && series.endHour * HOUR_MS > outcome.recordedAtMs;
  const isGivenUp = nowMs - outcome.recordedAtMs > OUTCOME_CHECK.value.waitHours * HOUR_MS;
  if (!(isClosed && hasReachedEntry(outcome, forecasts)) && !isGivenUp) return null;
  return {
    prices: isClosed ? priceFinding(outcome, series) : "unknown",
    var99Fraction: varAtEntry(outcome, forecasts),
  };
}

function hasReachedEntry(outcome: Reported, forecasts: readonly ForecastRow[]): boolean {
  return outcome.action === "close" || forecasts.some(({ timeMs }) => timeMs > entryMsOf(outcome) - HOUR_MS);
}

/** A report names no times: it is taken to be made at the exit. */
export function entryMsOf({
  recordedAtMs,
  holdingPeriodHours,
}: Pick<Reported, "recordedAtMs" | "holdingPeriodHours">): number {
  return recordedAtMs - holdingPeriodHours * HOUR_MS;
}

/**
 * Whether both prices were traded while the position may have been held: from its holding period before the earliest
 * exit that is allowed for, to the report.
 */
function priceFinding(outcome: Reported, series: CandleSeries): PriceFinding {
  const { reportedWithinHours, priceTolerance } = OUTCOME_CHECK.value;
  const { entryPrice, exitPrice, holdingPeriodHours, recordedAtMs } = outcome;
  const first = Math.floor(recordedAtMs / HOUR_MS - reportedWithinHours - holdingPeriodHours);
  if (first < series.firstHour) return "unknown";
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (let hour = first; hour <= Math.floor(recordedAtMs / HOUR_MS); hour++) {
    const bar = series.barAt(hour);
    if (bar === undefined) continue;
    low = Math.min(low, bar.low, bar.open, bar.close);
    high = Math.max(high, bar.high, bar.open, bar.close);
  }
  if (high === 0) return "unknown";
  const isInside = (price: number): boolean =>
    price >= low * (1 - priceTolerance) && price <= high * (1 + priceTolerance);
  return isInside(entryPrice) && isInside(exitPrice) ? "inside" : "outside";
}

/**
 * The 99 % VaR that the record held at entry, over the holding period: the newest forecast of every horizon made by
 * then, straight between horizons in log VaR over log hours. Periods under an hour take the hour's. Null for a close,
 * beyond the longest horizon, and where the forecasts around the period were not made.
 */
function varAtEntry(outcome: Reported, forecasts: readonly ForecastRow[]): number | null {
  const { action, holdingPeriodHours } = outcome;
  if (action === "close") return null;
  const entryMs = entryMsOf(outcome);
  const newest = new Map<number, ForecastRow>();
  for (const row of forecasts) {
    const ageHours = (entryMs - row.timeMs) / HOUR_MS;
    if (ageHours < 0 || ageHours > row.horizonHours + OUTCOME_CHECK.value.forecastLateHours) continue;
    if ((newest.get(row.horizonHours)?.timeMs ?? Number.NEGATIVE_INFINITY) < row.timeMs)
      newest.set(row.horizonHours, row);
  }
  const known = [...newest.values()]
    .map((row) => ({ hours: row.horizonHours, var99: row[action].var99 }))
    .filter(({ var99 }) => var99 > 0)
    .sort((a, b) => a.hours - b.hours);
  const held = Math.max(1, holdingPeriodHours);
  const above = known.find(({ hours }) => hours >= held);
  const below = known.findLast(({ hours }) => hours <= held);
  if (above === undefined || below === undefined) return null;
  if (above.hours === below.hours) return above.var99;
  const position = Math.log(held / below.hours) / Math.log(above.hours / below.hours);
  return below.var99 * (above.var99 / below.var99) ** position;
}
