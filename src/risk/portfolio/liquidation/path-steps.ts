import { DAY_HOURS } from "../../../domain/bar.ts";
import { sheetRow, type ScenarioSheet } from "../../scenarios/sheet.ts";

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

/** Those of every row that was asked for, kept while the draw is. */
export interface RowSteps {
  logPaths: Float32Array | null;
  /** By row. */
  longs: (PathSteps | undefined)[];
  shorts: (PathSteps | undefined)[];
}

export function createRowSteps(): RowSteps {
  return { logPaths: null, longs: [], shorts: [] };
}

/** How far the paths of a row go against a direction within the day: the lows of a long, the highs of a short. */
export function worstPathsOf(sheet: ScenarioSheet, row: number, direction: 1 | -1): Float32Array {
  return sheetRow(sheet, row, DAY_HOURS, direction === 1 ? "low" : "high");
}

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
  if (memory.logPaths !== sheet.logPaths) {
    memory.logPaths = sheet.logPaths;
    memory.longs = [];
    memory.shorts = [];
  }
  const known = direction === 1 ? memory.longs : memory.shorts;
  const { order, starts, furthest, perUnit } = (known[row] ??= stepsOf(paths, direction));
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
