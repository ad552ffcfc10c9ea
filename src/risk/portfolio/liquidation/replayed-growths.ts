import { createHourlyPath, type HourlyPath, replayPath } from "../../scenarios/path-replay.ts";
import type { SheetDay } from "../../scenarios/sheet-day.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { SheetPosition } from "../portfolio-losses.ts";

/**
 * 576 bytes each with a day's hours: 2.4 MB a thread. One answer reads 512 at most, of more than eight positions 64 of
 * each, mostly the same ones again.
 */
const PATHS_MAX = 4096;

/**
 * Growth factors e^c of the paths replayed last. The scenarios that may liquidate accounts are the market's worst, the
 * same few from one request to the next and for most accounts, and a path's hours cost recursion and exponentials, which
 * reading them again does not.
 *
 * Holds:   what replaying the path anew says, to the last bit: valid while the row's day is what it was
 */
export interface ReplayedGrowths {
  readonly hours: number;
  readonly path: HourlyPath;
  /** [place][close, low, high][hour]; made with the first path. */
  growths: Float64Array;
  count: number;
  /** By row. */
  rows: (RowPlaces | undefined)[];
}

interface RowPlaces {
  day: SheetDay;
  /** By scenario: one more than its place; 0 for none. */
  readonly places: Uint16Array;
}

/** What follows the closes in a path's growths, in hours times. */
export const GROWTHS_AT = { closes: 0, lows: 1, highs: 2 } as const;
const FACTS = 3;

export function createReplayedGrowths(hours: number): ReplayedGrowths {
  return { hours, path: createHourlyPath(hours), growths: new Float64Array(0), count: 0, rows: [] };
}

/**
 * Where the growths of one scenario begin for each position, replayed if need be.
 *
 * Shapes:  startsAt one per position, filled here; valid until the next call
 */
export function fillGrowthStarts(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  scenario: number,
  replayed: ReplayedGrowths,
  startsAt: number[],
): void {
  // Before the first of them is looked up: the last may not take the place of the first.
  if (replayed.count + positions.length > PATHS_MAX) {
    replayed.rows = [];
    replayed.count = 0;
  }
  for (let i = 0; i < positions.length; i++) {
    startsAt[i] = growthsOf(sheet, positions[i]!.row, scenario, replayed);
  }
}

function growthsOf(sheet: ScenarioSheet, row: number, scenario: number, replayed: ReplayedGrowths): number {
  const places = placesOf(sheet, row, replayed);
  const place = places[scenario]! - 1;
  if (place >= 0) return place * FACTS * replayed.hours;
  return keepPath(sheet, row, scenario, places, replayed);
}

function placesOf(sheet: ScenarioSheet, row: number, { rows }: ReplayedGrowths): Uint16Array {
  const day = sheet.days[row]!;
  const known = (rows[row] ??= { day, places: new Uint16Array(sheet.scenarios) });
  if (known.day !== day) {
    known.day = day;
    known.places.fill(0);
  }
  return known.places;
}

function keepPath(
  sheet: ScenarioSheet,
  row: number,
  scenario: number,
  places: Uint16Array,
  replayed: ReplayedGrowths,
): number {
  const { hours, path } = replayed;
  if (replayed.growths.length === 0) replayed.growths = new Float64Array(PATHS_MAX * FACTS * hours);
  replayPath(sheet, row, scenario, path);
  const at = replayed.count * FACTS * hours;
  places[scenario] = ++replayed.count;
  fillPriceGrowths(path.closes, at + GROWTHS_AT.closes * hours, replayed.growths);
  fillPriceGrowths(path.lows, at + GROWTHS_AT.lows * hours, replayed.growths);
  fillPriceGrowths(path.highs, at + GROWTHS_AT.highs * hours, replayed.growths);
  return at;
}

function fillPriceGrowths(logReturns: Float64Array, at: number, growths: Float64Array): void {
  for (let hour = 0; hour < logReturns.length; hour++) growths[at + hour] = Math.exp(logReturns[hour]!);
}
