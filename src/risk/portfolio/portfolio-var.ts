import type { HarrellDavisWeights } from "../../math/harrell-davis.ts";
import {
  buildHarrellDavisWeights,
  harrellDavisOfDescending,
  harrellDavisReach,
} from "../../math/harrell-davis.ts";
import type { Selection } from "../../math/order-statistics.ts";
import { createSelection, selectLargest } from "../../math/order-statistics.ts";
import { expectedShortfallOfDescending, expectedShortfallReach } from "../tails/expected-shortfall.ts";
import { type AskedBook, createAskedBook } from "./tail/asked-book.ts";
import { createDriftTerms, DRIFT_DECAY, type DriftTerms } from "./dependence/correlation-drift.ts";
import { createProductMemory, type ProductMemory } from "./dependence/residual-products.ts";
import type { RowSteps } from "./liquidation/path-steps.ts";
import { createRowMemory } from "./liquidation/row-paths.ts";
import { createRowExtremes, type RowExtremes } from "./tail/row-extremes.ts";
import { TailArena } from "./tail/tail-arena.ts";
import { createEveryScenario, type EveryScenario } from "./tail/anchored-candidates.ts";
import { createTailSorter, type TailSorter } from "./tail/tail-order.ts";

/** Portfolio loss quantiles and tail means over 24 hours. */
export interface PortfolioTail {
  readonly var95Usd: number;
  readonly var99Usd: number;
  readonly expectedShortfall95Usd: number;
  readonly expectedShortfall99Usd: number;
}

/**
 * Memory and weights of portfolio calculations on one size of sheet, made once per thread and reused by every request.
 */
export interface PortfolioWorkspace {
  readonly scenarios: number;
  /** Of everything that its tails are read from. */
  readonly arena: TailArena;
  readonly at95: HarrellDavisWeights;
  readonly at99: HarrellDavisWeights;
  /** Largest losses that a 95 % tail, and a 99 % tail, read. */
  readonly reach95: number;
  readonly reach99: number;
  /** After portfolioTail: the reach95 largest losses and their scenarios, largest first. */
  readonly selection: Selection;
  /** After portfolioAttribution: the reach95 largest losses of its book, largest first. */
  readonly tailLossesUsd: Float64Array;
  readonly sorter: TailSorter;
  readonly every: EveryScenario;
  readonly book: AskedBook;
  readonly products: ProductMemory;
  readonly extremes: RowExtremes;
  /** Of the positions that the correction was last asked for. */
  readonly drift: DriftTerms;
  readonly steps: RowSteps;
}

export function createPortfolioWorkspace(scenarios: number): PortfolioWorkspace {
  const at95 = buildHarrellDavisWeights(scenarios, 0.95);
  const at99 = buildHarrellDavisWeights(scenarios, 0.99);
  const arena = new TailArena();
  const selection = createSelection(scenarios, arena.selection(scenarios));
  const reach95 = reachOf(at95);
  return {
    scenarios,
    arena,
    at95,
    at99,
    reach95,
    reach99: reachOf(at99),
    selection,
    tailLossesUsd: new Float64Array(reach95),
    sorter: createTailSorter(scenarios, selection, arena),
    every: createEveryScenario(scenarios, arena),
    book: createAskedBook(scenarios, arena),
    products: createProductMemory(DRIFT_DECAY.value),
    extremes: createRowExtremes(scenarios),
    drift: createDriftTerms(),
    steps: createRowMemory(),
  };
}

/**
 * VaR and ES of a vector of losses.
 *
 * Shapes:  lossesUsd as long as the workspace's scenarios; not changed
 * Holds:   homogeneous in the losses; ES >= VaR, 99 >= 95
 */
export function portfolioTail(lossesUsd: Float64Array, workspace: PortfolioWorkspace): PortfolioTail {
  selectLargest(lossesUsd, workspace.reach95, workspace.selection);
  return portfolioTailOfDescending(workspace.selection.values, workspace);
}

/** The same of its largest losses. Shapes: largest first, as many as a 95 % tail reads */
export function portfolioTailOfDescending(
  values: Float64Array,
  { at95, at99, scenarios }: PortfolioWorkspace,
): PortfolioTail {
  const var95Usd = harrellDavisOfDescending(values, at95);
  const var99Usd = harrellDavisOfDescending(values, at99);
  const shortfall95Usd = expectedShortfallOfDescending(values, scenarios, 0.95);
  const shortfall99Usd = expectedShortfallOfDescending(values, scenarios, 0.99);
  // A smoothed quantile may exceed the tail mean by rounding where the tail is flat.
  return {
    var95Usd,
    var99Usd,
    expectedShortfall95Usd: Math.max(shortfall95Usd, var95Usd),
    expectedShortfall99Usd: Math.max(shortfall99Usd, var99Usd),
  };
}

/** A tail of losses that are all so many times as large. */
export function scaledTail(tail: PortfolioTail, scale: number): PortfolioTail {
  return {
    var95Usd: scale * tail.var95Usd,
    var99Usd: scale * tail.var99Usd,
    expectedShortfall95Usd: scale * tail.expectedShortfall95Usd,
    expectedShortfall99Usd: scale * tail.expectedShortfall99Usd,
  };
}

function reachOf(weights: HarrellDavisWeights): number {
  const { sampleSize, confidence } = weights;
  const tail = expectedShortfallReach(sampleSize, confidence);
  return Math.min(sampleSize, Math.max(harrellDavisReach(weights), tail));
}
