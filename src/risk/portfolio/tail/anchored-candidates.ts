import { selectLargest } from "../../../math/order-statistics.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import type { PortfolioWorkspace } from "../portfolio-var.ts";
import { addCandidate, columnOf, forgetCandidates, type TailCandidates } from "./tail-candidates.ts";
import type { TailArena } from "./tail-arena.ts";
import { createTailMemory } from "./tail-memory.ts";
import type { TailOrder } from "./tail-order.ts";

/** Candidates of a reference book, over the scenarios that a 95 % tail reads: what sizes and marks may move by. */
const CANDIDATES_PER_READ = 2.5;
/** Of those wanted: where ties and rounding leave more or fewer, they are selected one by one. */
const FEWER_MIN = 0.95;
const MORE_MAX = 1.2;

/** Working memory of anchors. */
export interface EveryScenario {
  /** 0 to the last. */
  readonly scenarios: Uint32Array;
  /** The same, as slots. */
  readonly slots: TailOrder;
  /** Room for an order of all. */
  readonly order: TailOrder;
  /** Returns of nothing. */
  readonly zeros: Float32Array;
}

export function createEveryScenario(scenarios: number, arena: TailArena): EveryScenario {
  const every = {
    scenarios: arena.integers(scenarios),
    slots: arena.order(scenarios),
    order: arena.order(scenarios),
    zeros: arena.singles(scenarios).fill(0),
  };
  for (let scenario = 0; scenario < scenarios; scenario++) {
    every.scenarios[scenario] = scenario;
    every.slots[scenario] = scenario;
  }
  return every;
}

/** Begins anew with the worst scenarios of a reference book, found by a pass over all. */
export function anchorCandidates(
  sheet: ScenarioSheet,
  reference: readonly SheetPosition[],
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): void {
  const { restLossesUsd } = candidates;
  const { book, reach95, scenarios, every } = workspace;
  restLossesUsd.fill(0);
  book.rows.addLosses(sheet, reference, restLossesUsd);
  forgetCandidates(candidates);
  const wanted = Math.min(scenarios, Math.ceil(CANDIDATES_PER_READ * reach95));
  if (!admitReachingLevel(wanted, candidates, workspace)) admitLargest(wanted, candidates, workspace);
  candidates.moves = 0;
  candidates.roundingUsd = 0;
  candidates.referenceOrder = every.slots.subarray(0, candidates.count);
  candidates.arena.release(candidates.tail.order);
  candidates.tail = createTailMemory(candidates.referenceOrder, reach95, candidates.arena);
  for (const { row, notionalUsdSigned } of reference) {
    columnOf(sheet, row, candidates, book).referenceUsd += notionalUsdSigned;
  }
}

/** About so many, all that reach a level, the largest first; false where no level parts them from the others. */
function admitReachingLevel(
  wanted: number,
  candidates: TailCandidates,
  { scenarios, selection, sorter, book: { kernel }, every }: PortfolioWorkspace,
): boolean {
  const { restLossesUsd } = candidates;
  if (wanted === scenarios) return false;
  const levelUsd = kernel.levelReached(restLossesUsd, scenarios, wanted, sorter.buckets);
  if (levelUsd === -Infinity) return false;
  // No change of whatever return.
  const kept = kernel.keepReaching(restLossesUsd, restLossesUsd, 0, levelUsd, scenarios, selection);
  if (kept < FEWER_MIN * wanted || kept > MORE_MAX * wanted) return false;
  const order = every.order.subarray(0, kept);
  if (!kernel.sortKept(kept, levelUsd, order, selection, every.scenarios, sorter.buckets)) return false;
  for (let slot = 0; slot < kept; slot++) addCandidate(order[slot]!, candidates);
  candidates.restLossUsd = levelUsd;
  return true;
}

function admitLargest(
  wanted: number,
  candidates: TailCandidates,
  { scenarios, selection }: PortfolioWorkspace,
): void {
  selectLargest(candidates.restLossesUsd, wanted, selection);
  for (let slot = 0; slot < wanted; slot++) addCandidate(selection.indices[slot]!, candidates);
  candidates.restLossUsd = wanted === scenarios ? -Infinity : selection.values[wanted - 1]!;
}
