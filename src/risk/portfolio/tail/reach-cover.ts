import { clamp } from "../../../math/clamp.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { CandidateColumn } from "./candidate-column.ts";
import { type RowExtremes, worstChangeUsd } from "./row-extremes.ts";

/** Share of the notionals by which rounding may move a bound. */
export const ROUNDING = 1e-9;

/**
 * The last search for candidates that was made for one tail, in the reference book changed in two rows: every scenario
 * that is no candidate lost less than `leastUsd` in it. Valid while the reference is what it was.
 */
export interface ReachCover {
  column: CandidateColumn | null;
  movedUsd: number;
  far: CandidateColumn | null;
  otherUsd: number;
  leastUsd: number;
  /** How often the reference had been moved. */
  moves: number;
}

export function createReachCover(): ReachCover {
  return { column: null, movedUsd: 0, far: null, otherUsd: 0, leastUsd: Infinity, moves: 0 };
}

/**
 * Whether the search would find nothing after the one made. A scenario's loss is linear in both changes, so that what
 * holds without them (no scenario that is no candidate lost more than `restLossUsd`) and with those searched holds
 * between them in proportion; what is left over of either change adds at most its row's extreme.
 */
export function isCovered(
  made: ReachCover,
  sheet: ScenarioSheet,
  column: CandidateColumn,
  movedUsd: number,
  far: CandidateColumn,
  otherUsd: number,
  leastUsd: number,
  restLossUsd: number,
  moves: number,
  extremes: RowExtremes,
): boolean {
  if (made.column !== column || made.far !== far || made.moves !== moves) return false;
  const share = made.movedUsd === 0 ? 1 : clamp(movedUsd / made.movedUsd, 0, 1);
  const mostUsd =
    (1 - share) * restLossUsd +
    share * made.leastUsd +
    worstChangeUsd(sheet, column, movedUsd - share * made.movedUsd, extremes) +
    worstChangeUsd(sheet, far, otherUsd - share * made.otherUsd, extremes);
  const roundingUsd = ROUNDING * (Math.abs(movedUsd) + Math.abs(otherUsd) + Math.abs(leastUsd));
  return mostUsd + roundingUsd < leastUsd;
}
