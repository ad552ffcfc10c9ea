import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../math/invariant.ts";
import { readCandles } from "./backtest-candles.ts";
import type { SeriesDump } from "./backtest-ledger.ts";
import type { TouchDump } from "./backtest-touches.ts";
import { walkForward } from "./backtest-walk.ts";

/** A worker's side of the backtest: one year of forecasts, then it ends. */
export interface YearTask {
  readonly directory: string;
  readonly assets: ReadonlySet<string> | null;
  readonly fromMs: number;
  readonly toMs: number;
}

export type YearMessage =
  | { readonly type: "progress"; readonly doneFraction: number }
  | { readonly type: "done"; readonly series: readonly SeriesDump[]; readonly touches: TouchDump };

const port = parentPort;
invariant(port !== null, "a year is walked in a worker thread");
const { directory, assets, fromMs, toMs } = workerData as YearTask;
const post = (message: YearMessage): void => {
  port.postMessage(message);
};
const { ledger, touches } = walkForward({
  series: readCandles(directory, assets),
  fromMs,
  toMs,
  onProgress: (doneFraction) => {
    post({ type: "progress", doneFraction });
  },
});
post({ type: "done", series: ledger.dump(), touches: touches.dump() });
