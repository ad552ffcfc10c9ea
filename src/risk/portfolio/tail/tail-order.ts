import { type Selection, sortKept } from "../../../math/order-statistics.ts";
import type { TailArena } from "./tail-arena.ts";
import { bucketNumbersOf, type TailKernel } from "./tail-kernel.ts";

/**
 * The slots of a tail's candidates as they were last found, largest loss first: the first guess of the next answer's,
 * which marks and trades leave nearly as it was.
 *
 * Shapes:  a tenth longer than the tail reads losses; no slot twice
 */
export type TailOrder = Uint16Array;

/** Which scenarios are candidates, and where each stands among them. */
export interface CandidateSlots {
  /** By slot. */
  scenarios: Uint32Array;
  /** By scenario: one more than its slot; 0 for none. */
  readonly slots: Uint16Array;
}

/** Working memory of tails, one per thread. */
export interface TailSorter {
  /** After a tail its values are the tail's losses, largest first. */
  readonly selection: Selection;
  /** Of the kernel's sort. */
  readonly buckets: Uint32Array;
}

/** Shapes: the selection's memory is the arena's */
export function createTailSorter(scenarios: number, selection: Selection, arena: TailArena): TailSorter {
  return {
    selection,
    buckets: arena.integers(bucketNumbersOf(scenarios)),
  };
}

/** Sorts the losses kept, none below `leastUsd`, into an order. */
export function sortInto(
  order: TailOrder,
  kept: number,
  leastUsd: number,
  { slots, scenarios }: CandidateSlots,
  { selection, buckets }: TailSorter,
  kernel: TailKernel,
): void {
  if (kernel.sortKept(kept, leastUsd, order, selection, scenarios, buckets)) return;
  const { indices, keptIndices } = selection;
  for (let i = 0; i < kept; i++) keptIndices[i] = scenarios[keptIndices[i]!]!;
  sortKept(selection, kept, order.length);
  for (let rank = 0; rank < order.length; rank++) order[rank] = slots[indices[rank]!]! - 1;
}
