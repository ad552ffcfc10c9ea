import "../process/vector-instructions.ts";
import { HOUR_MS } from "../domain/bar.ts";
import type { CandleSeries } from "../risk/backtest/hourly-candles.ts";
import { readCandles } from "./backtest-candles.ts";
import { type BacktestOptions, backtestOptions } from "./backtest-options.ts";
import { reportText } from "./backtest-report.ts";
import { summarise } from "./backtest-summary.ts";
import { walkYears } from "./backtest-years.ts";
import { CommandFailure, runCommand } from "./command-failure.ts";
import { requireWritable, writeFound } from "./data-file.ts";
import { showProgress } from "./progress.ts";

/** Judges the service's own forecasts, and the usual baselines, on recorded hourly candles. */

function requireCandlesWithin(
  series: readonly CandleSeries[],
  { fromMs, toMs }: Pick<BacktestOptions, "fromMs" | "toMs">,
): void {
  const firstMs = Math.min(...series.map(({ firstHour }) => firstHour)) * HOUR_MS;
  const endMs = Math.max(...series.map(({ endHour }) => endHour)) * HOUR_MS;
  if (fromMs < endMs && toMs > firstMs) return;
  const span = [firstMs, endMs].map((timeMs) => new Date(timeMs).toISOString().slice(0, 10));
  throw new CommandFailure(`--from and --to leave no candle: they span ${span.join(" to ")}`);
}

async function backtest({ jsonFile, ...options }: BacktestOptions): Promise<void> {
  if (jsonFile !== null) requireWritable(jsonFile, "--json");
  const series = readCandles(options.directory, options.assets);
  requireCandlesWithin(series, options);
  const startedMs = Date.now();
  const progress = showProgress("candles walked");
  const result = await walkYears({ ...options, series, onProgress: progress.show });
  progress.end();
  const summary = summarise(result);
  if (summary.assets.length === 0)
    throw new CommandFailure("the candles of the named assets have no forecast that can be judged");
  console.log(reportText(summary));
  console.log(`\n${String(series.length)} assets, ${((Date.now() - startedMs) / 60_000).toFixed(1)} minutes`);
  if (jsonFile !== null) writeFound(jsonFile, JSON.stringify(summary), "--json");
}

await runCommand(() => backtest(backtestOptions(process.argv.slice(2))));
