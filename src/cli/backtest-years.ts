import { Worker } from "node:worker_threads";
import { HOUR_MS } from "../domain/bar.ts";
import { threadUrl } from "../process/thread-url.ts";
import type { CandleSeries } from "../risk/backtest/hourly-candles.ts";
import { Ledger } from "./backtest-ledger.ts";
import { TouchTable } from "./backtest-touches.ts";
import type { WalkResult } from "./backtest-walk.ts";
import type { YearMessage, YearTask } from "./backtest-year.ts";

export interface YearsOptions extends YearTask {
  readonly series: readonly CandleSeries[];
  readonly threads: number;
  readonly onProgress: (doneFraction: number) => void;
}

type YearResult = Extract<YearMessage, { type: "done" }>;

/**
 * Walks calendar years beside one another, each warmed up on the candles before it, and joins what they judged. The cut
 * is the calendar's and not the threads', so any number of threads gives the same figures.
 *
 * Errors:  of the first year that fails; the others, which nobody needs any more, are ended
 */
export async function walkYears(options: YearsOptions): Promise<WalkResult> {
  const tasks = yearTasks(options);
  const weights = tasks.map((task) => barsIn(options.series, task));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const done = tasks.map(() => 0);
  const results: YearResult[] = [];
  // The year with the most candles first: it would otherwise be waited for alone.
  const queue = tasks.map((_, place) => place).sort((a, b) => weights[b]! - weights[a]!);
  const workers: Worker[] = [];
  const work = async (): Promise<void> => {
    for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
      const current = place;
      const onProgress = (doneFraction: number): void => {
        done[current] = doneFraction * weights[current]!;
        options.onProgress(done.reduce((sum, one) => sum + one, 0) / total);
      };
      const worker = new Worker(threadUrl("cli/backtest-year"), { workerData: tasks[current]! });
      workers.push(worker);
      results[current] = await resultOf(worker, onProgress);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(options.threads, tasks.length) }, work));
  } finally {
    for (const worker of workers) void worker.terminate();
  }
  const ledger = new Ledger();
  const touches = new TouchTable();
  for (const result of results) {
    ledger.absorb(result.series);
    touches.absorb(result.touches);
  }
  return { ledger, touches };
}

function resultOf(worker: Worker, onProgress: (doneFraction: number) => void): Promise<YearResult> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: YearMessage) => {
      if (message.type === "progress") onProgress(message.doneFraction);
      else resolve(message);
    });
    worker.on("error", reject);
    worker.on("exit", (code) => {
      reject(new Error(`the worker of a year ended with ${String(code)}`));
    });
  });
}

function yearTasks({ series, directory, assets, fromMs, toMs }: YearsOptions): readonly YearTask[] {
  const first = Math.max(fromMs, Math.min(...series.map(({ firstHour }) => firstHour)) * HOUR_MS);
  const end = Math.min(toMs, Math.max(...series.map(({ endHour }) => endHour)) * HOUR_MS);
  const tasks: YearTask[] = [];
  for (let year = new Date(first).getUTCFullYear(); Date.UTC(year) < end; year++) {
    tasks.push({
      directory,
      assets,
      fromMs: Math.max(first, Date.UTC(year)),
      toMs: Math.min(end, Date.UTC(year + 1)),
    });
  }
  return tasks;
}

function barsIn(series: readonly CandleSeries[], { fromMs, toMs }: YearTask): number {
  return series.reduce((sum, { firstHour, endHour }) => {
    const hours = Math.min(endHour, toMs / HOUR_MS) - Math.max(firstHour, fromMs / HOUR_MS);
    return sum + Math.max(0, hours);
  }, 0);
}
