import type { SheetPosition } from "../portfolio-losses.ts";
import { addCandidate, type TailCandidates } from "./tail-candidates.ts";

/** Share of the notionals by which rounding may move the reference's losses when it is moved. */
const MOVE_ROUNDING = 1e-12;

/**
 * Takes the book asked about, its trade taken back, for the reference. Its losses follow from those of the old one by
 * the rows that changed, so that candidates, columns and orders stay, which a new anchor would begin anew. Scenarios that
 * lost so much in it become candidates.
 *
 * Shapes:  columns hold the book asked about
 */
export function moveReference(
  traded: SheetPosition | null,
  leastUsd: number,
  candidates: TailCandidates,
): void {
  const { columns, restLossesUsd } = candidates;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!;
    const { row, notionalUsd, referenceUsd } = column;
    const targetUsd = traded?.row === row ? notionalUsd - traded.notionalUsdSigned : notionalUsd;
    candidates.roundingUsd += MOVE_ROUNDING * (Math.abs(targetUsd) + Math.abs(referenceUsd));
    if (targetUsd !== referenceUsd) {
      addLosses(column.day.returns, targetUsd - referenceUsd, restLossesUsd);
    }
    column.referenceUsd = targetUsd;
  }
  candidates.moves++;
  admitLosing(leastUsd, candidates);
}

/** Makes every scenario a candidate that lost so much in the reference book. */
export function admitLosing(leastUsd: number, candidates: TailCandidates): void {
  const { restLossesUsd } = candidates;
  let restLossUsd = -Infinity;
  for (let scenario = 0; scenario < restLossesUsd.length; scenario++) {
    const lossUsd = restLossesUsd[scenario]!;
    if (lossUsd <= restLossUsd) continue;
    if (lossUsd >= leastUsd) addCandidate(scenario, candidates);
    else restLossUsd = lossUsd;
  }
  candidates.restLossUsd = restLossUsd;
}

function addLosses(returns: Float32Array, notionalUsd: number, lossesUsd: Float64Array): void {
  for (let scenario = 0; scenario < lossesUsd.length; scenario++) {
    lossesUsd[scenario] = lossesUsd[scenario]! - notionalUsd * returns[scenario]!;
  }
}
