import { writeFileSync } from "node:fs";
import { HOUR_MS } from "../domain/bar.ts";
import type { CandleSeries } from "../risk/backtest/hourly-candles.ts";
import { readCandles } from "./backtest-candles.ts";
import { type BacktestOptions, backtestOptions } from "./backtest-options.ts";
import { reportText } from "./backtest-report.ts";
import { summarise } from "./backtest-summary.ts";
import { walkYears } from "./backtest-years.ts";
import { CommandFailure, runCommand } from "./command-failure.ts";
import { requireWritable } from "./data-file.ts";

/** Judges the service's own forecasts, and the usual baselines, on recorded hourly candles. */

const BAR_WIDTH = 40;

function showProgress(doneFraction: number): void {
  const bar = "#".repeat(Math.round(BAR_WIDTH * doneFraction)).padEnd(BAR_WIDTH, ".");
  process.stderr.write(`\r[${bar}] ${(100 * doneFraction).toFixed(1).padStart(5)} %`);
}

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
  const result = await walkYears({ ...options, series, onProgress: showProgress });
  process.stderr.write("\n");
  const summary = summarise(result);
  console.log(reportText(summary));
  console.log(`\n${String(series.length)} assets, ${((Date.now() - startedMs) / 60_000).toFixed(1)} minutes`);
  if (jsonFile !== null) writeFileSync(jsonFile, JSON.stringify(summary));
}

await runCommand(() => backtest(backtestOptions(process.argv.slice(2))));
