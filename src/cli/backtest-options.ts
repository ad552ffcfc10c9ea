import { availableParallelism } from "node:os";
import { CommandFailure, namedAssets, parsedArguments } from "./command-failure.ts";

const USAGE = `usage: npm run backtest -- --data DIR [--assets BTC,ETH] [--from 2024-01-01] [--to 2024-07-01] [--json FILE] [--threads 2]
  --data    directory of ASSET.csv or ASSET.csv.gz with ts_ms,open,high,low,close,volume, one hour a line, UTC
  --assets  only these; without it, all in the directory
  --from    first day judged (older candles warm the models up); without it, as soon as there is history
  --to      first day not judged
  --json    writes every figure to a file as well
  --threads years walked at the same time; without it, as many as the machine has cores`;

export interface BacktestOptions {
  readonly directory: string;
  /** Null: all in the directory. */
  readonly assets: ReadonlySet<string> | null;
  /** Infinite where the candles decide. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly jsonFile: string | null;
  readonly threads: number;
}

/** Errors: CommandFailure that names the option. */
export function backtestOptions(args: readonly string[]): BacktestOptions {
  const { values } = parsedArguments(
    {
      args: [...args],
      options: {
        data: { type: "string" },
        assets: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        json: { type: "string" },
        threads: { type: "string", default: String(availableParallelism()) },
      },
    },
    USAGE,
  );
  if (values.data === undefined) throw new CommandFailure(`--data is missing\n${USAGE}`);
  const fromMs = dayMs("--from", values.from) ?? -Infinity;
  const toMs = dayMs("--to", values.to) ?? Infinity;
  if (fromMs >= toMs) throw new CommandFailure("--from must be before --to");
  const threads = Number(values.threads);
  if (!(Number.isInteger(threads) && threads > 0)) {
    throw new CommandFailure(`--threads must be a whole number above 0, got "${values.threads}"`);
  }
  return {
    directory: values.data,
    assets: namedAssets(values.assets),
    fromMs,
    toMs,
    jsonFile: values.json ?? null,
    threads,
  };
}

function dayMs(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const timeMs = Date.parse(text);
  // Date.parse also reads what is no such day: the 31st of February as the 2nd of March, 2024-1-1 by the machine's time zone.
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString().slice(0, 10) !== text) {
    throw new CommandFailure(`${option} must be a day such as 2024-01-01, got "${text}"`);
  }
  return timeMs;
}
