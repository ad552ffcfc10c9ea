import { HOUR_MS } from "../domain/bar.ts";
import { type BarColumns, barsFrom } from "../domain/bar-columns.ts";
import { decodeForecast, type SigmaMultipliers, splitForecasts } from "../domain/forecast-row.ts";
import type { Ticker } from "../domain/ids.ts";
import {
  type AssetDiagnostics,
  diagnose,
  type FinishedRow,
  isFinished,
  JUDGED_KEYS,
  type JudgedForecasts,
  lossOf,
  type QuantileLosses,
  tailProbabilityOf,
} from "../risk/backtest/asset-diagnostics.ts";
import type { Baseline } from "../risk/backtest/baselines.ts";
import { tickLoss } from "../risk/backtest/fz-loss.ts";
import { type CandleSeries, candleSeriesOf } from "../risk/backtest/hourly-candles.ts";
import { horizonsDue, startsDay, startsWeek } from "../risk/backtest/judged-periods.ts";
import type { TwoSidedForecast } from "../risk/backtest/tail-forecast.ts";
import { HORIZON_HOURS } from "../risk/scenarios/horizon.ts";
import { FULL_HISTORY_HOURS } from "../risk/scenarios/short-history.ts";
import { AssetBaselines, BaselineTables } from "./asset-baselines.ts";

/** One asset's record, to be judged. */
export interface DiagnosisJob {
  readonly kind: "diagnosis";
  readonly ticker: Ticker;
  readonly computedAtMs: number;
  /** Rows of FORECAST_COLUMNS one after another, ascending in time. */
  readonly rows: Float64Array;
  readonly multipliers: SigmaMultipliers;
  /** What the baselines forecast from. */
  readonly bars: BarColumns;
  /** Results whose losses against the baselines are taken over; null to compute them, which costs most of the job. */
  readonly previous: readonly JudgedForecasts[] | null;
}

export function diagnosisJob(job: DiagnosisJob): AssetDiagnostics {
  const rows = splitForecasts(job.rows).map(decodeForecast);
  const standing = job.previous?.map(({ quantileLosses }) => quantileLosses);
  return diagnose({
    ticker: job.ticker,
    computedAtMs: job.computedAtMs,
    rows,
    multipliers: job.multipliers,
    quantileLosses: standing ?? lossesAgainstBaselines(job, rows.filter(isFinished)),
  });
}

const COMPARED = ["historical-simulation", "ewma-normal", "garch-normal"] as const satisfies Baseline[];

/** Sums of tick losses of one series: ours, then those of COMPARED. */
interface LossSums {
  count: number;
  readonly sums: Float64Array;
}

/** In the order of JUDGED_KEYS. */
function lossesAgainstBaselines(
  { ticker, bars }: DiagnosisJob,
  rows: readonly FinishedRow[],
): readonly (QuantileLosses | null)[] {
  const totals = JUDGED_KEYS.map((): LossSums => ({ count: 0, sums: new Float64Array(1 + COMPARED.length) }));
  const series = candleSeriesOf(ticker, barsFrom(bars));
  if (series !== null) addLosses(series, rows, totals);
  return totals.map(({ count, sums }) => {
    if (count === 0) return null;
    const [model, historicalSimulation, ewma, gaussian] = sums.map((sum) => sum / count);
    return {
      model: model!,
      historicalSimulation: historicalSimulation!,
      ewma: ewma!,
      gaussian: gaussian!,
    };
  });
}

function addLosses(series: CandleSeries, rows: readonly FinishedRow[], totals: readonly LossSums[]): void {
  const byHour = new Map<number, FinishedRow[]>();
  for (const row of rows) {
    const hour = row.timeMs / HOUR_MS;
    byHour.set(hour, [...(byHour.get(hour) ?? []), row]);
  }
  const baselines = new AssetBaselines(series, new BaselineTables(), COMPARED);
  let bars = 1;
  for (let hour = series.firstHour + 1; hour < series.endHour; hour++) {
    baselines.closeBar(hour);
    const nextHour = hour + 1;
    if (series.barAt(hour) !== undefined) bars++;
    if (bars < FULL_HISTORY_HOURS.value) continue;
    if (startsDay(nextHour)) baselines.startDay(hour, startsWeek(nextHour));
    const due = byHour.get(nextHour);
    if (due === undefined || !baselines.isReady) continue;
    const others = COMPARED.map((baseline) => baselines.forecastsOf(baseline, horizonsDue(nextHour)));
    for (const row of due) addRow(row, others, totals);
  }
}

function addRow(
  row: FinishedRow,
  others: readonly (readonly TwoSidedForecast[])[],
  totals: readonly LossSums[],
): void {
  const horizon = HORIZON_HOURS.findIndex((hours) => hours === row.horizonHours);
  const rivals = others.map((forecasts) => forecasts[horizon]!);
  JUDGED_KEYS.forEach(({ side, horizonHours, level }, place) => {
    if (horizonHours !== row.horizonHours) return;
    const total = totals[place]!;
    const loss = lossOf(row, side);
    total.count++;
    [row, ...rivals].forEach((forecast, model) => {
      const valueAtRisk = level === 0.95 ? forecast[side].var95 : forecast[side].var99;
      total.sums[model]! += tickLoss(loss, valueAtRisk, tailProbabilityOf(level));
    });
  });
}
