import type { Result } from "../domain/result.ts";
import { drawSheetJob, type DrawnSheet, type SheetJob } from "./sheet-job.ts";
import { type FittedVolatility, fitVolatilityJob, type VolatilityJob } from "./volatility-job.ts";

export type RefitJob = VolatilityJob | SheetJob;
export type RefitOutput = FittedVolatility | DrawnSheet | null;

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
  close(): Promise<void>;
}

/** The pure function behind every job. */
export function runJob(job: RefitJob): RefitOutput {
  switch (job.kind) {
    case "volatility":
      return fitVolatilityJob(job);
    case "sheet":
      return drawSheetJob(job);
  }
}
