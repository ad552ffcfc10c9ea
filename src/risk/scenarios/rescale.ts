import { HORIZON_HOURS } from "../volatility/term-structure.ts";
import { horizonIndex } from "./horizon.ts";
import { LOG_RETURN_MAX, PATH_FACTS } from "./path-kernel.ts";
import type { PathBuffers, ScenarioSheet } from "./sheet.ts";
import { type DaySummaryScratch, fillDaySummary } from "./day-summary.ts";
import { pathsLengthOf } from "./sheet.ts";

/** Beyond this a rescaled sheet is no longer the right shape: it must be drawn anew. */
export const RESCALE_MAX = 2;

/** How much sigma moved since a sheet was drawn, per horizon. */
export interface SigmaDrift {
  /** √(cumulative variance now / when drawn), held within [½, 2]. Shapes: one per horizon. */
  readonly ratios: Float64Array;
  /** True where a ratio had to be held: the sheet should be drawn anew. */
  readonly isBeyondRescaling: boolean;
}

export function sigmaDrift(varianceNow: ArrayLike<number>, varianceAtDraw: ArrayLike<number>): SigmaDrift {
  const ratios = new Float64Array(HORIZON_HOURS.length);
  let isBeyondRescaling = false;
  for (let horizon = 0; horizon < ratios.length; horizon++) {
    const raw = Math.sqrt(varianceNow[horizon]! / varianceAtDraw[horizon]!);
    ratios[horizon] = Math.max(1 / RESCALE_MAX, Math.min(RESCALE_MAX, raw));
    if (raw > RESCALE_MAX || raw < 1 / RESCALE_MAX) isBeyondRescaling = true;
  }
  return { ratios, isBeyondRescaling };
}

/**
 * The sheet at today's sigma: every log path of a row times its horizon's ratio, in other buffers; pools and index are
 * shared with the drawn sheet. Always rescale the sheet as drawn, not one already rescaled.
 *
 * Shapes:  rowRatios[row] holds one ratio per horizon
 * Holds:   the order of a sheet; ratio 1 copies
 */
export function rescaleSheet(
  drawn: ScenarioSheet,
  rowRatios: readonly ArrayLike<number>[],
  version: number,
  into: PathBuffers,
  summary: DaySummaryScratch,
): ScenarioSheet {
  for (let row = 0; row < drawn.rows; row++) rescaleRow(drawn, row, rowRatios[row]!, into, summary);
  return {
    ...drawn,
    version,
    paths: into,
    dynamics: drawn.dynamics.map((dynamics, row) => {
      const ratio = rowRatios[row]![horizonIndex(24)]!;
      return { ...dynamics, sigmaFactors: dynamics.sigmaFactors.map((factor) => factor * ratio) };
    }),
  };
}

function rescaleRow(
  drawn: ScenarioSheet,
  row: number,
  ratios: ArrayLike<number>,
  into: PathBuffers,
  summary: DaySummaryScratch,
): void {
  const { scenarios } = drawn;
  const rowAt = row * pathsLengthOf(scenarios);
  const from = drawn.paths.logPaths;
  const to = into.logPaths;
  for (let horizon = 0; horizon < HORIZON_HOURS.length; horizon++) {
    const ratio = ratios[horizon]!;
    const at = rowAt + horizon * PATH_FACTS.length * scenarios;
    const previous = at - PATH_FACTS.length * scenarios;
    for (let s = 0; s < scenarios; s++) {
      // Ratios differ between horizons, so the shorter horizon's extremes are carried over.
      const floor = horizon === 0 ? 0 : to[previous + scenarios + s]!;
      const ceiling = horizon === 0 ? 0 : to[previous + 2 * scenarios + s]!;
      to[at + s] = bounded(ratio * from[at + s]!);
      to[at + scenarios + s] = Math.min(floor, bounded(ratio * from[at + scenarios + s]!));
      to[at + 2 * scenarios + s] = Math.max(ceiling, bounded(ratio * from[at + 2 * scenarios + s]!));
    }
  }
  fillDaySummary(into, row, summary);
}

function bounded(logReturn: number): number {
  return Math.max(-LOG_RETURN_MAX, Math.min(LOG_RETURN_MAX, logReturn));
}
