import { err, ok, type Result } from "../../src/domain/result.ts";
import type { AssetDiagnostics } from "../../src/risk/backtest/asset-diagnostics.ts";
import {
  type RefitFailure,
  type RefitJob,
  type RefitOutput,
  type RefitRunner,
  runJob,
} from "../../src/refit/refit-runner.ts";
import type { ReplayedForecasts } from "../../src/refit/replay-job.ts";
import type { DrawnSheet } from "../../src/refit/sheet-job.ts";
import type { FittedVolatility } from "../../src/refit/volatility-job.ts";

/** Jobs on the caller's thread. */
export function inProcessRunner(): RefitRunner {
  const run = (job: RefitJob): Promise<Result<RefitOutput, RefitFailure>> =>
    Promise.resolve().then(() => {
      try {
        return ok(runJob(job));
      } catch (error) {
        return err({ code: "failed", detail: String(error) });
      }
    });
  return {
    fitVolatility: (job) => run(job) as Promise<Result<FittedVolatility | null, RefitFailure>>,
    drawSheet: (job) => run(job) as Promise<Result<DrawnSheet, RefitFailure>>,
    replayForecasts: (job) => run(job) as Promise<Result<ReplayedForecasts, RefitFailure>>,
    diagnose: (job) => run(job) as Promise<Result<AssetDiagnostics, RefitFailure>>,
    close: () => Promise.resolve(),
  };
}
