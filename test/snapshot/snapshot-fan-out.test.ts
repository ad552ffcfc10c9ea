import { once } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { diagnose } from "../../src/risk/backtest/asset-diagnostics.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { receiveSnapshots, type SnapshotMessage } from "../../src/snapshot/snapshot-channel.ts";
import { SnapshotFanOut } from "../../src/snapshot/snapshot-fan-out.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { handlerDeps, LIVE_VIEWS } from "../support/handler-deps.ts";
import { BTC, NOW_MS, walletState } from "../support/builders.ts";
import { TEST_SCENARIOS } from "../support/market.ts";

// Mutants killed by hand: a late port told nothing; told without the sheet; without that the service was ready once;
// a new run not passed on.

/** Snapshots of live assets and a ready status. */
const LIVE = handlerDeps({ account: walletState(1_000) }).snapshots.messages();
const SHEET: SnapshotMessage = { type: "sheet.published", sheet: TEST_SCENARIOS.sheet };
const MODELS = {
  type: "models.published",
  models: {
    assetsByModel: { "gjr-garch": 3 },
    assetsWithoutModel: 1,
    oldestFitAtMs: NOW_MS - 1,
    newestFitAtMs: NOW_MS,
    sheet: null,
    recalibration: { assets: 0, marketMultiplier: 1, smallestMultiplier: 1, largestMultiplier: 1 },
  },
} as const satisfies SnapshotMessage;
const DIAGNOSTICS = {
  type: "diagnostics.published",
  diagnostics: diagnose({
    ticker: BTC,
    computedAtMs: NOW_MS,
    rows: [],
    multipliers: UNCORRECTED,
    quantileLosses: [],
  }),
} as const satisfies SnapshotMessage;

describe("SnapshotFanOut", () => {
  it("brings every store to the same state, one that is added late too", async () => {
    const [here, early, late] = [new SnapshotStore(), new SnapshotStore(), new SnapshotStore()];
    const fanOut = new SnapshotFanOut(here);
    const status = LIVE.find(({ type }) => type === "status.published")!;
    const ports = [added(fanOut, early)];
    for (const message of [...LIVE, MODELS, DIAGNOSTICS, SHEET]) fanOut.accept(message);
    fanOut.accept({ type: "run.began", hasBeenReady: false });
    fanOut.accept(degraded(status));
    fanOut.accept(SHEET);
    ports.push(added(fanOut, late));
    const published = LIVE.find(({ type }) => type === "asset.published")!;
    fanOut.accept(published);

    for (const port of ports) {
      const closed = once(port.there, "close");
      fanOut.remove(port.here);
      await closed;
    }
    const posts = ports.map(({ here: port }) => vi.spyOn(port, "postMessage"));
    fanOut.accept(status);

    for (const post of posts) expect(post).not.toHaveBeenCalled();
    expect(here.status).not.toEqual(early.status);
    for (const store of [early, late]) {
      expect(store.assets()).toEqual(here.assets());
      expect(store.assets()).toHaveLength(LIVE_VIEWS.length);
      expect(store.status).toMatchObject({ readiness: "degraded" });
      expect(store.hasBeenReady).toBe(true);
      expect(store.models).toEqual(MODELS.models);
      expect(store.diagnosticsOf(BTC)).toEqual(DIAGNOSTICS.diagnostics);
      expect(store.sheet?.version).toBe(here.sheet!.version);
      expect(store.sheet?.logPaths).toEqual(here.sheet!.logPaths);
    }
  });

  it("goes on telling the others when a port is removed", async () => {
    const fanOut = new SnapshotFanOut(new SnapshotStore());
    const stores = [new SnapshotStore(), new SnapshotStore()];
    const [ended, other] = stores.map((store) => added(fanOut, store));

    fanOut.remove(ended!.here);
    fanOut.accept(MODELS);
    const closed = once(other!.there, "close");
    fanOut.remove(other!.here);
    await closed;

    expect(stores.map(({ models }) => models)).toEqual([null, MODELS.models]);
  });
});

function added(
  fanOut: SnapshotFanOut,
  store: SnapshotStore,
): { readonly here: MessagePort; readonly there: MessagePort } {
  const { port1: here, port2: there } = new MessageChannel();
  receiveSnapshots(there, (message) => store.accept(message));
  fanOut.add(here);
  return { here, there };
}

function degraded(message: SnapshotMessage): SnapshotMessage {
  if (message.type !== "status.published") throw new Error("not a status");
  return { ...message, status: { ...message.status, readiness: "degraded" } };
}
