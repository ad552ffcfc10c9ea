import { DAY_HOURS } from "../domain/bar.ts";
import {
  BASELINES,
  ewmaSigma,
  nextEwmaSigma,
  fitGarchBaseline,
  garchNormalTails,
  gjrFhsTails,
  residualsOfReturns,
  stepGarchBaseline,
  type Baseline,
  type FhsTables,
  type GarchBaseline,
} from "../risk/backtest/baselines.ts";
import {
  normalTails,
  sampleTailWeights,
  tailsOfSample,
  type SampleTailWeights,
  type TwoSidedForecast,
} from "../risk/backtest/tail-forecast.ts";
import { HORIZON_HOURS } from "../risk/scenarios/horizon.ts";
import { pathsLengthOf } from "../risk/scenarios/sheet.ts";
import { TUPLE_LENGTH } from "../risk/scenarios/residual-pool.ts";
import { buildScenarioIndex, type ScenarioIndex } from "../risk/scenarios/scenario-index.ts";
import { type CandleSeries, pastReturns } from "../risk/backtest/hourly-candles.ts";

const DAYS = 250;
const WINDOW_HOURS = 4096;
const EWMA_HOURS = 500;
const SEED = 7;
const CACHED_MAX = 32;

/** Index and weights by sample size, shared by all assets: most of them have the same number of hours. */
export class BaselineTables {
  readonly #weights = new Map<number, SampleTailWeights>();
  readonly #indexes = new Map<number, ScenarioIndex>();
  readonly paths = new Float64Array(pathsLengthOf(WINDOW_HOURS));

  weightsOf(sampleSize: number): SampleTailWeights {
    return cached(this.#weights, sampleSize, sampleTailWeights);
  }

  indexOf(windowHours: number): ScenarioIndex {
    return cached(this.#indexes, windowHours, (hours) =>
      buildScenarioIndex(SEED, hours, WINDOW_HOURS, HORIZON_HOURS.at(-1)!),
    );
  }
}

function cached<T>(cache: Map<number, T>, key: number, make: (key: number) => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= CACHED_MAX) cache.clear();
  const made = make(key);
  cache.set(key, made);
  return made;
}

/** The baselines of one asset: fitted weekly, moved along hourly. */
export class AssetBaselines {
  readonly #series: CandleSeries;
  readonly #tables: BaselineTables;
  readonly #hasGjr: boolean;
  #historical: readonly TwoSidedForecast[] = [];
  #dailySigma = 0;
  #hourlySigma = 0;
  #garch: GarchBaseline | null = null;
  #gjr: GarchBaseline | null = null;
  #fhs: FhsTables | null = null;

  /** Only the given baselines may be asked for. */
  constructor(series: CandleSeries, tables: BaselineTables, baselines: readonly Baseline[] = BASELINES) {
    this.#series = series;
    this.#tables = tables;
    this.#hasGjr = baselines.includes("gjr-t-fhs");
  }

  /** Fitted, on returns over every horizon. */
  get isReady(): boolean {
    return this.#garch !== null;
  }

  /** After the bar of `hour` closed. */
  closeBar(hour: number): void {
    const logReturn = Math.log(this.#series.closeAt(hour) / this.#series.closeAt(hour - 1));
    if (Number.isNaN(logReturn)) return;
    if (this.#garch !== null) stepGarchBaseline(this.#garch, logReturn);
    if (this.#gjr !== null) stepGarchBaseline(this.#gjr, logReturn);
    this.#hourlySigma = nextEwmaSigma(this.#hourlySigma, logReturn);
  }

  /**
   * At 00 UTC, after the bar of `hour` closed; the GARCH models are fitted anew when `isWeekly` or missing. Nothing is
   * ready where the series has a hole so long that there is no return over one of the horizons.
   */
  startDay(hour: number, isWeekly: boolean): void {
    const series = this.#series;
    const samples = HORIZON_HOURS.map((horizonHours) => {
      const stride = Math.min(horizonHours, DAY_HOURS);
      return pastReturns(series, hour, horizonHours, stride, (DAYS * DAY_HOURS) / stride);
    });
    if (samples.some(({ length }) => length === 0)) {
      this.#garch = null;
      return;
    }
    this.#historical = samples.map((returns) =>
      tailsOfSample(returns, this.#tables.weightsOf(returns.length)),
    );
    this.#dailySigma = ewmaSigma(pastReturns(series, hour, DAY_HOURS, DAY_HOURS, DAYS), true);
    this.#hourlySigma = ewmaSigma(pastReturns(series, hour, 1, 1, EWMA_HOURS), false);
    if (!isWeekly && this.#garch !== null) return;
    const window = pastReturns(series, hour, 1, 1, WINDOW_HOURS);
    this.#garch = fitGarchBaseline(window, "garch-normal");
    if (!this.#hasGjr) return;
    this.#gjr = fitGarchBaseline(window, "gjr-t-fhs");
    const pool = residualsOfReturns(this.#gjr, window);
    this.#fhs = {
      pool,
      sortedResiduals: Float64Array.from(window, (_, t) => pool.tuples[t * TUPLE_LENGTH]!).sort(),
      index: this.#tables.indexOf(window.length),
      pathWeights: this.#tables.weightsOf(WINDOW_HOURS),
      poolWeights: this.#tables.weightsOf(window.length),
      scratch: this.#tables.paths,
    };
  }

  /** A baseline's forecasts at the first `horizons` of HORIZON_HOURS, now. */
  forecastsOf(baseline: Baseline, horizons: number): readonly TwoSidedForecast[] {
    const hours = HORIZON_HOURS.slice(0, horizons);
    switch (baseline) {
      case "historical-simulation":
        return this.#historical.slice(0, horizons);
      case "ewma-normal":
        return hours.map((horizonHours) =>
          horizonHours < DAY_HOURS
            ? normalTails(this.#hourlySigma * Math.sqrt(horizonHours))
            : normalTails(this.#dailySigma * Math.sqrt(horizonHours / DAY_HOURS)),
        );
      case "garch-normal":
        return hours.map((horizonHours) => garchNormalTails(this.#garch!, horizonHours));
      case "gjr-t-fhs":
        return gjrFhsTails(this.#gjr!, this.#fhs!, hours);
    }
  }
}
