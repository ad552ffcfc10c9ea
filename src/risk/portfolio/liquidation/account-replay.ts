import { type MarginSchedule, marginTierOf } from "../../margin/margin.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import {
  createReplayedGrowths,
  fillGrowthStarts,
  GROWTHS_AT,
  type ReplayedGrowths,
} from "./replayed-growths.ts";

/** A cross position: its maintenance follows its asset's tiers at the shocked price. */
export interface MarginedPosition extends SheetPosition {
  readonly marginSchedule: MarginSchedule;
}

/** Working memory of one thread. */
export interface AccountReplay {
  readonly replayed: ReplayedGrowths;
  /** By position: where its path begins in the growths. */
  readonly starts: number[];
  /** By hour. */
  readonly equityUsd: Float64Array;
}

/** How an account stands in one scenario. */
export const OUTCOMES = { safe: 0, goneAtWorst: 1, goneAtClose: 2 } as const;
export type ReplayOutcome = (typeof OUTCOMES)[keyof typeof OUTCOMES];

export function createAccountReplay(hours: number): AccountReplay {
  return { replayed: createReplayedGrowths(hours), starts: [], equityUsd: new Float64Array(hours) };
}

/**
 * Follows a cross account through one scenario: E(k) = equity + Σ w_i(e^{c_i(k)} − 1) − Σ maintenance_i is used up at an
 * hourly close, or as if all positions met their worst price of the hour at once, or never. No close is worse than its
 * hour's worst, so that closes are looked at only where those are lethal.
 */
export function replayAccount(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  equityUsd: number,
  scenario: number,
  replay: AccountReplay,
): ReplayOutcome {
  const { replayed, starts } = replay;
  fillGrowthStarts(sheet, positions, scenario, replayed, starts);
  const { lows, highs, closes } = GROWTHS_AT;
  if (!isUsedUp(positions, equityUsd, lows, highs, replay)) return OUTCOMES.safe;
  return isUsedUp(positions, equityUsd, closes, closes, replay) ? OUTCOMES.goneAtClose : OUTCOMES.goneAtWorst;
}

/** Shapes: which of a path's growths long positions read, and short ones */
function isUsedUp(
  positions: readonly MarginedPosition[],
  equityUsd: number,
  ofLongs: number,
  ofShorts: number,
  { replayed: { growths, hours }, starts, equityUsd: sumsUsd }: AccountReplay,
): boolean {
  sumsUsd.fill(equityUsd);
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]!;
    const fact = position.notionalUsdSigned > 0 ? ofLongs : ofShorts;
    addMargins(position, growths, starts[i]! + fact * hours, sumsUsd);
  }
  for (let hour = 0; hour < hours; hour++) if (sumsUsd[hour]! <= 0) return true;
  return false;
}

/** Adds a position's profit less maintenance margin after each growth; few hours change the margin tier. */
function addMargins(
  { notionalUsdSigned, marginSchedule }: MarginedPosition,
  growths: Float64Array,
  at: number,
  sumsUsd: Float64Array,
): void {
  const { notionalLowerUsd, maintenanceFraction, deductionUsd } = marginSchedule;
  const notionalUsd = Math.abs(notionalUsdSigned);
  let lowerUsd = Infinity;
  let upperUsd = Infinity;
  let fraction = 0;
  let deductedUsd = 0;
  for (let hour = 0; hour < sumsUsd.length; hour++) {
    const growth = growths[at + hour]!;
    const grownUsd = notionalUsd * growth;
    if (grownUsd < lowerUsd || grownUsd >= upperUsd) {
      const tier = marginTierOf(marginSchedule, grownUsd);
      lowerUsd = notionalLowerUsd[tier]!;
      upperUsd = notionalLowerUsd[tier + 1] ?? Infinity;
      fraction = maintenanceFraction[tier]!;
      deductedUsd = deductionUsd[tier]!;
    }
    const maintenanceUsd = fraction * grownUsd - deductedUsd;
    sumsUsd[hour] = sumsUsd[hour]! + (notionalUsdSigned * (growth - 1) - maintenanceUsd);
  }
}
