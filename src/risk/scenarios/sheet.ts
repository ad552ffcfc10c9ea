import type { HorizonHours } from "./horizon.ts";
import { horizonIndex } from "./horizon.ts";
import type { PathFact, PathModel } from "./path-kernel.ts";
import { PATH_FACTS } from "./path-kernel.ts";
import { POOL_WINDOW_HOURS, TUPLE_LENGTH } from "./residual-pool.ts";
import type { ScenarioIndex } from "./scenario-index.ts";
import { HORIZON_HOURS } from "../volatility/term-structure.ts";

/** Joint scenarios, the same number as hours in the window. */
export const JOINT_SCENARIOS = POOL_WINDOW_HOURS;

/**
 * Numbers that move between refreshes; a sheet is replaced by one with other buffers, never written while it is read.
 * Backed by SharedArrayBuffer: threads of a process read one copy.
 */
export interface PathBuffers {
  /** [row][horizon][terminal, low, high][scenario], natural log of price over price now. 49 kB per row and horizon. */
  readonly logPaths: Float32Array;
  /** [row][scenario], simple return over 24 h, e^c − 1: what a portfolio sums up. */
  readonly dayReturns: Float32Array;
  /** [row], standard deviation of the above. */
  readonly daySigmas: Float64Array;
  /** [row][VaR 99 % long, short, ES 99 % long, short] of the above, per USD of notional. */
  readonly dayTails: Float64Array;
}

/** Numbers per row in dayTails. */
export const DAY_TAIL_LENGTH = 4;

/** Numbers that change only when a sheet is drawn anew; rescaled sheets share them. */
export interface PoolBuffers {
  /** [row][hour][z, low, high, xi], as in a residual pool. */
  readonly tuples: Float64Array;
  /** [row][hour], the z above once more, densely, for sums over the window. */
  readonly residuals: Float32Array;
}

/** What moves one asset's paths, so that a chosen scenario can be replayed hour by hour. */
export interface RowDynamics {
  readonly models: readonly PathModel[];
  /** Per step: seasonal factor times every multiplier of sigma, rescaling included. */
  readonly sigmaFactors: Float64Array;
}

/**
 * The joint distribution of all assets: scenario s is the same sequence of historical hours in every row.
 *
 * Shapes:  rows assets × 4096 scenarios at 1, 4, 24 and 168 h; 0.2 MB of paths and 0.15 MB of pool per asset
 * Holds:   low <= min(0, terminal) <= max(0, terminal) <= high; both widen with the horizon
 */
export interface ScenarioSheet {
  /** Grows with every sheet, drawn or rescaled. */
  readonly version: number;
  readonly seed: number;
  readonly rows: number;
  readonly scenarios: number;
  readonly windowHours: number;
  readonly paths: PathBuffers;
  readonly pools: PoolBuffers;
  readonly index: ScenarioIndex;
  readonly dynamics: readonly RowDynamics[];
}

export function createPathBuffers(rows: number, scenarios: number): PathBuffers {
  return {
    logPaths: sharedFloat32(rows * pathsLengthOf(scenarios)),
    dayReturns: sharedFloat32(rows * scenarios),
    daySigmas: sharedFloat64(rows),
    dayTails: sharedFloat64(rows * DAY_TAIL_LENGTH),
  };
}

export function createPoolBuffers(rows: number, windowHours: number): PoolBuffers {
  return {
    tuples: sharedFloat64(rows * windowHours * TUPLE_LENGTH),
    residuals: sharedFloat32(rows * windowHours),
  };
}

/** Numbers that the paths of one asset take. */
export function pathsLengthOf(scenarios: number): number {
  return HORIZON_HOURS.length * PATH_FACTS.length * scenarios;
}

/** A view, not a copy, of one fact of one asset over the scenarios. */
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
  return sheet.paths.logPaths.subarray(at, at + scenarios);
}

/** A view of an asset's 24 h simple returns over the scenarios. */
export function dayReturnsOf(sheet: ScenarioSheet, row: number): Float32Array {
  return sheet.paths.dayReturns.subarray(row * sheet.scenarios, (row + 1) * sheet.scenarios);
}

/** A view of an asset's standardised hourly residuals over the window, oldest first. */
export function residualsOf(sheet: ScenarioSheet, row: number): Float32Array {
  return sheet.pools.residuals.subarray(row * sheet.windowHours, (row + 1) * sheet.windowHours);
}

function sharedFloat32(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(length * Float32Array.BYTES_PER_ELEMENT));
}

function sharedFloat64(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
}
