import { DAY_HOURS } from "../../../domain/bar.ts";
import { DrawMemory } from "../../scenarios/draw-memory.ts";
import { sheetRow, type ScenarioSheet } from "../../scenarios/sheet.ts";

/** What was found of rows' paths in either direction. Shapes: by row */
interface FoundOfRows<Found> {
  readonly longs: (Found | undefined)[];
  readonly shorts: (Found | undefined)[];
}

export type RowMemory<Found> = DrawMemory<FoundOfRows<Found>>;

export function createRowMemory<Found>(): RowMemory<Found> {
  return new DrawMemory<FoundOfRows<Found>>(() => ({ longs: [], shorts: [] }));
}

/** What is found of a row's worst paths for a direction, when first asked for. */
export function foundOf<Found>(
  sheet: ScenarioSheet,
  row: number,
  direction: 1 | -1,
  memory: RowMemory<Found>,
  find: (paths: Float32Array, direction: 1 | -1) => Found,
): Found {
  const { longs, shorts } = memory.of(sheet);
  const known = direction === 1 ? longs : shorts;
  return (known[row] ??= find(worstPathsOf(sheet, row, direction), direction));
}

/** How far the paths of a row go against a direction within the day, as drawn: the lows of a long, the highs of a short. */
export function worstPathsOf(sheet: ScenarioSheet, row: number, direction: 1 | -1): Float32Array {
  return sheetRow(sheet, row, DAY_HOURS, direction === 1 ? "low" : "high");
}
