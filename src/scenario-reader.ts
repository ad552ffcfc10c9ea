import {
  createPortfolioScratch,
  type PortfolioScratch,
  type ScenarioAccess,
} from "./risk/portfolio-assessment.ts";
import { fitAwaitedPair } from "./risk/pair-dependence.ts";
import type { SnapshotStore } from "./snapshot/snapshot-store.ts";

/**
 * The current sheet with this thread's working memory, made anew only when the sheet's size changes. That takes a tenth
 * of a second: it is done when such a sheet comes, not when the first request reads it. The dependence of the pairs that
 * accounts hold is then fitted pair by pair, between requests.
 */
export function scenarioReader(snapshots: SnapshotStore): () => ScenarioAccess | null {
  let access: ScenarioAccess | null = null;
  let scratch: PortfolioScratch | null = null;
  let size = "";
  const read = (): ScenarioAccess | null => {
    const { sheet } = snapshots;
    if (sheet === null || access?.sheet === sheet) return access;
    const newSize = `${sheet.scenarios} ${sheet.windowHours}`;
    if (scratch === null || size !== newSize) scratch = createPortfolioScratch(sheet);
    size = newSize;
    access = { sheet, scratch };
    return access;
  };
  let isFitting = false;
  const fitAhead = (): void => {
    const given = read();
    isFitting = given !== null && fitAwaitedPair(given.sheet, given.scratch.dependence);
    if (isFitting) setImmediate(fitAhead);
  };
  snapshots.onSheet(() => {
    read();
    if (!isFitting) fitAhead();
  });
  return read;
}
