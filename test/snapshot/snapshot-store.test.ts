import { describe, expect, it } from "vitest";
import { healthBody } from "../../src/response/health-body.ts";
import type { AssetLifecycle, AssetSnapshot } from "../../src/snapshot/asset-snapshot.ts";
import type { EngineStatus } from "../../src/snapshot/engine-status.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { BTC } from "../support/builders.ts";
import { assetView, TEST_SCENARIOS } from "../support/market.ts";

const NOW_MS = 1_000_000;

describe("SnapshotStore", () => {
  it("answers on from the last run while a new engine warms up, as stale and without its scenario rows", () => {
    const store = new SnapshotStore();
    store.accept({ type: "status.published", status: status("ready") });
    store.accept({ type: "asset.published", snapshot: snapshot("live", 100) });
    store.accept({ type: "sheet.published", sheet: TEST_SCENARIOS.sheet });

    store.accept({ type: "run.began", hasBeenReady: false });
    store.accept({ type: "status.published", status: status("starting") });
    store.accept({ type: "asset.published", snapshot: snapshot("warming", 1) });

    const kept = store.assetOf(BTC)!;
    expect([kept.sequence, kept.lifecycle, kept.sheetRow, store.sheet]).toEqual([100, "stale", null, null]);
    expect(store.hasBeenReady).toBe(true);

    store.accept({ type: "asset.published", snapshot: snapshot("live", 2) });
    expect(store.assetOf(BTC)!.sequence).toBe(2);
  });

  it("has no live asset and no feed from the moment a run begins, and lists what it answers from", () => {
    const store = new SnapshotStore();
    const toldOf = () => {
      const { assets, readiness, isFeedConnected } = store.status!;
      return [readiness, isFeedConnected, assets.warming, assets.live, assets.stale];
    };
    const nothing = { listed: 0, warming: 0, live: 0, stale: 0, delisted: 0, withoutModel: 0, closeOnly: 0 };
    store.accept({ type: "status.published", status: { ...status("starting"), assets: nothing } });
    expect(toldOf()).toEqual(["starting", true, 0, 0, 0]);
    store.accept({ type: "status.published", status: status("ready") });

    store.accept({ type: "run.began", hasBeenReady: false });
    expect(toldOf()).toEqual(["starting", false, 0, 0, 4]);
    store.accept({ type: "status.published", status: { ...status("starting"), assets: nothing } });
    expect(toldOf()).toEqual(["starting", false, 0, 0, 4]);

    const warming = { ...nothing, warming: 4 };
    store.accept({ type: "status.published", status: { ...status("starting"), assets: warming } });
    expect(toldOf()).toEqual(["starting", true, 4, 0, 0]);
  });

  it.each<AssetLifecycle>(["listed", "warming", "stale", "delisted"])(
    "trusts what was %s no more in a new run than before it",
    (lifecycle) => {
      const store = new SnapshotStore();
      store.accept({ type: "asset.published", snapshot: snapshot(lifecycle, 1) });

      store.accept({ type: "run.began", hasBeenReady: true });

      expect(store.assetOf(BTC)!.lifecycle).toBe(lifecycle);
    },
  );

  it.each<[AssetLifecycle, AssetLifecycle, AssetLifecycle]>([
    ["live", "listed", "live"],
    ["live", "warming", "live"],
    ["stale", "listed", "stale"],
    ["stale", "warming", "stale"],
    ["live", "stale", "stale"],
    ["live", "delisted", "delisted"],
    ["stale", "delisted", "delisted"],
    ["warming", "listed", "listed"],
  ])(
    "has an asset that was %s and is %s now as %s: what was warm ages, what has gone is gone",
    (...words) => {
      const [known, coming, expected] = words;
      const store = new SnapshotStore();

      store.accept({ type: "asset.published", snapshot: snapshot(known, 1) });
      store.accept({ type: "asset.published", snapshot: snapshot(coming, 2) });

      expect(store.assetOf(BTC)!.lifecycle).toBe(expected);
    },
  );

  it("moves an asset's row of the sheet to the sigma that it is published with, if it is of the same draw", () => {
    const store = new SnapshotStore();
    const { sheet } = TEST_SCENARIOS;
    store.accept({ type: "sheet.published", sheet });
    const moved = { ...sheet.days[0]!, sigmaRatio: 1.5 };

    for (const sheetDay of [moved, { ...moved, version: sheet.version + 1 }]) {
      store.accept({ type: "asset.published", snapshot: { ...snapshot("live", 1), sheetRow: 0, sheetDay } });
    }

    expect(store.sheet!.days).toEqual([moved, ...sheet.days.slice(1)]);
    expect(store.sheet!.days[0]).toBe(moved);
  });

  it("is not ready before an engine has said so", () => {
    const store = new SnapshotStore();
    store.accept({ type: "status.published", status: status("starting") });

    expect(store.hasBeenReady).toBe(false);
  });
});

describe("healthBody", () => {
  const service = {
    engineVersion: "0.1.0",
    uptimeMs: 0,
    exchangeName: "simulated",
    isDraining: false,
    isRecordWritable: true,
  };

  it("believes the engine for as long as it speaks", () => {
    const fresh = healthBody(status("ready"), { ...service, nowMs: NOW_MS + 1_000, hasBeenReady: true });
    const hung = healthBody(status("ready"), { ...service, nowMs: NOW_MS + 6_000, hasBeenReady: true });

    expect([fresh.status, fresh.ready, fresh.assets.live, fresh.assets.stale]).toEqual(["ok", true, 3, 1]);
    expect([hung.status, hung.ready, hung.exchange.connected]).toEqual(["degraded", false, false]);
    expect([hung.assets.live, hung.assets.stale]).toEqual([0, 4]);
  });

  it("calls a restarting engine degraded, and a first one starting", () => {
    const of = (hasBeenReady: boolean) =>
      healthBody(status("starting"), { ...service, nowMs: NOW_MS, hasBeenReady }).status;

    expect([of(false), of(true)]).toEqual(["starting", "degraded"]);
  });

  it("says so when over a quarter of the listed assets has no model, though what is asked is answered", () => {
    const of = (readiness: EngineStatus["readiness"], counts: Partial<EngineStatus["assets"]>) => {
      const { assets, ...others } = status(readiness);
      const {
        status: word,
        ready,
        assets: told,
      } = healthBody(
        { ...others, assets: { ...assets, ...counts } },
        { ...service, nowMs: NOW_MS, hasBeenReady: readiness !== "starting" },
      );
      return [word, ready, told.without_model];
    };

    expect(of("ready", { withoutModel: 1 })).toEqual(["ok", true, 1]);
    expect(of("ready", { withoutModel: 2 })).toEqual(["degraded", true, 2]);
    // The assets that are still to come count as well: at a start the first ones without say nothing of the others.
    expect(of("ready", { withoutModel: 2, warming: 3, listed: 1 })).toEqual(["ok", true, 2]);
    expect(of("starting", { withoutModel: 2 })).toEqual(["starting", false, 2]);
  });

  it("says so when over a quarter of the listed assets can only be closed", () => {
    const wordOf = (closeOnly: number) => {
      const { assets, ...others } = status("ready");
      const body = healthBody(
        { ...others, assets: { ...assets, closeOnly } },
        { ...service, nowMs: NOW_MS, hasBeenReady: true },
      );
      return [body.status, body.ready, body.assets.close_only];
    };

    expect([wordOf(1), wordOf(2)]).toEqual([
      ["ok", true, 1],
      ["degraded", true, 2],
    ]);
  });

  it("says so when outcomes cannot be recorded, though what is asked is answered", () => {
    const { outcome_record, ready, ...body } = healthBody(status("ready"), {
      ...service,
      nowMs: NOW_MS,
      hasBeenReady: true,
      isRecordWritable: false,
    });

    expect([outcome_record, ready, body.status]).toEqual([{ writable: false }, true, "degraded"]);
  });

  it("tells its age in seconds and its feed's in milliseconds", () => {
    const times = { uptimeMs: 90_000.316225, nowMs: NOW_MS + 1_500, hasBeenReady: true };
    const { uptime_s, exchange } = healthBody(status("ready"), { ...service, ...times });

    expect([uptime_s, exchange.last_message_age_ms]).toEqual([90, 1_500]);
  });

  it("believes an engine that spoke before the clock was set back no more than the answers do", () => {
    const before = healthBody(status("ready"), { ...service, nowMs: NOW_MS - 100_000, hasBeenReady: true });

    expect([before.status, before.ready, before.assets.live]).toEqual(["degraded", false, 0]);
    expect(before.exchange).toEqual({ name: "simulated", connected: false, last_message_age_ms: 100_000 });
  });

  it("knows of no feed before the engine has spoken, and of a lost one what the engine says", () => {
    const of = (told: EngineStatus | null) =>
      healthBody(told, { ...service, nowMs: NOW_MS, hasBeenReady: false }).exchange;

    expect(of(null)).toEqual({ name: "simulated", connected: false, last_message_age_ms: null });
    expect(of({ ...status("degraded"), isFeedConnected: false }).connected).toBe(false);
    expect(of(status("ready")).connected).toBe(true);
  });

  it("counts every asset that is listed, whatever it lacks", () => {
    const assets = { listed: 1, warming: 2, live: 30, stale: 4, delisted: 50, withoutModel: 3, closeOnly: 5 };
    const body = healthBody(
      { ...status("ready"), assets },
      { ...service, nowMs: NOW_MS, hasBeenReady: true },
    );

    expect(body.assets).toEqual({ listed: 37, live: 30, stale: 4, without_model: 3, close_only: 5 });
  });

  it("is not ready from the moment it drains, though the engine is", () => {
    const draining = { ...service, nowMs: NOW_MS, hasBeenReady: true, isDraining: true };
    const { ready, status: word } = healthBody(status("ready"), draining);

    expect([word, ready]).toEqual(["degraded", false]);
  });
});

function status(readiness: EngineStatus["readiness"]): EngineStatus {
  return {
    readiness,
    isFeedConnected: true,
    lastMessageAtMs: NOW_MS,
    publishedAtMs: NOW_MS,
    assets: { listed: 0, warming: 0, live: 3, stale: 1, delisted: 0, withoutModel: 0, closeOnly: 0 },
    counts: { refitsDone: 0, refitsFailed: 0 },
  };
}

function snapshot(lifecycle: AssetLifecycle, sequence: number): AssetSnapshot {
  return {
    ...assetView(BTC),
    lifecycle,
    sequence,
    publishedAtMs: NOW_MS,
    bookArrivedAtMs: NOW_MS,
    sheetDay: null,
  };
}
