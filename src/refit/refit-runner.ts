import type { Result } from "../domain/result.ts";
import type { AssetDiagnostics } from "../risk/backtest/asset-diagnostics.ts";
import { type DiagnosisJob, diagnosisJob } from "./diagnosis-job.ts";
import { type ReplayedForecasts, type ReplayJob, replayJob } from "./replay-job.ts";
import { drawSheetJob, type DrawnSheet, type SheetJob } from "./sheet-job.ts";
import { type FittedVolatility, fitVolatilityJob, type VolatilityJob } from "./volatility-job.ts";

export type RefitJob = VolatilityJob | SheetJob | ReplayJob | DiagnosisJob;
export type RefitOutput = FittedVolatility | DrawnSheet | ReplayedForecasts | AssetDiagnostics | null;

/** Why a job gave nothing. The caller keeps the last good result. */
export interface RefitFailure {
  readonly code: "failed" | "late" | "crashed" | "closed";
  readonly detail: string;
}

/** Where heavy numerics run: on worker threads in production, in place in tests. Never rejects. */
export interface RefitRunner {
  fitVolatility(job: VolatilityJob): Promise<Result<FittedVolatility | null, RefitFailure>>;
  /** Goes ahead of waiting fits: it serves everyone. */
  drawSheet(job: SheetJob): Promise<Result<DrawnSheet, RefitFailure>>;
  /** Waits for everything else: nobody waits for it. */
  replayForecasts(job: ReplayJob): Promise<Result<ReplayedForecasts, RefitFailure>>;
  /** Waits for everything else, too. */
  diagnose(job: DiagnosisJob): Promise<Result<AssetDiagnostics, RefitFailure>>;
  close(): Promise<void>;
}

/** The pure function behind every job. */
export function runJob(job: RefitJob): RefitOutput {
  switch (job.kind) {
    case "volatility":
      return fitVolatilityJob(job);
    case "sheet":
      return drawSheetJob(job);
    case "replay":
      return replayJob(job);
    case "diagnosis":
      return diagnosisJob(job);
  }
}
