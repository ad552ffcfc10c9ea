import { mostTraded } from "../domain/asset.ts";
import {
  awaitPairsOf,
  createDependenceMemory,
  fitAwaitedPair,
} from "../risk/portfolio/dependence/pair-dependence.ts";
import {
  createPortfolioScratch,
  type PortfolioScratch,
  type ScenarioAccess,
  turnTo,
} from "../risk/portfolio/scenario-access.ts";
import { POOL_WINDOW_HOURS } from "../risk/scenarios/residual-pool.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";

/** Their pairs are fitted before anyone asks: 120, in some 50 ms. */
const SEEDED_ASSETS = 16;
/** By then the assets know their rows of a sheet, no next one has come while many are drawn, and batches are through. */
const SEEDED_AFTER_MS = 1_000;

/**
 * The current sheet with this thread's working memory, made anew only when the sheet's size changes: when such a sheet
 * comes, not when the first request reads it. What takes a tenth of a second is made before the thread answers anything,
 * for the window that sheets will have. The dependence of the pairs that accounts hold is fitted when a sheet came, pair
 * by pair, between requests, and then that of the most traded assets, which accounts to come will hold.
 */
export function scenarioReader(
  snapshots: SnapshotStore,
  windowHours = POOL_WINDOW_HOURS.value,
): () => ScenarioAccess | null {
  let dependence = createDependenceMemory(windowHours);
  let access: ScenarioAccess | null = null;
  let scratch: PortfolioScratch | null = null;
  let size = "";
  const read = (): ScenarioAccess | null => {
    const { sheet } = snapshots;
    // A new engine gives its rows to other assets: until its first sheet there is none.
    if (sheet === null) return (access = null);
    if (access?.sheet === sheet) return access;
    const newSize = `${sheet.scenarios} ${sheet.windowHours}`;
    if (scratch === null || size !== newSize) {
      const { sampleSize } = dependence.table;
      if (sampleSize !== sheet.windowHours) dependence = createDependenceMemory(sheet.windowHours);
      scratch = createPortfolioScratch(sheet, dependence);
    }
    size = newSize;
    if (access?.sheet.pools !== sheet.pools) turnTo(sheet, scratch);
    access = { sheet, scratch };
    return access;
  };
  let isFitting = false;
  const fitAhead = (): void => {
    const given = read();
    isFitting = given !== null && fitAwaitedPair(given.sheet, given.scratch.dependence);
    if (isFitting) setImmediate(fitAhead);
  };
  let seeding: NodeJS.Timeout | undefined;
  const seed = (): void => {
    const given = read();
    if (given === null) return;
    // A batch that went on with the draw before has turned back to it.
    turnTo(given.sheet, given.scratch);
    awaitPairsOf(given.sheet, mostTradedRows(snapshots), given.scratch.dependence);
    if (!isFitting) fitAhead();
  };
  snapshots.onSheet(() => {
    read();
    if (!isFitting) fitAhead();
    clearTimeout(seeding);
    seeding = setTimeout(seed, SEEDED_AFTER_MS).unref();
  });
  return read;
}

function mostTradedRows(snapshots: SnapshotStore): readonly number[] {
  const modelled = snapshots.assets().filter(({ sheetRow }) => sheetRow !== null);
  return mostTraded(modelled, SEEDED_ASSETS).map(({ sheetRow }) => sheetRow!);
}
