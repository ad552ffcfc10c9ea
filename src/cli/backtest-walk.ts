import { type Bar, BARS_KEPT, DAY_HOURS, HOUR_MS } from "../domain/bar.ts";
import { AssetBaselines, BaselineTables } from "../refit/asset-baselines.ts";
import { BASELINES } from "../risk/backtest/baselines.ts";
import { type CandleSeries, outcomeAfter } from "../risk/backtest/hourly-candles.ts";
import { horizonsDue, startsWeek } from "../risk/backtest/judged-periods.ts";
import type { TwoSidedForecast } from "../risk/backtest/tail-forecast.ts";
import { HORIZON_HOURS, horizonIndex } from "../risk/scenarios/horizon.ts";
import { touchProbability } from "../risk/scenarios/path-extremes.ts";
import type { AssetTails } from "../risk/tails/var.ts";
import { type MorningSheet, ProductForecaster } from "./backtest-forecaster.ts";
import { Ledger } from "./backtest-ledger.ts";
import { PortfolioBacktest } from "./backtest-portfolios.ts";
import { TouchTable } from "./backtest-touches.ts";

export const PRODUCT = "breakwater";
/** The service's model without what its record of forecasts teaches it. */
export const UNLEARNED = "without-recalibration";
export const MODELS = [PRODUCT, UNLEARNED, ...BASELINES] as const;

export interface WalkOptions {
  readonly series: readonly CandleSeries[];
  /** Forecasts made from the first, 00 UTC or before all candles, to before the second are judged; older candles warm the models up. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly onProgress: (doneFraction: number, timeMs: number) => void;
}

export interface WalkResult {
  readonly ledger: Ledger;
  readonly touches: TouchTable;
}

/** The baselines' longest look back, 250 days and a week, is read from the series; the tracks need only this. */
const WARM_UP_HOURS = BARS_KEPT;

/**
 * Walks hour by hour through the past. A forecast is made from closed bars only and recorded with what came after it;
 * periods of one horizon do not overlap: 1 h hourly, 4 h at 00, 04, … UTC, 24 h at 00 UTC, 7 d on Mondays at 00 UTC.
 */
export function walkForward(options: WalkOptions): WalkResult {
  return new Walk(options).run();
}

class Walk {
  readonly #options: WalkOptions;
  readonly #firstHour: number;
  readonly #judgedFrom: number;
  readonly #endHour: number;
  readonly #forecaster = new ProductForecaster();
  readonly #baselines: ReadonlyMap<string, AssetBaselines>;
  readonly #ledger = new Ledger();
  readonly #touches = new TouchTable();
  readonly #portfolios = new PortfolioBacktest(this.#ledger);

  constructor(options: WalkOptions) {
    this.#options = options;
    const { series } = options;
    const first = Math.min(...series.map(({ firstHour }) => firstHour));
    const end = Math.max(...series.map(({ endHour }) => endHour));
    this.#judgedFrom = Math.max(first, Math.ceil(options.fromMs / HOUR_MS));
    this.#endHour = Math.min(end, Math.floor(options.toMs / HOUR_MS));
    this.#firstHour = Math.max(first, this.#judgedFrom - WARM_UP_HOURS);
    const tables = new BaselineTables();
    this.#baselines = new Map(series.map((one) => [one.asset, new AssetBaselines(one, tables)]));
    for (const one of series) this.#forecaster.load(one.asset, barsBefore(one, this.#firstHour));
  }

  run(): WalkResult {
    // The last forecast is made before the end; what comes after it may lie beyond.
    for (let hour = this.#firstHour; hour + 1 < this.#endHour; hour++) {
      for (const series of this.#options.series) {
        const bar = series.barAt(hour);
        if (bar === undefined) continue;
        this.#forecaster.closeBar(series.asset, bar);
        this.#baselines.get(series.asset)!.closeBar(hour);
      }
      const nextHour = hour + 1;
      if (nextHour < this.#judgedFrom) continue;
      if (nextHour % DAY_HOURS === 0) this.#startDay(hour, nextHour);
      this.#judgeHour(hour, nextHour);
    }
    return { ledger: this.#ledger, touches: this.#touches };
  }

  #startDay(hour: number, nextHour: number): void {
    const isWeekly = startsWeek(nextHour);
    const morning = this.#forecaster.startDay(hour * HOUR_MS, isWeekly);
    const ready = this.#options.series.filter((one) => this.#readyTails(one, hour) !== null);
    for (const { asset } of ready) this.#baselines.get(asset)!.startDay(hour, isWeekly);
    this.#judgeDay(hour, morning, ready);
    const span = this.#endHour - this.#judgedFrom;
    this.#options.onProgress((nextHour - this.#judgedFrom) / span, nextHour * HOUR_MS);
  }

  #judgeDay(hour: number, morning: MorningSheet | null, ready: readonly CandleSeries[]): void {
    for (const series of ready) {
      const outcome = outcomeAfter(series, hour, DAY_HOURS);
      if (outcome === null) continue;
      const tails = this.#readyTails(series, hour)!;
      const day = horizonIndex(DAY_HOURS);
      const { long, short } = tails;
      this.#touches.add(
        outcome,
        (logDistance) => touchProbability(long.adversePaths[day]!, logDistance),
        (logDistance) => touchProbability(short.adversePaths[day]!, logDistance),
      );
    }
    if (morning !== null && ready.length > 0) this.#portfolios.judgeDay(hour, morning, ready);
  }

  #judgeHour(hour: number, nextHour: number): void {
    const horizons = horizonsDue(nextHour);
    for (const series of this.#options.series) {
      const tails = this.#readyTails(series, hour);
      const baselines = this.#baselines.get(series.asset)!;
      if (tails === null || !baselines.isReady) continue;
      const unlearned = this.#forecaster.unlearnedTailsOf(series.asset)!;
      const others = BASELINES.map((model) => baselines.forecastsOf(model, horizons));
      for (let horizon = 0; horizon < horizons; horizon++) {
        const horizonHours = HORIZON_HOURS[horizon]!;
        const outcome = outcomeAfter(series, hour, horizonHours);
        if (outcome === null) continue;
        const record = (model: string, forecast: TwoSidedForecast): void => {
          const key = { subject: series.asset, model, horizonHours };
          this.#ledger.addReturn(key, nextHour * HOUR_MS, outcome.logReturn, forecast);
        };
        record(PRODUCT, { long: tails.long.horizons[horizon]!, short: tails.short.horizons[horizon]! });
        record(UNLEARNED, {
          long: unlearned.long.horizons[horizon]!,
          short: unlearned.short.horizons[horizon]!,
        });
        BASELINES.forEach((model, place) => record(model, others[place]![horizon]!));
      }
    }
  }

  /** Null too when the bar is missing that the forecast would stand on. */
  #readyTails(series: CandleSeries, hour: number): AssetTails | null {
    return series.barAt(hour) === undefined ? null : this.#forecaster.tailsOf(series.asset);
  }
}

function barsBefore(series: CandleSeries, hour: number): readonly Bar[] {
  const bars: Bar[] = [];
  for (let at = Math.max(series.firstHour, hour - BARS_KEPT); at < hour; at++) {
    const bar = series.barAt(at);
    if (bar !== undefined) bars.push(bar);
  }
  return bars;
}
