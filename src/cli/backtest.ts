import { existsSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { causeText } from "../domain/cause-text.ts";
import { readCandles } from "./backtest-candles.ts";
import { reportText } from "./backtest-report.ts";
import { summarise } from "./backtest-summary.ts";
import { walkYears } from "./backtest-years.ts";

/** Judges the service's own forecasts, and the usual baselines, on recorded hourly candles. */

const USAGE = `usage: npm run backtest -- --data DIR [--assets BTC,ETH] [--from 2024-01-01] [--to 2024-07-01] [--json FILE] [--threads 2]
  --data    directory of ASSET.csv or ASSET.csv.gz with ts_ms,open,high,low,close,volume, one hour a line, UTC
  --assets  only these; without it, all in the directory
  --from    first day judged (older candles warm the models up); without it, as soon as there is history
  --to      first day not judged
  --json    writes every figure to a file as well
  --threads years walked at the same time; without it, as many as the machine has cores`;

const BAR_WIDTH = 40;

interface Options {
  readonly directory: string;
  readonly assets: ReadonlySet<string> | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly jsonFile: string | null;
  readonly threads: number;
}

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: "string" },
        assets: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        json: { type: "string" },
        threads: { type: "string", default: String(availableParallelism()) },
      },
    });
    const fromMs = values.from === undefined ? -Infinity : Date.parse(values.from);
    const toMs = values.to === undefined ? Infinity : Date.parse(values.to);
    if (values.data === undefined || Number.isNaN(fromMs) || Number.isNaN(toMs)) return null;
    const threads = Number(values.threads);
    if (!(Number.isInteger(threads) && threads > 0)) return null;
    const assets = values.assets === undefined ? null : new Set(values.assets.split(","));
    return { directory: values.data, assets, fromMs, toMs, jsonFile: values.json ?? null, threads };
  } catch {
    return null;
  }
}

function showProgress(doneFraction: number): void {
  const bar = "#".repeat(Math.round(BAR_WIDTH * doneFraction)).padEnd(BAR_WIDTH, ".");
  process.stderr.write(`\r[${bar}] ${(100 * doneFraction).toFixed(1).padStart(5)} %`);
}

async function run({ jsonFile, ...options }: Options): Promise<void> {
  if (jsonFile !== null && !existsSync(dirname(jsonFile))) {
    throw new Error(`${dirname(jsonFile)} does not exist`);
  }
  const series = readCandles(options.directory, options.assets);
  const startedMs = Date.now();
  const result = await walkYears({ ...options, series, onProgress: showProgress });
  process.stderr.write("\n");
  const summary = summarise(result);
  console.log(reportText(summary));
  console.log(`\n${String(series.length)} assets, ${((Date.now() - startedMs) / 60_000).toFixed(1)} minutes`);
  if (jsonFile !== null) writeFileSync(jsonFile, JSON.stringify(summary));
}

const options = readOptions();
if (options === null) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  try {
    await run(options);
  } catch (error) {
    console.error(causeText(error));
    process.exitCode = 1;
  }
}
