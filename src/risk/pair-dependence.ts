import type { Ticker } from "../domain/ids.ts";
import { buildRankQuantiles, type RankQuantiles } from "../math/t-copula.ts";
import type { ModelledPosition } from "./modelled-book.ts";
import {
  type RankedResiduals,
  rankResiduals,
  tailDependence,
  type TailDependence,
} from "./portfolio/tail-dependence.ts";
import { residualsOf, type PoolBuffers, type ScenarioSheet } from "./scenarios/sheet.ts";

/** Positions whose pairs are reported: the largest, because an unfitted pair costs a third of a millisecond. */
const REPORTED_POSITIONS = 6;

export interface PairDependence extends TailDependence {
  readonly tickerA: Ticker;
  readonly tickerB: Ticker;
}

/** Fits already made on one residual pool; rescaled sheets share it, a drawn one begins anew. Owned by the caller. */
export interface DependenceMemory {
  readonly table: RankQuantiles;
  pools: PoolBuffers | null;
  readonly ranked: Map<number, RankedResiduals>;
  /** By smaller row × rows + larger row. */
  readonly pairs: Map<number, TailDependence | null>;
}

export function createDependenceMemory(windowHours: number): DependenceMemory {
  return { table: buildRankQuantiles(windowHours), pools: null, ranked: new Map(), pairs: new Map() };
}

/** Tail dependence of every pair among the largest positions, fitted once per pool. Holds: the order of positions. */
export function pairDependences(
  sheet: ScenarioSheet,
  book: readonly ModelledPosition[],
  memory: DependenceMemory,
): PairDependence[] {
  if (memory.pools !== sheet.pools) {
    memory.pools = sheet.pools;
    memory.ranked.clear();
    memory.pairs.clear();
  }
  const listed = largestJoint(book);
  const dependences: PairDependence[] = [];
  for (let i = 0; i < listed.length; i++) {
    for (let j = i + 1; j < listed.length; j++) {
      const a = listed[i]!;
      const b = listed[j]!;
      const fit = fittedPair(sheet, a.joint!.row, b.joint!.row, memory);
      if (fit === null) continue;
      // Field by field: a spread of each costs more than finding all fits.
      dependences.push({
        tickerA: a.ticker,
        tickerB: b.ticker,
        lowerTailLambda: fit.lowerTailLambda,
        upperTailLambda: fit.upperTailLambda,
        pearsonRho: fit.pearsonRho,
        copulaRho: fit.copulaRho,
        degreesOfFreedom: fit.degreesOfFreedom,
      });
    }
  }
  return dependences;
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
  memory: DependenceMemory,
): TailDependence | null {
  const first = Math.min(rowA, rowB);
  const second = Math.max(rowA, rowB);
  const key = first * sheet.rows + second;
  const known = memory.pairs.get(key);
  if (known !== undefined) return known;
  const fit = tailDependence(rankedRow(sheet, first, memory), rankedRow(sheet, second, memory), memory.table);
  memory.pairs.set(key, fit);
  return fit;
}

function rankedRow(sheet: ScenarioSheet, row: number, memory: DependenceMemory): RankedResiduals {
  const known = memory.ranked.get(row);
  if (known !== undefined) return known;
  const ranked = rankResiduals(residualsOf(sheet, row), memory.table);
  memory.ranked.set(row, ranked);
  return ranked;
}
