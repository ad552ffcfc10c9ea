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

/** Positions whose pairs are reported: the largest, because an unfitted pair costs about a millisecond. */
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
  readonly pairs: Map<string, TailDependence | null>;
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
  const joint = book.filter((position) => position.joint !== null);
  const bySize = [...joint].sort((a, b) => Math.abs(b.notionalUsdSigned) - Math.abs(a.notionalUsdSigned));
  const reported = new Set(bySize.slice(0, REPORTED_POSITIONS));
  const listed = joint.filter((position) => reported.has(position));
  return listed.flatMap((a, i) =>
    listed.slice(i + 1).flatMap((b) => {
      const fit = fittedPair(sheet, a.joint!.row, b.joint!.row, memory);
      return fit === null ? [] : [{ tickerA: a.ticker, tickerB: b.ticker, ...fit }];
    }),
  );
}

function fittedPair(
  sheet: ScenarioSheet,
  rowA: number,
  rowB: number,
  memory: DependenceMemory,
): TailDependence | null {
  const key = rowA < rowB ? `${rowA} ${rowB}` : `${rowB} ${rowA}`;
  const known = memory.pairs.get(key);
  if (known !== undefined) return known;
  const [first, second] = rowA < rowB ? [rowA, rowB] : [rowB, rowA];
  const fit = tailDependence(rankedRow(sheet, first, memory), rankedRow(sheet, second, memory), memory.table);
  memory.pairs.set(key, fit);
  return fit;
}

function rankedRow(sheet: ScenarioSheet, row: number, memory: DependenceMemory): RankedResiduals {
  const known = memory.ranked.get(row);
  if (known !== undefined) return known;
  const ranked = rankResiduals(residualsOf(sheet, row));
  memory.ranked.set(row, ranked);
  return ranked;
}
