import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import { directionOf } from "../../../domain/trade.ts";
import { listReaching, type RowSteps } from "../liquidation/path-steps.ts";
import { worstPathsOf } from "../liquidation/row-paths.ts";
import { type LossBound, metLevelOf } from "../loss-bound.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import type { AskedBook } from "./asked-book.ts";
import { addCandidate, type TailCandidates } from "./tail-candidates.ts";

/** A position as a tail sees it; without a bound it loses what its price moves. */
export interface TailPosition extends SheetPosition {
  readonly bound?: LossBound | null;
}

/** Where a position's bound is met. */
export interface MetScenarios {
  /** The first `count` are; room for every scenario where a bound was known before, else for none. */
  scenarios: Uint16Array;
  count: number;
  /** Of its asset's paths, by scenario: those that, times the direction, are not above the level. */
  paths: Float32Array;
  direction: 1 | -1;
  level: number;
}

/**
 * Where the positions of the book asked about have lost all that is behind them. There a loss is not linear in what is
 * held, on which every bound of the scenarios that are no candidates rests: these scenarios all become candidates.
 */
export interface MetLosses {
  /** By position. */
  readonly lists: MetScenarios[];
  readonly equitiesUsd: number[];
  /** Of all lists together; 0 where every loss is linear. */
  total: number;
  /** The position that is counted in full for now; -1 for none. */
  lifted: number;
  /** By its list: what was lost before. */
  readonly keptUsd: Float64Array;
}

const NO_ROOM = new Uint16Array(0);
const NO_PATHS = new Float32Array(0);

export function createMetLosses(scenarios: number): MetLosses {
  return { lists: [], equitiesUsd: [], total: 0, lifted: -1, keptUsd: new Float64Array(scenarios) };
}

/** Finds where the positions' bounds are met. */
export function takeBounds(
  sheet: ScenarioSheet,
  positions: readonly TailPosition[],
  steps: RowSteps,
  met: MetLosses,
): void {
  const { lists, equitiesUsd } = met;
  met.total = 0;
  met.lifted = -1;
  for (let i = 0; i < positions.length; i++) {
    const { bound = null } = positions[i]!;
    const list = (lists[i] ??= { scenarios: NO_ROOM, count: 0, paths: NO_PATHS, direction: 1, level: 0 });
    list.count = 0;
    equitiesUsd[i] = bound?.equityUsd ?? 0;
    if (bound !== null) listMet(sheet, positions[i]!, bound, steps, list);
    met.total += list.count;
  }
}

/** Until bounds are taken again none is met. */
export function forgetBounds(met: MetLosses): void {
  met.lists.length = 0;
  met.total = 0;
}

function listMet(
  sheet: ScenarioSheet,
  position: SheetPosition,
  bound: LossBound,
  steps: RowSteps,
  list: MetScenarios,
): void {
  const level = metLevelOf(sheet, position, bound);
  if (level === null) return;
  const { row, notionalUsdSigned } = position;
  const direction = directionOf(notionalUsdSigned);
  const paths = worstPathsOf(sheet, row, direction);
  if (list.scenarios === NO_ROOM) list.scenarios = new Uint16Array(sheet.scenarios);
  list.count = listReaching(sheet, row, direction, paths, level, steps, list.scenarios);
  list.paths = paths;
  list.direction = direction;
  list.level = level;
}

/** Whether a position's bound is met in any scenario; where it is in none, the position loses what its price moves. */
export function isMet(i: number, { lists }: MetLosses): boolean {
  return lists[i]!.count > 0;
}

/** Shapes: of a list that has any */
export function isMetIn(scenario: number, { paths, direction, level }: MetScenarios): boolean {
  return direction * paths[scenario]! <= level;
}

/** Makes every scenario a candidate in which a bound is met. */
export function admitMet(positionCount: number, { lists }: MetLosses, candidates: TailCandidates): void {
  for (let i = 0; i < positionCount; i++) {
    const { count, scenarios } = lists[i]!;
    for (let k = 0; k < count; k++) {
      if (candidates.slots[scenarios[k]!] === 0) addCandidate(scenarios[k]!, candidates);
    }
  }
}

/**
 * Puts what is behind each position in the place of what its price moves, from a slot on, position by position. One that
 * is lifted is put there and taken back, as liftBound did: a loss that is made again must be the same to the last bit,
 * or a tail is sorted by one and searched by the other.
 */
export function addMetLosses(from: number, candidates: TailCandidates, book: AskedBook): void {
  for (let i = 0; i < book.positionCount; i++) addMetLossesOf(i, 1, from, candidates, book);
  if (book.met.lifted >= 0) addMetLossesOf(book.met.lifted, -1, from, candidates, book);
}

function addMetLossesOf(
  i: number,
  sign: 1 | -1,
  from: number,
  { slots }: TailCandidates,
  { met, columns, notionalsUsd, lossesUsd }: AskedBook,
): void {
  const { count, scenarios } = met.lists[i]!;
  if (count === 0) return;
  const equityUsd = met.equitiesUsd[i]!;
  const notionalUsd = notionalsUsd[i]!;
  const { returns } = columns[i]!;
  for (let k = 0; k < count; k++) {
    const slot = slots[scenarios[k]!]! - 1;
    if (slot >= from) lossesUsd[slot] = lossesUsd[slot]! + sign * (equityUsd + notionalUsd * returns[slot]!);
  }
}

/** Counts a position in full until its bound is put back. */
export function liftBound(
  i: number,
  { slots }: TailCandidates,
  { met, columns, notionalsUsd, lossesUsd }: AskedBook,
): void {
  const { count, scenarios } = met.lists[i]!;
  met.lifted = i;
  if (count === 0) return;
  const equityUsd = met.equitiesUsd[i]!;
  const notionalUsd = notionalsUsd[i]!;
  const { returns } = columns[i]!;
  const { keptUsd } = met;
  for (let k = 0; k < count; k++) {
    const slot = slots[scenarios[k]!]! - 1;
    keptUsd[k] = lossesUsd[slot]!;
    lossesUsd[slot] = lossesUsd[slot]! - (equityUsd + notionalUsd * returns[slot]!);
  }
}

/** To the last bit as it was. */
export function putBoundBack({ slots }: TailCandidates, { met, lossesUsd }: AskedBook): void {
  const { count, scenarios } = met.lists[met.lifted]!;
  for (let k = 0; k < count; k++) lossesUsd[slots[scenarios[k]!]! - 1] = met.keptUsd[k]!;
  met.lifted = -1;
}
