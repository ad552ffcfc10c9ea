import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { asyncScheduler } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STEADY_CLOCK, SYSTEM_CLOCK } from "../src/domain/clock.ts";
import { ok } from "../src/domain/result.ts";
import { type Engine, startEngine } from "../src/engine.ts";
import { openMarket } from "../src/engine/exchange-connection.ts";
import { openCandleStore } from "../src/ingest/candle-store.ts";
import { openForecastStore } from "../src/ingest/forecast-store.ts";
import { openLearnedStore } from "../src/ingest/learned-store.ts";
import { openRegimeStore } from "../src/ingest/regime-store.ts";
import { inProcessRunner } from "./support/in-process-runner.ts";
import { type RunningSimulator, startSimulator } from "../src/simulator/simulator.ts";
import type { AssetSnapshot } from "../src/snapshot/asset-snapshot.ts";
import type { SnapshotMessage } from "../src/snapshot/snapshot-channel.ts";
import { SnapshotStore } from "../src/snapshot/snapshot-store.ts";
import { snapshotFreshness } from "../src/snapshot/staleness.ts";

/** The writing half against the embedded exchange, over real sockets: four assets, one of them delisted. */
const ASSETS = 4;
const LIVE = 3;
const WEIGHT_PER_MINUTE = 60_000;

let simulator: RunningSimulator;
let dataDir: string;
let engine: Engine | undefined;
let store: SnapshotStore;
let seen: SnapshotMessage[];
let logged: { readonly event: string }[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "breakwater-engine-"));
  simulator = await startSimulator({
    port: 0,
    host: "127.0.0.1",
    seed: 1,
    speedFactor: 1,
    assetCount: ASSETS,
    limits: { weightPerMinute: WEIGHT_PER_MINUTE },
    control: false,
  });
  await start();
}, 60_000);
afterAll(async () => {
  await engine?.stop();
  await simulator.stop();
  await rm(dataDir, { recursive: true });
});

describe("startEngine", () => {
  it("becomes ready and publishes every listed asset as a whole view", { timeout: 60_000 }, async () => {
    await until(() => store.status?.assets.live === LIVE);

    expect(store.status).toMatchObject({ readiness: "ready", isFeedConnected: true });
    expect(store.assets()).toHaveLength(ASSETS);
    expect(store.status?.assets.delisted).toBe(ASSETS - LIVE);
    for (const snapshot of liveAssets()) {
      for (const part of ["book", "bookStatistics", "volatility", "tails", "drawdown", "sheetRow"] as const) {
        expect(snapshot[part], `${snapshot.listing.ticker} ${part}`).not.toBeNull();
      }
      expect(snapshotFreshness(snapshot, Date.now()).overall).toBe("fresh");
      expect(snapshot.historyHours).toBeGreaterThan(700);
    }
    expect(store.sheet?.rows).toBe(LIVE);
    expect(new Set(liveAssets().map(({ sheetRow }) => sheetRow)).size).toBe(LIVE);
    expect(store.models?.assetsByModel).toEqual({ "range-garch": LIVE });
  });

  it("never names a row that the sheet published before does not have", () => {
    let rows = 0;
    for (const message of seen) {
      if (message.type === "sheet.published") rows = message.sheet.rows;
      if (message.type === "asset.published") expect(message.snapshot.sheetRow ?? -1).toBeLessThan(rows);
    }
  });

  it("is warm again from disk after a restart", { timeout: 60_000 }, async () => {
    const haveWholeHistories = (): boolean => liveAssets().every(({ historyHours }) => historyHours > 4_000);
    await until(haveWholeHistories);
    await engine?.stop();
    await start();

    await until(() => store.status?.assets.live === LIVE);

    expect(haveWholeHistories()).toBe(true);
  });

  it(
    "keeps what an asset learned, and fits it again, that is started anew after an error",
    { timeout: 60_000 },
    async () => {
      await engine?.stop();
      const runner = inProcessRunner();
      const learnedStore = openLearnedStore(dataDir);
      const kept: string[] = [];
      let isFirst = true;
      await start({
        learnedStore: {
          load: (ticker) => learnedStore.load(ticker),
          keep(ticker, hours) {
            kept.push(ticker);
            return learnedStore.keep(ticker, hours);
          },
        },
        runner: {
          ...runner,
          async drawSheet(job) {
            const drawn = await runner.drawSheet(job);
            if (!isFirst || !drawn.ok) return drawn;
            isFirst = false;
            await until(() =>
              store
                .assets()
                .every(({ listing, liquidityRegime }) => listing.isDelisted || liquidityRegime !== null),
            );
            const [damaged, ...rows] = drawn.value.rows;
            return ok({
              ...drawn.value,
              rows: [{ ...damaged!, cumulativeVariance: null as never }, ...rows],
            });
          },
        },
      });

      await until(() => kept.length === 1);
      expect(logged.filter(({ event }) => event === "asset.restarted")).toHaveLength(1);
      await until(() => liveAssets().length === LIVE && liveAssets().every(({ tails }) => tails !== null));
    },
  );

  it("says in its log what it could not do, and why", { timeout: 60_000 }, async () => {
    await engine?.stop();
    const cause = new Error("EACCES: permission denied");
    await start({ learnedStore: { load: () => Promise.reject(cause), keep: () => Promise.resolve() } });

    await until(() => logged.some(({ event }) => event === "step.failed"));

    expect(logged.find(({ event }) => event === "step.failed")).toMatchObject({
      step: expect.stringMatching(/^read what \w+ taught$/) as string,
      detail: String(cause),
    });
  });

  it(
    "asks for another engine when the machine's clock was set back, and leaves it the regimes of now",
    { timeout: 60_000 },
    async () => {
      await engine?.stop();
      const regimeStore = openRegimeStore(dataDir);
      let kept: readonly string[] = [];
      let backMs = 0;
      let keptWhenFatal: readonly string[] | undefined;
      await start({
        clock: { nowMs: () => Date.now() - backMs },
        regimeStore: {
          load: () => regimeStore.load(),
          async keep(regimes) {
            await regimeStore.keep(regimes);
            kept = [...regimes.keys()];
          },
        },
        onFatal: () => (keptWhenFatal = kept),
      });
      await until(
        () => liveAssets().filter(({ liquidityRegime }) => liquidityRegime !== null).length === LIVE,
      );
      // Written from time to time, for whoever follows an engine that is killed.
      kept = [];
      backMs = -300_000;
      await until(() => kept.length >= LIVE);
      expect(keptWhenFatal).toBeUndefined();

      kept = [];
      backMs = 7_200_000;

      await until(() => keptWhenFatal !== undefined);
      const held = liveAssets().map(({ listing }) => listing.ticker);
      expect(keptWhenFatal).toEqual(expect.arrayContaining(held));
    },
  );
});

function liveAssets(): readonly AssetSnapshot[] {
  return store.assets().filter(({ lifecycle }) => lifecycle === "live");
}

async function start(
  changes: Partial<
    Pick<Parameters<typeof startEngine>[0], "clock" | "onFatal" | "runner" | "learnedStore" | "regimeStore">
  > = {},
): Promise<void> {
  store = new SnapshotStore();
  seen = [];
  logged = [];
  engine = startEngine({
    exchange: await openMarket({
      kind: "network",
      infoUrl: simulator.infoUrl,
      wsUrl: simulator.wsUrl,
      weightPerMinute: WEIGHT_PER_MINUTE,
      isRealTime: true,
    }),
    isRealTime: true,
    channel: {
      publish: (message) => {
        seen.push(message);
        store.accept(message);
      },
    },
    runner: inProcessRunner(),
    candleStore: openCandleStore(dataDir),
    forecastStore: openForecastStore(dataDir),
    learnedStore: openLearnedStore(dataDir),
    regimeStore: openRegimeStore(dataDir),
    clock: SYSTEM_CLOCK,
    steadyClock: STEADY_CLOCK,
    scheduler: asyncScheduler,
    logger: pino({}, { write: (line) => logged.push(JSON.parse(line) as { readonly event: string }) }),
    ...changes,
  });
}

/** Waits for a state that the engine reaches by itself; the test's own limit ends it. */
async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 50));
}
