import { type BarColumns, barsFrom } from "../domain/bar-columns.ts";
import { DAY_HOURS, DAY_MS, HOUR_MS } from "../domain/bar.ts";
import {
  decodeForecast,
  type ForecastRow,
  hasOutcome,
  type SigmaMultipliers,
  splitForecasts,
} from "../domain/forecast-row.ts";
import { candleSeriesOf, outcomeAfter } from "../risk/backtest/hourly-candles.ts";
import { UNCORRECTED, updateMultipliers } from "../risk/scenarios/sigma-recalibration.ts";

/**
 * What must be known of an asset's record to go on with it: the periods still open, how far it reaches, and what it has
 * taught. The record itself is on disk.
 *
 * Holds:   no hour is recorded twice or out of order, whatever the clock does; a day moves the multipliers once
 */
export class ForecastLedger {
  #open: readonly ForecastRow[] = [];
  #recordedToMs = Number.NEGATIVE_INFINITY;
  #multipliers: SigmaMultipliers = UNCORRECTED;

  /** Start of the newest period that was looked at; nothing before it is forecast any more. */
  get recordedToMs(): number {
    return this.#recordedToMs;
  }

  get multipliers(): SigmaMultipliers {
    return this.#multipliers;
  }

  /**
   * Takes over what was kept up to a moment: rows of FORECAST_COLUMNS, ascending in time. A replay keeps the outcome of a day
   * with its forecast: a day that ends after the newest hour is open, for the hours before its end must not know it.
   */
  restore(rows: Float64Array, untilMs: number): void {
    const kept = splitForecasts(rows)
      .map(decodeForecast)
      .filter(({ timeMs }) => timeMs <= untilMs);
    this.noteReached(kept.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY);
    const open: ForecastRow[] = [];
    for (const row of kept) {
      const isDay = row.horizonHours === DAY_HOURS;
      const isAhead = isDay && row.timeMs + DAY_MS > this.#recordedToMs;
      const { multipliers } = row;
      const outcome = isAhead ? null : row.outcome;
      if (isDay)
        this.#multipliers =
          outcome === null ? multipliers : updateMultipliers(multipliers, { ...row, outcome });
      if (outcome === null) open.push({ ...row, outcome });
    }
    this.#open = open;
  }

  /** Takes over a replay's rows and what it learned. */
  noteReplayed(rows: Float64Array, multipliers: SigmaMultipliers, recordedToMs: number): void {
    const open = splitForecasts(rows).filter((row) => !hasOutcome(row));
    this.#open = [...this.#open, ...open.map(decodeForecast)];
    this.#multipliers = multipliers;
    this.noteReached(recordedToMs);
  }

  /** The forecasts made now, before their periods. */
  noteMade(rows: readonly ForecastRow[]): void {
    this.#open = [...this.#open, ...rows];
  }

  noteReached(timeMs: number): void {
    this.#recordedToMs = Math.max(this.#recordedToMs, timeMs);
  }

  /** The forecasts whose periods the newest bars end, with their outcomes; ones that can have none are let go. */
  settle(bars: BarColumns, newestEndMs: number): readonly ForecastRow[] {
    const isOver = ({ timeMs, horizonHours }: ForecastRow): boolean =>
      timeMs + horizonHours * HOUR_MS <= newestEndMs;
    const over = this.#open.filter(isOver);
    if (over.length === 0) return [];
    const fromMs = Math.min(...over.map(({ timeMs }) => timeMs)) - HOUR_MS;
    const series = candleSeriesOf("", barsFrom(bars, fromMs));
    const settled = over.flatMap((row): ForecastRow[] => {
      const outcome =
        series === null ? null : outcomeAfter(series, row.timeMs / HOUR_MS - 1, row.horizonHours);
      if (outcome === null) return [];
      if (row.horizonHours === DAY_HOURS)
        this.#multipliers = updateMultipliers(this.#multipliers, { ...row, outcome });
      return [{ ...row, outcome }];
    });
    this.#open = this.#open.filter((row) => !isOver(row));
    return settled;
  }
}
