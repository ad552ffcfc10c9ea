import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import { foundOf, type RowMemory } from "./row-paths.ts";

/** So many that few scenarios share the one in which a position is liquidated. */
const STEPS = 512;

/**
 * The scenarios of one asset by how far their paths go against a position within the day, in equal steps of log price from
 * the furthest to where the price is: which of them pass a level is known but for one step's.
 *
 * Shapes:  order [scenario]: by step, the furthest first; starts [STEPS + 1]: where each step's scenarios begin in it
 */
interface PathSteps {
  readonly order: Uint16Array;
  readonly starts: Uint16Array;
  readonly furthest: number;
  readonly perUnit: number;
}

export type RowSteps = RowMemory<PathSteps>;

/**
 * Lists the scenarios whose path reaches a level; their number.
 *
 * Shapes:  `paths` are the row's worst; `level` in log returns as drawn, negated for a short; `into` with room for all
 */
export function listReaching(
  sheet: ScenarioSheet,
  row: number,
  direction: 1 | -1,
  paths: Float32Array,
  level: number,
  memory: RowSteps,
  into: Uint16Array,
): number {
  const { order, starts, furthest, perUnit } = foundOf(sheet, row, direction, memory, stepsOf);
  if (level < furthest) return 0;
  const step = stepOf(level, furthest, perUnit);
  let count = starts[step]!;
  into.set(order.subarray(0, count));
  for (let k = count; k < starts[step + 1]!; k++) {
    const s = order[k]!;
    if (direction * paths[s]! <= level) into[count++] = s;
  }
  return count;
}

function stepsOf(paths: Float32Array, direction: 1 | -1): PathSteps {
  let furthest = 0;
  for (let s = 0; s < paths.length; s++) furthest = Math.min(furthest, direction * paths[s]!);
  const perUnit = furthest === 0 ? 0 : STEPS / -furthest;
  const starts = new Uint16Array(STEPS + 1);
  for (let s = 0; s < paths.length; s++) starts[stepOf(direction * paths[s]!, furthest, perUnit) + 1]!++;
  for (let step = 0; step < STEPS; step++) starts[step + 1]! += starts[step]!;
  const next = starts.slice();
  const order = new Uint16Array(paths.length);
  for (let s = 0; s < paths.length; s++) {
    order[next[stepOf(direction * paths[s]!, furthest, perUnit)]!++] = s;
  }
  return { order, starts, furthest, perUnit };
}

/** Never falls as the value rises, so that what is in an earlier step lies beyond it. */
function stepOf(value: number, furthest: number, perUnit: number): number {
  return Math.min(STEPS - 1, ((value - furthest) * perUnit) | 0);
}
