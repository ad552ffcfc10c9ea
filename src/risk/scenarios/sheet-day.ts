import { sharedSingles } from "../../domain/shared-memory.ts";
import type { HarrellDavisWeights } from "../../math/harrell-davis.ts";
import {
  buildHarrellDavisWeights,
  harrellDavisOfDescending,
  harrellDavisReach,
} from "../../math/harrell-davis.ts";
import type { Selection } from "../../math/order-statistics.ts";
import { createSelection, selectLargest } from "../../math/order-statistics.ts";
import { boundedLogReturn } from "./path-kernel.ts";

/**
 * What a portfolio reads of one asset's coming 24 hours: the joint paths at one level of sigma. Immutable; between
 * draws a row's day is replaced whole when sigma moves, with the paths multiplied before the exponential, so that the
 * portfolio and the asset's own tails never stand at different sigmas.
 *
 * Shapes:  returns as long as the sheet's scenarios, on shared memory
 */
export interface SheetDay {
  /** The draw whose paths these are. */
  readonly version: number;
  /** Sigma over the sigma of the draw; 1 as drawn. */
  readonly sigmaRatio: number;
  /** [scenario], simple return e^{kc} − 1 of log return c at sigma ratio k. */
  readonly returns: Float32Array;
  /** Standard deviation of the log returns. */
  readonly sigma: number;
  /** VaR 99 % of either side alone, per USD of notional. */
  readonly longVar99: number;
  readonly shortVar99: number;
}

/** Working memory of days, one per thread. */
export interface SheetDayScratch {
  readonly losses: Float64Array;
  readonly selection: Selection;
  readonly at99: HarrellDavisWeights;
}

export function createSheetDayScratch(scenarios: number): SheetDayScratch {
  return {
    losses: new Float64Array(scenarios),
    selection: createSelection(scenarios),
    at99: buildHarrellDavisWeights(scenarios, 0.99),
  };
}

/**
 * A row's day at a sigma ratio. Holds: ratio 1 gives the day as drawn; the order of the scenarios is kept.
 * Shapes:  logReturns are the row's terminal log returns at 24 h as drawn; `returns`, which are filled, are as many
 */
export function buildSheetDay(
  logReturns: Float32Array,
  sigmaRatio: number,
  version: number,
  scratch: SheetDayScratch,
  returns: Float32Array = sharedSingles(logReturns.length),
): SheetDay {
  const { losses } = scratch;
  const scenarios = logReturns.length;
  let sum = 0;
  let square = 0;
  for (let scenario = 0; scenario < scenarios; scenario++) {
    const logReturn = sigmaRatio * logReturns[scenario]!;
    sum += logReturn;
    square += logReturn * logReturn;
    returns[scenario] = Math.expm1(boundedLogReturn(logReturn));
    losses[scenario] = -returns[scenario]!;
  }
  const mean = sum / scenarios;
  const longVar99 = var99Of(scratch);
  for (let scenario = 0; scenario < scenarios; scenario++) losses[scenario] = -losses[scenario]!;
  return {
    version,
    sigmaRatio,
    returns,
    sigma: Math.sqrt(Math.max(0, square / scenarios - mean * mean)),
    longVar99,
    shortVar99: var99Of(scratch),
  };
}

function var99Of({ losses, selection, at99 }: SheetDayScratch): number {
  selectLargest(losses, harrellDavisReach(at99), selection);
  return harrellDavisOfDescending(selection.values, at99);
}
