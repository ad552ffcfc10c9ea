import { sharedBlock } from "../../domain/shared-memory.ts";
import { HORIZON_HOURS, type HorizonHours, horizonIndex, PATH_STEPS } from "./horizon.ts";
import type { PathFact, PathModel } from "./path-kernel.ts";
import { PATH_FACTS } from "./path-kernel.ts";
import { TUPLE_LENGTH } from "./residual-pool.ts";
import type { ScenarioIndex } from "./scenario-index.ts";
import type { SheetDay } from "./sheet-day.ts";

/** Backed by SharedArrayBuffer: threads of a process read one copy. */
export interface PoolBuffers {
  /** [row][hour][z, low, high, xi], as in a residual pool. */
  readonly tuples: Float64Array;
  /** [row][hour], the z above once more, densely and the oldest hour first, for sums over the window. */
  readonly residuals: Float32Array;
}

/** What moves one asset's paths, so that a chosen scenario can be replayed hour by hour. */
export interface RowDynamics {
  readonly models: readonly PathModel[];
  /** Per step: seasonal factor times every multiplier of sigma at the draw. */
  readonly sigmaFactors: Float64Array;
}

/**
 * The joint distribution of all assets: scenario s is the same sequence of historical hours in every row. Between draws
 * only `days` changes, row by row: a reader gets another sheet with one day replaced, everything else shared.
 *
 * Shapes:  rows assets × 4096 scenarios at 1, 4, 24 and 168 h; 0.2 MB of paths and 0.15 MB of pool per asset
 * Holds:   low <= min(0, terminal) <= max(0, terminal) <= high; both widen with the horizon
 */
export interface ScenarioSheet {
  /** Grows with every draw. */
  readonly version: number;
  readonly rows: number;
  readonly scenarios: number;
  readonly windowHours: number;
  /** [row][horizon][terminal, low, high][scenario], ln of price over price now, as drawn. 49 kB per row and horizon. */
  readonly logPaths: Float32Array;
  /** [row], the paths' 24 h returns at the row's sigma now. */
  readonly days: readonly SheetDay[];
  readonly pools: PoolBuffers;
  readonly index: ScenarioIndex;
  readonly dynamics: readonly RowDynamics[];
}

/** What a draw fills, zeros before. */
export interface SheetBuffers {
  /** [row][horizon][terminal, low, high][scenario]. */
  readonly logPaths: Float32Array;
  readonly pools: PoolBuffers;
  /** Of the index. */
  readonly hours: Uint16Array;
}

/**
 * One block of memory for a whole sheet, 80 MB with 230 assets, so that its release gives the memory back: glibc keeps
 * a freed part of up to 32 MB and, from then on, twice as much in every thread's arena, for requests like it. There are as
 * many scenarios as hours in the window.
 */
export function createSheetBuffers(rows: number, windowHours: number): SheetBuffers {
  const tupleNumbers = rows * windowHours * TUPLE_LENGTH;
  const pathNumbers = rows * pathsLengthOf(windowHours);
  const residualNumbers = rows * windowHours;
  const hourNumbers = windowHours * PATH_STEPS;
  const pathsAt = tupleNumbers * Float64Array.BYTES_PER_ELEMENT;
  const residualsAt = pathsAt + pathNumbers * Float32Array.BYTES_PER_ELEMENT;
  const hoursAt = residualsAt + residualNumbers * Float32Array.BYTES_PER_ELEMENT;
  const bytes = sharedBlock(hoursAt + hourNumbers * Uint16Array.BYTES_PER_ELEMENT);
  return {
    logPaths: new Float32Array(bytes, pathsAt, pathNumbers),
    pools: {
      tuples: new Float64Array(bytes, 0, tupleNumbers),
      residuals: new Float32Array(bytes, residualsAt, residualNumbers),
    },
    hours: new Uint16Array(bytes, hoursAt, hourNumbers),
  };
}

/** The sheet with one row at another sigma; a day of another draw, or of no row, leaves it as it is. */
export function withDay(sheet: ScenarioSheet, row: number, day: SheetDay): ScenarioSheet {
  if (day.version !== sheet.version || row >= sheet.rows || sheet.days[row] === day) return sheet;
  return {
    version: sheet.version,
    rows: sheet.rows,
    scenarios: sheet.scenarios,
    windowHours: sheet.windowHours,
    logPaths: sheet.logPaths,
    days: sheet.days.with(row, day),
    pools: sheet.pools,
    index: sheet.index,
    dynamics: sheet.dynamics,
  };
}

/** Numbers that the paths of one asset take. */
export function pathsLengthOf(scenarios: number): number {
  return HORIZON_HOURS.length * PATH_FACTS.length * scenarios;
}

/** A view, not a copy, of one fact of one asset over the scenarios, as drawn. */
export function sheetRow(
  sheet: ScenarioSheet,
  row: number,
  horizonHours: HorizonHours,
  fact: PathFact,
): Float32Array {
  const { scenarios } = sheet;
  const at =
    row * pathsLengthOf(scenarios) +
    (horizonIndex(horizonHours) * PATH_FACTS.length + PATH_FACTS.indexOf(fact)) * scenarios;
  return sheet.logPaths.subarray(at, at + scenarios);
}

/** An asset's 24 h simple returns over the scenarios at its sigma now. */
export function dayReturnsOf(sheet: ScenarioSheet, row: number): Float32Array {
  return sheet.days[row]!.returns;
}

/** A view of an asset's standardised hourly residuals over the window, oldest first. */
export function residualsOf(sheet: ScenarioSheet, row: number): Float32Array {
  return sheet.pools.residuals.subarray(row * sheet.windowHours, (row + 1) * sheet.windowHours);
}
