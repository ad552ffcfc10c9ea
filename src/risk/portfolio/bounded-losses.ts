import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import { type BoundedPosition, listMet, type MetScenarios } from "./loss-bound.ts";
import { fillPortfolioLosses } from "./portfolio-losses.ts";
import type { PortfolioWorkspace } from "./portfolio-var.ts";

/** Losses of one book, in working memory of one thread. */
export interface BoundedLosses {
  /** By scenario. */
  readonly lossesUsd: Float64Array;
  /** By position: where its bound is met. */
  readonly met: MetScenarios[];
  /** Of the book's 95 % tail, by rank: the scenarios, and what they lose in another book. */
  readonly worstScenarios: Uint32Array;
  readonly triedUsd: Float64Array;
  /** By scenario: what the row that changes returns. */
  readonly returns: Float64Array;
  /** By scenario: 1 where a bound is met that is looked up. */
  readonly isMet: Uint8Array;
}

export function createBoundedLosses({ scenarios, reach95 }: PortfolioWorkspace): BoundedLosses {
  return {
    lossesUsd: new Float64Array(scenarios),
    met: [],
    worstScenarios: new Uint32Array(reach95),
    triedUsd: new Float64Array(reach95),
    returns: new Float64Array(scenarios),
    isMet: new Uint8Array(scenarios),
  };
}

/** Loss of every scenario: what prices move or, of positions whose bound is met there, all that is behind them. */
export function fillBoundedLosses(
  sheet: ScenarioSheet,
  positions: readonly BoundedPosition[],
  losses: BoundedLosses,
): void {
  const { lossesUsd, met } = losses;
  fillPortfolioLosses(sheet, positions, lossesUsd);
  for (let i = 0; i < positions.length; i++) {
    met[i] ??= { count: 0, scenarios: new Uint16Array(lossesUsd.length) };
    listMet(sheet, positions[i]!, met[i]!);
    addBoundLosses(sheet, positions[i]!, 1, met[i]!, lossesUsd);
  }
}

/**
 * Puts (`sign` 1) what is behind a position in the place of what its price moves, where its bound is met, or the other way
 * round (`sign` -1).
 */
export function addBoundLosses(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned, bound }: BoundedPosition,
  sign: 1 | -1,
  { count, scenarios }: MetScenarios,
  lossesUsd: Float64Array,
): void {
  if (bound === null) return;
  const returns = dayReturnsOf(sheet, row);
  for (let k = 0; k < count; k++) {
    const s = scenarios[k]!;
    lossesUsd[s] = lossesUsd[s]! + sign * (bound.equityUsd + notionalUsdSigned * returns[s]!);
  }
}
