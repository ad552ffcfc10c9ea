import { harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { selectLargest, sortKept } from "../../math/order-statistics.ts";
import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import { expectedShortfallOfDescending, expectedShortfallReach } from "../tails/expected-shortfall.ts";
import { isNegligibleTotal, type PortfolioAttribution, standaloneVar99Usd } from "./attribution.ts";
import { addBoundLosses, type BoundedLosses, fillBoundedLosses } from "./bounded-losses.ts";
import { changedDriftScale, correlationDriftScale } from "./dependence/correlation-drift.ts";
import type { BoundedPosition, MetScenarios } from "./loss-bound.ts";
import { keepReaching } from "./tail/reaching-losses.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import { extremesOf } from "./tail/row-extremes.ts";
import { type PortfolioTail, portfolioTail, type PortfolioWorkspace, scaledTail } from "./portfolio-var.ts";

/** Of the book's worst scenarios, for each loss that is wanted of another book: more are sorted for a higher level to keep. */
const TRIED_PER_WANTED = 2;

/**
 * portfolioAttribution of a book in which isolated positions lose no more than what is behind them. A loss is then not
 * linear in what is held, on which the short ways of the candidates rest, so every tail is read from all scenarios.
 *
 * Holds:   Σ components = total; where no bound is met what portfolioAttribution says, up to rounding; of isolated positions
 *          alone no tail is more than all that is behind them
 */
export function boundedAttribution(
  sheet: ScenarioSheet,
  positions: readonly BoundedPosition[],
  memory: BoundedLosses,
  workspace: PortfolioWorkspace,
): PortfolioAttribution {
  const { products, drift } = workspace;
  const unscaled = takeBook(sheet, positions, memory, workspace);
  const driftScale = correlationDriftScale(sheet, positions, products, drift);
  const scale = heldScale(driftScale, unscaled.expectedShortfall99Usd, positions);
  const tail = scaledTail(unscaled, scale);
  const aloneUsd = positions.map((position, i) =>
    aloneVar99Usd(sheet, position, memory.met[i]!, memory, workspace),
  );
  const aloneSumUsd = aloneUsd.reduce((sum, usd) => sum + usd, 0);
  // When the margins are nearly gone, the total is rounding error and cannot be shared out.
  const unboundedUsd = positions.reduce((sum, position) => sum + standaloneVar99Usd(sheet, position), 0);
  const isNegligible = isNegligibleTotal(tail.var99Usd, unboundedUsd);
  const withoutUsd = (i: number): number => {
    if (positions.length === 1) return 0;
    // Nothing must add exactly nothing.
    return positions.length === 2 && positions[i]!.notionalUsdSigned !== 0
      ? aloneUsd[1 - i]!
      : var99WithoutUsd(sheet, positions, i, memory, workspace);
  };
  return {
    tail,
    aloneVar99Usd: aloneSumUsd,
    positions: positions.map((position, i) => {
      const componentVarUsd = scale * lossAtQuantileUsd(sheet, position, memory.met[i]!, memory, workspace);
      return {
        incrementalVarUsd: tail.var99Usd - withoutUsd(i),
        componentVarUsd,
        componentVarShare: isNegligible ? null : componentVarUsd / tail.var99Usd,
      };
    }),
  };
}

/**
 * 99 % expected shortfalls of the book that was attributed last, with one asset's position counted in full, whatever is
 * behind it, and changed by so much.
 *
 * Shapes:  positions and memory as boundedAttribution took and left them
 */
export function boundedShortfalls99Usd(
  sheet: ScenarioSheet,
  positions: readonly BoundedPosition[],
  row: number,
  changesUsd: readonly number[],
  memory: BoundedLosses,
  workspace: PortfolioWorkspace,
): readonly number[] {
  const { products, drift, selection, scenarios } = workspace;
  const reach = expectedShortfallReach(scenarios, 0.99);
  const at = positions.findIndex((position) => position.row === row);
  const heldUsd = at < 0 ? 0 : positions[at]!.notionalUsdSigned;
  const others = positions.filter((_, i) => i !== at);
  if (at >= 0) addBoundLosses(sheet, positions[at]!, -1, memory.met[at]!, memory.lossesUsd);
  memory.returns.set(dayReturnsOf(sheet, row));
  const shortfallsUsd = changesUsd.map((changeUsd) => {
    selectChanged(changeUsd, reach, memory, workspace);
    const shortfallUsd = expectedShortfallOfDescending(selection.values, scenarios, 0.99);
    const driftScale = changedDriftScale(sheet, { row, notionalUsdSigned: changeUsd }, products, drift);
    const isGone = heldUsd + changeUsd === 0;
    return shortfallUsd * (isGone ? heldScale(driftScale, shortfallUsd, others) : driftScale);
  });
  if (at >= 0) addBoundLosses(sheet, positions[at]!, 1, memory.met[at]!, memory.lossesUsd);
  return shortfallsUsd;
}

/**
 * 99 % expected shortfalls of a book that nothing limits, with one asset's position changed by so much, each from all
 * scenarios.
 */
export function unboundedShortfalls99Usd(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  row: number,
  changesUsd: readonly number[],
  memory: BoundedLosses,
  workspace: PortfolioWorkspace,
): readonly number[] {
  const unbounded = positions.map((position) => ({ ...position, bound: null }));
  takeBook(sheet, unbounded, memory, workspace);
  correlationDriftScale(sheet, unbounded, workspace.products, workspace.drift);
  return boundedShortfalls99Usd(sheet, unbounded, row, changesUsd, memory, workspace);
}

/** Fills the losses of a book and its worst scenarios; returns its tail, not corrected for drifting correlations. */
function takeBook(
  sheet: ScenarioSheet,
  positions: readonly BoundedPosition[],
  memory: BoundedLosses,
  workspace: PortfolioWorkspace,
): PortfolioTail {
  fillBoundedLosses(sheet, positions, memory);
  const tail = portfolioTail(memory.lossesUsd, 1, workspace);
  memory.worstScenarios.set(workspace.selection.indices.subarray(0, workspace.reach95));
  return tail;
}

/** The correction for drifting correlations, as far as it adds no loss that isolated positions alone cannot have. */
export function heldScale(
  driftScale: number,
  expectedShortfall99Usd: number,
  positions: readonly BoundedPosition[],
): number {
  let mostUsd = 0;
  for (const { bound } of positions) mostUsd += bound?.equityUsd ?? Infinity;
  return expectedShortfall99Usd > 0
    ? Math.min(driftScale, Math.max(1, mostUsd / expectedShortfall99Usd))
    : driftScale;
}

/** Of one position: all that is behind it where its bound is met, then the worst of the day's other returns. */
function aloneVar99Usd(
  sheet: ScenarioSheet,
  position: BoundedPosition,
  met: MetScenarios,
  { isMet }: BoundedLosses,
  { selection: { values }, reach99, at99, extremes }: PortfolioWorkspace,
): number {
  const { row, notionalUsdSigned, bound } = position;
  const { count } = met;
  if (bound === null || count === 0) return standaloneVar99Usd(sheet, position);
  if (count >= reach99) return bound.equityUsd;
  markMet(met, 1, isMet);
  const returns = dayReturnsOf(sheet, row);
  const worst = extremesOf(sheet, row, notionalUsdSigned > 0 ? -1 : 1, extremes);
  values.fill(bound.equityUsd, 0, count);
  for (let rank = count, k = 0; rank < reach99; k++) {
    const s = worst[k]!;
    if (isMet[s] === 0) values[rank++] = 0 - notionalUsdSigned * returns[s]!;
  }
  markMet(met, 0, isMet);
  return harrellDavisOfDescending(values, at99);
}

function var99WithoutUsd(
  sheet: ScenarioSheet,
  positions: readonly BoundedPosition[],
  i: number,
  memory: BoundedLosses,
  workspace: PortfolioWorkspace,
): number {
  const { selection, reach99, at99, products, drift, scenarios } = workspace;
  const { row, notionalUsdSigned } = positions[i]!;
  const removal = { row, notionalUsdSigned: 0 - notionalUsdSigned };
  addBoundLosses(sheet, positions[i]!, -1, memory.met[i]!, memory.lossesUsd);
  memory.returns.set(dayReturnsOf(sheet, row));
  selectChanged(removal.notionalUsdSigned, reach99, memory, workspace);
  addBoundLosses(sheet, positions[i]!, 1, memory.met[i]!, memory.lossesUsd);
  const var99Usd = harrellDavisOfDescending(selection.values, at99);
  const shortfallUsd = expectedShortfallOfDescending(selection.values, scenarios, 0.99);
  const driftScale = changedDriftScale(sheet, removal, products, drift);
  return var99Usd * heldScale(driftScale, Math.max(var99Usd, shortfallUsd), positions.toSpliced(i, 1));
}

/**
 * Selects the largest losses after one row's notional changes by an amount that nothing bounds. The book's own worst
 * scenarios, revalued, give a level that at least as many losses attain as are wanted.
 *
 * Shapes:  `returns` are the row's
 */
function selectChanged(
  changeUsd: number,
  reach: number,
  { lossesUsd, worstScenarios, returns, triedUsd }: BoundedLosses,
  { selection, scenarios }: PortfolioWorkspace,
): void {
  const tried = Math.min(TRIED_PER_WANTED * reach, worstScenarios.length);
  for (let rank = 0; rank < tried; rank++) {
    const s = worstScenarios[rank]!;
    triedUsd[rank] = lossesUsd[s]! - changeUsd * returns[s]!;
  }
  selectLargest(triedUsd.subarray(0, tried), reach, selection);
  const leastUsd = selection.values[reach - 1]!;
  const kept = keepReaching(lossesUsd, returns, changeUsd, leastUsd, scenarios, selection);
  sortKept(selection, kept, reach);
}

/** A position's loss weighted over the scenarios of the portfolio's 99 % quantile. */
function lossAtQuantileUsd(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned, bound }: BoundedPosition,
  met: MetScenarios,
  { worstScenarios, isMet }: BoundedLosses,
  { at99: { firstRank, weights } }: PortfolioWorkspace,
): number {
  const returns = dayReturnsOf(sheet, row);
  const equityUsd = bound?.equityUsd ?? 0;
  markMet(met, 1, isMet);
  let sumUsd = 0;
  for (let j = 0; j < weights.length; j++) {
    const s = worstScenarios[firstRank + j]!;
    sumUsd += weights[j]! * (isMet[s] === 1 ? equityUsd : 0 - notionalUsdSigned * returns[s]!);
  }
  markMet(met, 0, isMet);
  return sumUsd;
}

/** Marks the scenarios of a list, or takes the marks back. */
function markMet({ count, scenarios }: MetScenarios, mark: 0 | 1, isMet: Uint8Array): void {
  for (let k = 0; k < count; k++) isMet[scenarios[k]!] = mark;
}
