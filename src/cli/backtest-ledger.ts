import {
  type JudgedLevel,
  type JudgedSide,
  SHORTFALL_MIN,
  tailProbabilityOf,
} from "../risk/backtest/asset-diagnostics.ts";
import type { DatedRecord } from "../risk/backtest/pooled-verdict.ts";
import type { TailForecast, TwoSidedForecast } from "../risk/backtest/tail-forecast.ts";
import type { HorizonHours } from "../risk/scenarios/horizon.ts";

/** Which forecasts: of what, by whom, how far ahead, for which side. */
export interface SeriesKey {
  /** An asset or a portfolio. */
  readonly subject: string;
  readonly model: string;
  readonly horizonHours: HorizonHours;
  readonly side: JudgedSide;
}

/** Columns of a series: time, loss, VaR 95, VaR 99, ES 95, ES 99. */
const COLUMNS = 6;

/** One series as plain data that crosses threads: rows of COLUMNS numbers in the order of time. */
export interface SeriesDump {
  readonly key: SeriesKey;
  readonly values: Float64Array;
}

class Series {
  readonly key: SeriesKey;
  #values = new Float64Array(64 * COLUMNS);
  #length = 0;

  constructor(key: SeriesKey) {
    this.key = key;
  }

  append(rows: ArrayLike<number>): void {
    const needed = this.#length * COLUMNS + rows.length;
    if (needed > this.#values.length) {
      const grown = new Float64Array(Math.max(needed, this.#values.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values.set(rows, this.#length * COLUMNS);
    this.#length += rows.length / COLUMNS;
  }

  dump(): SeriesDump {
    return { key: this.key, values: this.#values.slice(0, this.#length * COLUMNS) };
  }

  recordAt(level: JudgedLevel): DatedRecord {
    const column = (at: number): Float64Array =>
      Float64Array.from({ length: this.#length }, (_, t) => this.#values[t * COLUMNS + at]!);
    return {
      timeMs: column(0),
      record: {
        tailProbability: tailProbabilityOf(level),
        loss: column(1),
        valueAtRisk: column(level === 0.95 ? 2 : 3),
        expectedShortfall: column(level === 0.95 ? 4 : 5),
      },
    };
  }
}

/** Every forecast made before its outcome, with the outcome. */
export class Ledger {
  readonly #series = new Map<string, Series>();

  /** Both sides of one log return. */
  addReturn(
    key: Omit<SeriesKey, "side">,
    timeMs: number,
    logReturn: number,
    forecast: TwoSidedForecast,
  ): void {
    this.add({ ...key, side: "long" }, timeMs, -Math.expm1(logReturn), forecast.long);
    this.add({ ...key, side: "short" }, timeMs, Math.expm1(logReturn), forecast.short);
  }

  add(key: SeriesKey, timeMs: number, loss: number, forecast: TailForecast): void {
    const shortfall95 = Math.max(forecast.expectedShortfall95, SHORTFALL_MIN);
    const shortfall99 = Math.max(forecast.expectedShortfall99, SHORTFALL_MIN);
    this.#seriesOf(key).append([timeMs, loss, forecast.var95, forecast.var99, shortfall95, shortfall99]);
  }

  dump(): readonly SeriesDump[] {
    return [...this.#series.values()].map((series) => series.dump());
  }

  /** Appends what another ledger dumped; it must be of a later time. */
  absorb(dumped: readonly SeriesDump[]): void {
    for (const { key, values } of dumped) this.#seriesOf(key).append(values);
  }

  /** In the order in which they first appeared. */
  records(
    matches: (key: SeriesKey) => boolean,
    level: JudgedLevel,
  ): readonly (DatedRecord & { key: SeriesKey })[] {
    return [...this.#series.values()]
      .filter(({ key }) => matches(key))
      .map((series) => ({ key: series.key, ...series.recordAt(level) }));
  }

  #seriesOf(key: SeriesKey): Series {
    const name = `${key.subject}|${key.model}|${String(key.horizonHours)}|${key.side}`;
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const series = new Series(key);
    this.#series.set(name, series);
    return series;
  }
}
