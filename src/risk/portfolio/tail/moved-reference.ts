import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import type { PortfolioWorkspace } from "../portfolio-var.ts";
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
  sheet: ScenarioSheet,
  traded: SheetPosition | null,
  leastUsd: number,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): void {
  const { columns, restLossesUsd } = candidates;
  const changes: SheetPosition[] = [];
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!;
    const { row, notionalUsd, referenceUsd } = column;
    const targetUsd = traded?.row === row ? notionalUsd - traded.notionalUsdSigned : notionalUsd;
    candidates.roundingUsd += MOVE_ROUNDING * (Math.abs(targetUsd) + Math.abs(referenceUsd));
    if (targetUsd !== referenceUsd) changes.push({ row, notionalUsdSigned: targetUsd - referenceUsd });
    column.referenceUsd = targetUsd;
  }
  workspace.book.rows.addLosses(sheet, changes, restLossesUsd);
  candidates.moves++;
  admitLosing(leastUsd, candidates, workspace);
}

/** Makes every scenario a candidate that lost so much in the reference book. */
export function admitLosing(
  leastUsd: number,
  candidates: TailCandidates,
  { book: { kernel }, selection: { keptIndices }, every }: PortfolioWorkspace,
): void {
  const { restLossesUsd } = candidates;
  const { zeros } = every;
  const found = kernel.findMoved(restLossesUsd, zeros, 0, zeros, 0, leastUsd, keptIndices);
  for (let i = 0; i < found; i++) addCandidate(keptIndices[i]!, candidates);
  candidates.restLossUsd = kernel.largestOf(restLossesUsd);
}
