import type { HarrellDavisWeights } from "../../math/harrell-davis.ts";
import { harrellDavisOfDescending, harrellDavisReach } from "../../math/harrell-davis.ts";
import type { Selection } from "../../math/order-statistics.ts";
import { createSelection, selectLargest } from "../../math/order-statistics.ts";
import { expectedShortfallOfDescending, tailSizeOf } from "../expected-shortfall.ts";
import { horizonIndex } from "./horizon.ts";
import { PATH_FACTS } from "./path-kernel.ts";
import type { PathBuffers } from "./sheet.ts";
import { DAY_TAIL_LENGTH, pathsLengthOf } from "./sheet.ts";

/** Working memory of summaries, one per job. */
export interface DaySummaryScratch {
  readonly losses: Float64Array;
  readonly selection: Selection;
  readonly at99: HarrellDavisWeights;
}

export function createDaySummaryScratch(at99: HarrellDavisWeights): DaySummaryScratch {
  const scenarios = at99.sampleSize;
  return { losses: new Float64Array(scenarios), selection: createSelection(scenarios), at99 };
}

/** Derives a row's 24 h simple returns from its log paths, and of them the deviation and both sides' 99 % tails. */
export function fillDaySummary(buffers: PathBuffers, row: number, scratch: DaySummaryScratch): void {
  const { losses, at99 } = scratch;
  const scenarios = at99.sampleSize;
  const from = row * pathsLengthOf(scenarios) + horizonIndex(24) * PATH_FACTS.length * scenarios;
  const to = row * scenarios;
  let sum = 0;
  let square = 0;
  for (let scenario = 0; scenario < scenarios; scenario++) {
    buffers.dayReturns[to + scenario] = Math.expm1(buffers.logPaths[from + scenario]!);
    const simple = buffers.dayReturns[to + scenario]!;
    sum += simple;
    square += simple * simple;
    losses[scenario] = -simple;
  }
  const mean = sum / scenarios;
  buffers.daySigmas[row] = Math.sqrt(Math.max(0, square / scenarios - mean * mean));
  fillTail(buffers.dayTails, row * DAY_TAIL_LENGTH, scratch);
  for (let scenario = 0; scenario < scenarios; scenario++) losses[scenario] = -losses[scenario]!;
  fillTail(buffers.dayTails, row * DAY_TAIL_LENGTH + 1, scratch);
}

function fillTail(tails: Float64Array, at: number, scratch: DaySummaryScratch): void {
  const { losses, selection, at99 } = scratch;
  const { sampleSize, confidence } = at99;
  const reach = Math.max(harrellDavisReach(at99), Math.ceil(tailSizeOf(sampleSize, confidence)));
  selectLargest(losses, Math.min(reach, sampleSize), selection);
  tails[at] = harrellDavisOfDescending(selection.values, at99);
  tails[at + 2] = expectedShortfallOfDescending(selection.values, sampleSize, confidence);
}
