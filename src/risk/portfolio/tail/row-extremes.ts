import { createSelection, type Selection, selectLargest } from "../../../math/order-statistics.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import { DrawMemory } from "../../scenarios/draw-memory.ts";
import { dayReturnsOf, type ScenarioSheet } from "../../scenarios/sheet.ts";

/** Enough for a position of ordinary size in its book, and more than a 95 % tail reads. */
const EXTREMES_MIN = 512;
const EXTREMES_PART = 8;
/** Returns and paths are of single precision, and the lists were sorted at another sigma: a hair of slack, of a loss. */
export const SORTING_SLACK = 1e-6;

/**
 * Each row's scenarios of its deepest falls and highest rises, found when first asked for. A rescaled day keeps the order
 * of its scenarios, so the lists last as long as the draw.
 */
export interface RowExtremes {
  readonly lists: DrawMemory<ExtremeLists>;
  readonly sample: Float64Array;
  readonly selection: Selection;
}

/** Shapes: by row; an eighth of the scenarios a list, 512 at least where there are as many, the most extreme first */
interface ExtremeLists {
  readonly falls: (Uint32Array | undefined)[];
  readonly rises: (Uint32Array | undefined)[];
}

export function createRowExtremes(scenarios: number): RowExtremes {
  return {
    lists: new DrawMemory<ExtremeLists>(() => ({ falls: [], rises: [] })),
    sample: new Float64Array(scenarios),
    selection: createSelection(scenarios),
  };
}

/** The scenarios in which a position in this row gains (sign 1: a long's rises) or loses the most per USD. */
export function extremesOf(
  sheet: ScenarioSheet,
  row: number,
  sign: 1 | -1,
  memory: RowExtremes,
): Uint32Array {
  const { falls, rises } = memory.lists.of(sheet);
  const lists = sign > 0 ? rises : falls;
  return (lists[row] ??= listExtremes(sheet, row, sign, memory));
}

/** The most that a scenario loses by a change of the row's notional, but for the `skipped` that lose more. */
export function worstChangeUsd(
  sheet: ScenarioSheet,
  { row, day }: CandidateColumn,
  changeUsd: number,
  extremes: RowExtremes,
  skipped = 0,
): number {
  if (changeUsd === 0) return 0;
  const worst = extremesOf(sheet, row, changeUsd > 0 ? -1 : 1, extremes);
  const lossUsd = 0 - changeUsd * day.returns[worst[Math.min(skipped, worst.length - 1)]!]!;
  return lossUsd + SORTING_SLACK * Math.abs(lossUsd);
}

function listExtremes(
  sheet: ScenarioSheet,
  row: number,
  sign: 1 | -1,
  { sample, selection }: RowExtremes,
): Uint32Array {
  const returns = dayReturnsOf(sheet, row);
  for (let scenario = 0; scenario < returns.length; scenario++) sample[scenario] = sign * returns[scenario]!;
  const count = Math.min(returns.length, Math.max(EXTREMES_MIN, Math.ceil(returns.length / EXTREMES_PART)));
  selectLargest(sample.subarray(0, returns.length), count, selection);
  return selection.indices.slice(0, count);
}
