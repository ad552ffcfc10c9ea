import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { EngineHost } from "../../src/engine-host.ts";
import { openWallets } from "../../src/exchange-connection.ts";
import type { WalletState } from "../../src/domain/account.ts";
import { walletAddressOf } from "../../src/domain/ids.ts";
import { createPortfolioScratch, type ScenarioAccess } from "../../src/risk/portfolio-assessment.ts";
import { startSimulatedExchange } from "../../src/simulated-exchange.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";

/** What requests read, filled by the real engine from the real simulator and then left still. */
export interface LiveState {
  readonly snapshots: SnapshotStore;
  readonly scenarios: ScenarioAccess;
  /** Simulator wallets by label. */
  readonly wallets: ReadonlyMap<string, WalletState>;
}

/** Runs simulator and engine until every asset is live, keeps what they published, and stops them. */
export async function captureLiveState(labels: readonly string[]): Promise<LiveState> {
  const dataDir = mkdtempSync(join(tmpdir(), "breakwater-bench-"));
  const exchange = await startSimulatedExchange({ port: 0, seed: 1, speedFactor: 1 }, () => undefined);
  const snapshots = new SnapshotStore();
  const logger = pino({ level: "silent" });
  const { connection, address } = exchange;
  const engine = new EngineHost(
    { connection, dataDir, logLevel: "silent", refitWorkers: 1 },
    snapshots,
    logger,
  );
  engine.start();
  while (!isWarm(snapshots)) await new Promise((resolve) => setTimeout(resolve, 100));
  const source = await openWallets(connection);
  const listed = (await (await fetch(`${address.controlUrl ?? ""}/wallets`)).json()) as {
    label: string;
    address: string;
  }[];
  const wallets = new Map<string, WalletState>();
  for (const label of labels) {
    const wallet = walletAddressOf(listed.find((row) => row.label === label)?.address ?? "");
    if (wallet === undefined) throw new Error(`the simulator has no wallet ${label}`);
    const state = await source.fetchWallet(wallet);
    if (!state.ok) throw new Error(state.error.detail);
    wallets.set(label, state.value);
  }
  source.close();
  await engine.stop();
  await exchange.stop();
  rmSync(dataDir, { recursive: true, force: true });
  const { sheet } = snapshots;
  if (sheet === null) throw new Error("no scenarios were drawn");
  return { snapshots, scenarios: { sheet, scratch: createPortfolioScratch(sheet) }, wallets };
}

function isWarm({ status, sheet }: SnapshotStore): boolean {
  return status?.readiness === "ready" && status.assets.warming === 0 && sheet !== null;
}
