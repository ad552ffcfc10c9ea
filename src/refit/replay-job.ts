import { type Bar, HOUR_MS } from "../domain/bar.ts";
import { type BarColumns, barsFrom } from "../domain/bar-columns.ts";
import {
  encodeForecast,
  type ForecastRow,
  joinForecasts,
  type RealisedReturn,
  type SigmaMultipliers,
} from "../domain/forecast-row.ts";
import type { Ticker } from "../domain/ids.ts";
import { type CandleSeries, candleSeriesOf, outcomeAfter } from "../risk/backtest/hourly-candles.ts";
import { horizonsDue, startsDay, startsWeek } from "../risk/backtest/judged-periods.ts";
import { ESTIMATION_HOURS, forecastRowsOf } from "../risk/backtest/recorded-forecast.ts";
import { type HorizonTails, rescaleHorizonTails } from "../risk/scenarios/horizon-tails.ts";
import { sigmaDrift } from "../risk/scenarios/rescale.ts";
import { buildResidualPools } from "../risk/scenarios/residual-borrowing.ts";
import { POOL_WINDOW_HOURS, type ResidualPool } from "../risk/scenarios/residual-pool.ts";
import { FULL_HISTORY_HOURS } from "../risk/scenarios/short-history.ts";
import { sigmaMultiplierOf, updateMultipliers } from "../risk/scenarios/sigma-recalibration.ts";
import { conditionBars } from "../risk/volatility/conditioned-bars.ts";
import { fitVolatility } from "../risk/volatility/volatility-fit.ts";
import { forecastVolatility, type VolatilityForecast } from "../risk/volatility/volatility-forecast.ts";
import type { VolatilityModel } from "../risk/volatility/volatility-model.ts";
import {
  filterVolatility,
  updateVolatility,
  type VolatilityState,
} from "../risk/volatility/volatility-state.ts";
import { windowHistory } from "../risk/volatility/window-history.ts";
import { drawReplayTails } from "./replay-draw.ts";

/** Where a replay goes on. */
export interface ReplayCursor {
  /** Start of the next period to forecast, in hours since the epoch. */
  readonly hour: number;
  /** Where the next fit starts its search; null for the first. */
  readonly model: VolatilityModel | null;
  readonly multipliers: SigmaMultipliers;
  /** The last 24-hour forecast, until its outcome has moved the multipliers. */
  readonly openDay: ForecastRow | null;
}

/** Some weeks of one asset's past, to be forecast as if they were to come. */
export interface ReplayJob {
  readonly kind: "replay";
  readonly ticker: Ticker;
  readonly bars: BarColumns;
  readonly cursor: ReplayCursor;
  /** A job is this long and no longer, so that fits and sheets need not wait for it. */
  readonly hoursMax: number;
  readonly calibrationCode: number;
}

export interface ReplayedForecasts {
  /** Rows of FORECAST_COLUMNS one after another, ascending in time. */
  readonly rows: Float64Array;
  readonly next: ReplayCursor;
  /** Every hour up to the running one is forecast. */
  readonly isDone: boolean;
}

const FIT_OPTIONS = { pooledSeasonality: null, peer: null, halfSpreadFraction: 0 } as const;

/**
 * Walks an asset's candles forward: every forecast is made from the bars closed before it, with a model fitted weekly
 * and scenarios drawn daily from the asset's own past, rescaled hourly. The service fits daily, draws hourly and four
 * times as many, so it sees a little more than its replay.
 *
 * Holds:   a bar changes no forecast made before it closed; pieces join without a gap, a model fitted at each seam
 */
export function replayJob(job: ReplayJob): ReplayedForecasts {
  const bars = barsFrom(job.bars);
  const series = candleSeriesOf(job.ticker, bars);
  if (series === null) return { rows: new Float64Array(0), next: job.cursor, isDone: true };
  return new AssetReplay(job, bars, series).run();
}

/** What scenarios were drawn from, and what they said. */
interface Drawn {
  readonly tails: HorizonTails;
  readonly cumulativeVariance: VolatilityForecast["cumulativeVariance"];
}

interface Fitted {
  readonly model: VolatilityModel;
  readonly pool: ResidualPool;
}

class AssetReplay {
  readonly #job: ReplayJob;
  readonly #bars: readonly Bar[];
  readonly #series: CandleSeries;
  readonly #rows: ForecastRow[] = [];
  #multipliers: SigmaMultipliers;
  #openDay: ForecastRow | null;
  #model: VolatilityModel | null;
  #fitted: Fitted | null = null;
  #state: VolatilityState | null = null;
  #drawn: Drawn | null = null;

  constructor(job: ReplayJob, bars: readonly Bar[], series: CandleSeries) {
    this.#job = job;
    this.#bars = bars;
    this.#series = series;
    this.#multipliers = job.cursor.multipliers;
    this.#openDay = job.cursor.openDay;
    this.#model = job.cursor.model;
  }

  run(): ReplayedForecasts {
    const { firstHour, endHour } = this.#series;
    // Before that the history is limited, and the service says so instead of being judged. The first bar is not of it:
    // it only gives the close that the second moved from.
    const first = Math.max(this.#job.cursor.hour, firstHour + 1 + FULL_HISTORY_HOURS.value);
    const end = Math.min(endHour + 1, first + this.#job.hoursMax);
    for (let hour = first; hour < end; hour++) this.#forecastAt(hour);
    return {
      rows: joinForecasts(this.#rows.map(encodeForecast)),
      next: {
        hour: Math.max(this.#job.cursor.hour, end),
        model: this.#model,
        multipliers: this.#multipliers,
        openDay: this.#openDay,
      },
      isDone: end > endHour,
    };
  }

  #forecastAt(hour: number): void {
    this.#closeDay(hour);
    const bar = this.#series.barAt(hour - 1);
    if (bar !== undefined && this.#fitted !== null && this.#state !== null) {
      this.#state = updateVolatility(this.#fitted.model, this.#state, bar);
    }
    if (this.#fitted === null || startsWeek(hour)) this.#fit(hour);
    if (this.#fitted === null || this.#state === null) return;
    if (this.#fitted.model.warnings.includes("limited_history")) return;
    const forecast = forecastVolatility(this.#fitted.model, this.#state);
    if (this.#drawn === null || startsDay(hour)) this.#drawn = this.#draw(this.#fitted, forecast, hour);
    let drift = sigmaDrift(forecast.cumulativeVariance, this.#drawn.cumulativeVariance);
    if (drift.isBeyondRescaling) {
      this.#drawn = this.#draw(this.#fitted, forecast, hour);
      drift = sigmaDrift(forecast.cumulativeVariance, this.#drawn.cumulativeVariance);
    }
    // No forecast stands on a bar that the exchange does not have, as none was made then.
    if (bar === undefined) return;
    const made = forecastRowsOf({
      timeMs: hour * HOUR_MS,
      horizons: horizonsDue(hour),
      tails: rescaleHorizonTails(this.#drawn.tails, drift.ratios),
      sigmas: forecast.sigmas,
      modelKind: this.#fitted.model.kind,
      calibrationCode: this.#job.calibrationCode,
      isReplayed: true,
      multipliers: this.#multipliers,
    });
    for (const row of made) this.#keep(row, hour);
  }

  #keep(row: ForecastRow, hour: number): void {
    const isOver = hour + row.horizonHours <= this.#series.endHour;
    const outcome = isOver ? this.#outcomeOf(row) : null;
    // The closing bar of the period is missing: what happened cannot be known.
    if (isOver && outcome === null) return;
    this.#rows.push({ ...row, outcome });
    if (row.horizonHours === 24) this.#openDay = row;
  }

  /** Lets yesterday's outcome move the multipliers; it is known only now. */
  #closeDay(hour: number): void {
    const day = this.#openDay;
    if (day === null || day.timeMs / HOUR_MS + day.horizonHours > hour) return;
    this.#openDay = null;
    const outcome = this.#outcomeOf(day);
    if (outcome !== null) this.#multipliers = updateMultipliers(this.#multipliers, { ...day, outcome });
  }

  #outcomeOf({ timeMs, horizonHours }: ForecastRow): RealisedReturn | null {
    return outcomeAfter(this.#series, timeMs / HOUR_MS - 1, horizonHours);
  }

  #fit(hour: number): void {
    const past = barsBefore(this.#bars, hour * HOUR_MS);
    const bars = conditionBars(past);
    const model = fitVolatility(bars, { ...FIT_OPTIONS, previous: this.#model });
    if (model === null) return;
    const filtered = filterVolatility(model, bars);
    const windowStartMs = (hour - POOL_WINDOW_HOURS.value) * HOUR_MS;
    const history = windowHistory(bars, filtered, windowStartMs, POOL_WINDOW_HOURS.value);
    const pool = buildResidualPools([history], [1])[0]!;
    this.#model = model;
    this.#fitted = { model, pool };
    this.#state = filtered.state;
  }

  #draw({ pool }: Fitted, forecast: VolatilityForecast, hour: number): Drawn {
    return {
      tails: drawReplayTails(pool, forecast, sigmaMultiplierOf(this.#multipliers), startsWeek(hour)),
      cumulativeVariance: forecast.cumulativeVariance,
    };
  }
}

/** The newest bars that opened before a time, as many as the service would have kept. */
function barsBefore(bars: readonly Bar[], timeMs: number): readonly Bar[] {
  let end = bars.length;
  while (end > 0 && bars[end - 1]!.openTimeMs >= timeMs) end--;
  return bars.slice(Math.max(0, end - ESTIMATION_HOURS), end);
}
