import { pino } from "pino";
import type { Clock } from "../../src/domain/clock.ts";
import { EngineHost } from "../../src/engine/engine-host.ts";
import { createPortfolioScratch, type ScenarioAccess } from "../../src/risk/portfolio/scenario-access.ts";
import { startSimulatedExchange } from "../../src/engine/simulated-exchange.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What requests read, filled by the real engine from the real simulator and then left still. */
export interface LiveState {
  readonly snapshots: SnapshotStore;
  readonly scenarios: ScenarioAccess;
  /** Stands at the moment of the capture, so that nothing ages. */
  readonly clock: Clock;
}

/** Runs simulator and engine until every asset is live, keeps what they published, and stops them. */
export async function captureLiveState(assetCount?: number): Promise<LiveState> {
  const dataDir = temporaryFolder();
  const options = { port: 0, seed: 1, speedFactor: 1, assetCount };
  const exchange = await startSimulatedExchange(options, (cause) => {
    throw cause;
  });
  const snapshots = new SnapshotStore();
  const { connection } = exchange;
  const engine = new EngineHost(
    { connection, dataDir, logLevel: "silent", helperThreads: [] },
    (message) => snapshots.accept(message),
    pino({ level: "silent" }),
  );
  engine.start();
  while (!isWarm(snapshots)) await new Promise((resolve) => setTimeout(resolve, 100));
  const capturedAtMs = Date.now();
  await engine.stop();
  await exchange.stop();
  const { sheet } = snapshots;
  if (sheet === null) throw new Error("no scenarios were drawn");
  const scenarios = { sheet, scratch: createPortfolioScratch(sheet) };
  return { snapshots, scenarios, clock: { nowMs: () => capturedAtMs } };
}

/** Also of the rows in the sheet: the first sheet is of the assets that were fitted until then. */
function isWarm(snapshots: SnapshotStore): boolean {
  const { status, sheet } = snapshots;
  if (status?.readiness !== "ready" || status.assets.warming > 0 || sheet === null) return false;
  const rows = snapshots
    .assets()
    .filter(({ lifecycle, sheetRow }) => lifecycle === "live" && sheetRow !== null);
  return rows.length === status.assets.live - status.assets.withoutModel;
}
