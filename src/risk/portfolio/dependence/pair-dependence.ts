import type { Ticker } from "../../../domain/ids.ts";
import { buildRankQuantiles, type RankQuantiles } from "../../../math/t-copula.ts";
import type { ModelledPosition } from "../modelled-book.ts";
import {
  type RankedResiduals,
  rankResiduals,
  tailDependence,
  type TailDependence,
} from "./tail-dependence.ts";
import { DrawMemory } from "../../scenarios/draw-memory.ts";
import { residualsOf, type ScenarioSheet } from "../../scenarios/sheet.ts";

/** Positions whose pairs are reported: the largest, because an unfitted pair costs a third of a millisecond. */
const REPORTED_POSITIONS = 6;

export interface PairDependence extends TailDependence {
  readonly tickerA: Ticker;
  readonly tickerB: Ticker;
}

/** The smaller row comes first. */
interface Pair {
  readonly first: number;
  readonly second: number;
}

interface FittedPair extends Pair {
  readonly fit: TailDependence | null;
  /** By an account, and not only fitted ahead. */
  isAsked: boolean;
}

/** Fits already made on the residuals of one draw. */
export interface DependenceFits {
  readonly table: RankQuantiles;
  readonly ranked: Map<number, RankedResiduals>;
  /** By smaller row × rows + larger row. */
  readonly pairs: Map<number, FittedPair>;
  /** To be fitted ahead, the last first: those asked about on the draw before, before others that may be. */
  readonly awaited: Pair[];
}

/** Owned by the caller. */
export interface DependenceMemory {
  readonly table: RankQuantiles;
  readonly fits: DrawMemory<DependenceFits>;
}

export function createDependenceMemory(windowHours: number): DependenceMemory {
  const table = buildRankQuantiles(windowHours);
  return { table, fits: new DrawMemory<DependenceFits>((_, before) => beginFits(table, before)) };
}

/** Tail dependence of every pair among the largest positions, fitted once per draw. Holds: the order of positions. */
export function pairDependences(
  sheet: ScenarioSheet,
  book: readonly ModelledPosition[],
  memory: DependenceMemory,
): PairDependence[] {
  const fits = memory.fits.of(sheet);
  const listed = largestJoint(book);
  const dependences: PairDependence[] = [];
  for (let i = 0; i < listed.length; i++) {
    for (let j = i + 1; j < listed.length; j++) {
      const a = listed[i]!;
      const b = listed[j]!;
      const fit = fittedPair(sheet, a.joint!.row, b.joint!.row, fits);
      if (fit === null) continue;
      // Field by field: a spread of each costs more than finding all fits.
      dependences.push({
        tickerA: a.ticker,
        tickerB: b.ticker,
        lowerTailLambda: fit.lowerTailLambda,
        upperTailLambda: fit.upperTailLambda,
        pearsonRho: fit.pearsonRho,
        degreesOfFreedom: fit.degreesOfFreedom,
      });
    }
  }
  return dependences;
}

/** Has all pairs of these rows fitted ahead, behind those that were asked about. */
export function awaitPairsOf(sheet: ScenarioSheet, rows: readonly number[], memory: DependenceMemory): void {
  const ascending = rows.toSorted((a, b) => a - b);
  const pairs = ascending.flatMap((first, i) => ascending.slice(i + 1).map((second) => ({ first, second })));
  memory.fits.of(sheet).awaited.unshift(...pairs);
}

/**
 * Fits one of the awaited pairs, so that the first answers after a draw need not: one at a call, which takes up to a
 * millisecond. False when none is left. Rows of pairs that were asked about are those of the draw before; where assets
 * came or went in between, the wrong pairs are fitted, which nobody notices.
 */
export function fitAwaitedPair(sheet: ScenarioSheet, memory: DependenceMemory): boolean {
  const fits = memory.fits.of(sheet);
  const pair = fits.awaited.pop();
  if (pair === undefined) return false;
  if (pair.second < sheet.rows && !fits.pairs.has(keyOf(sheet, pair.first, pair.second))) {
    fitPair(sheet, pair.first, pair.second, fits);
  }
  return true;
}

function beginFits(table: RankQuantiles, before: DependenceFits | null): DependenceFits {
  const asked = [...(before?.pairs.values() ?? [])].filter(({ isAsked }) => isAsked);
  return { table, ranked: new Map(), pairs: new Map(), awaited: asked };
}

/** In the book's order. */
function largestJoint(book: readonly ModelledPosition[]): readonly ModelledPosition[] {
  const joint = book.filter((position) => position.joint !== null);
  if (joint.length <= REPORTED_POSITIONS) return joint;
  const bySize = joint.toSorted((a, b) => Math.abs(b.notionalUsdSigned) - Math.abs(a.notionalUsdSigned));
  const reported = bySize.slice(0, REPORTED_POSITIONS);
  return joint.filter((position) => reported.includes(position));
}

function fittedPair(
  sheet: ScenarioSheet,
  rowA: number,
  rowB: number,
  fits: DependenceFits,
): TailDependence | null {
  const first = Math.min(rowA, rowB);
  const second = Math.max(rowA, rowB);
  const pair = fits.pairs.get(keyOf(sheet, first, second)) ?? fitPair(sheet, first, second, fits);
  pair.isAsked = true;
  return pair.fit;
}

function fitPair(sheet: ScenarioSheet, first: number, second: number, fits: DependenceFits): FittedPair {
  const fit = tailDependence(rankedRow(sheet, first, fits), rankedRow(sheet, second, fits), fits.table);
  const pair = { first, second, fit, isAsked: false };
  fits.pairs.set(keyOf(sheet, first, second), pair);
  return pair;
}

function keyOf({ rows }: ScenarioSheet, first: number, second: number): number {
  return first * rows + second;
}

function rankedRow(sheet: ScenarioSheet, row: number, { table, ranked }: DependenceFits): RankedResiduals {
  const known = ranked.get(row);
  if (known !== undefined) return known;
  const found = rankResiduals(residualsOf(sheet, row), table);
  ranked.set(row, found);
  return found;
}
