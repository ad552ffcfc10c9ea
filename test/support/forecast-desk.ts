import { AssetRegistry } from "../../src/actors/asset-registry.ts";
import { SheetRowTrack } from "../../src/actors/sheet-row-track.ts";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { decodeForecast, type ForecastRow, splitForecasts } from "../../src/domain/forecast-row.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import { EngineForecasts } from "../../src/engine/engine-forecasts.ts";
import { openForecastStore } from "../../src/ingest/forecast-store.ts";
import type { RefitFailure, RefitRunner } from "../../src/refit/refit-runner.ts";
import { drawSheetJob } from "../../src/refit/sheet-job.ts";
import { fitVolatilityJob } from "../../src/refit/volatility-job.ts";
import type { AssetDiagnostics } from "../../src/risk/backtest/asset-diagnostics.ts";
import { createSheetDayScratch } from "../../src/risk/scenarios/sheet-day.ts";
import type { SnapshotMessage } from "../../src/snapshot/snapshot-channel.ts";
import { assetContext, assetListing, BTC } from "./builders.ts";
import { inProcessRunner } from "./in-process-runner.ts";
import { syntheticBars, SYNTHETIC_START_MS } from "./synthetic-bars.ts";

export const BARS = syntheticBars({ seed: 9, length: 48 * 24, sigmaHour: 0.006 });

export interface ForecastDesk {
  readonly forecasts: EngineForecasts;
  readonly registry: AssetRegistry;
  readonly published: AssetDiagnostics[];
  readonly problems: string[];
  /** Rows of every append. */
  readonly appended: number[];
  /** setByMs: by how much nowMs was set, without that time having passed. */
  readonly clock: { nowMs: number; setByMs: number };
  /** Whether the next replay fails. */
  failNext: () => boolean;
  /** What a replay fails with. */
  failureCode: RefitFailure["code"];
  /** Whether the disk refuses to be read, or written to. */
  isDiskAway: boolean;
  close(bar: Bar): void;
  /** isWhole: nothing older is on its way. */
  load(bars: readonly Bar[], isWhole?: boolean): void;
  /** A bar that closes without time passing on this machine. */
  closeAtOnce(bar: Bar): void;
  /** Everything that was started is done. */
  idle(): Promise<void>;
  /** Lets time pass, then whatever is started be done. */
  turn(afterMs: number): Promise<void>;
  /** The same until nothing more is to be done. */
  settle(afterMs?: number): Promise<void>;
}

/** What of an asset is known at the beginning. */
export interface KnownAsset {
  readonly dataDir: string;
  /** The first so many of BARS. */
  readonly knownBars: number;
  readonly runner?: RefitRunner;
  /** Of the known bars only so many, the older ones on their way. */
  readonly recentBars?: number;
  /** Scenarios were drawn for it. */
  readonly hasTails?: boolean;
}

/** The record of one asset with a model. */
export function openForecasts({
  dataDir,
  knownBars,
  runner = inProcessRunner(),
  recentBars = knownBars,
  hasTails = true,
}: KnownAsset): ForecastDesk {
  const bars = BARS.slice(0, knownBars);
  const clock = { nowMs: SYNTHETIC_START_MS + knownBars * HOUR_MS, setByMs: 0 };
  const reader = { nowMs: () => clock.nowMs };
  const registry = new AssetRegistry({
    clock: reader,
    marketClock: { ...reader, isKnown: true },
    publish: () => undefined,
    reportRestart: ({ ticker, error }) => {
      throw new Error(`${ticker} ${String(error)}`);
    },
  });
  const published: AssetDiagnostics[] = [];
  const problems: string[] = [];
  const appended: number[] = [];
  let running: Promise<unknown> = Promise.resolve();
  let started = 0;
  const watched = <T>(work: Promise<T>): Promise<T> => {
    started++;
    running = Promise.all([running, work.catch(() => undefined)]);
    return work;
  };
  const store = openForecastStore(dataDir);
  const forecasts = new EngineForecasts({
    registry,
    runner: {
      ...runner,
      replayForecasts: (job) =>
        watched(
          desk.failNext()
            ? runner
                .replayForecasts(job)
                .then(() => ({ ok: false, error: { code: desk.failureCode, detail: "" } }) as const)
            : runner.replayForecasts(job),
        ),
      diagnose: (job) => watched(runner.diagnose(job)),
    },
    store: {
      load: (ticker) => watched(desk.isDiskAway ? Promise.reject(new Error("away")) : store.load(ticker)),
      append: (ticker, added) => {
        appended.push(added.length);
        return watched(desk.isDiskAway ? Promise.reject(new Error("away")) : store.append(ticker, added));
      },
    },
    channel: {
      publish: (message: SnapshotMessage) => {
        if (message.type === "diagnostics.published") published.push(message.diagnostics);
      },
    },
    clock: reader,
    steadyClock: { nowMs: () => clock.nowMs - clock.setByMs },
    marketClock: reader,
    report: (step) => problems.push(step),
  });
  const handle = (event: MarketEvent): void => {
    registry.handle(event);
    forecasts.note(event);
  };
  const desk: ForecastDesk = {
    forecasts,
    registry,
    published,
    problems,
    appended,
    clock,
    failNext: () => false,
    failureCode: "late",
    isDiskAway: false,
    close: (bar) => {
      clock.nowMs = Math.max(clock.nowMs, bar.openTimeMs + HOUR_MS);
      desk.closeAtOnce(bar);
    },
    load: (more, isWhole = true) =>
      handle({
        type: "history.loaded",
        ticker: BTC,
        bars: barColumnsOf(more),
        settlements: [],
        reachesNow: true,
        isWhole,
      }),
    closeAtOnce: (bar) => handle({ type: "bar.closed", ticker: BTC, bar }),
    idle: finished,
    async turn(afterMs) {
      clock.nowMs += afterMs;
      forecasts.tick();
      await finished();
    },
    async settle(afterMs = 1_000) {
      for (let before = -1; before !== started;) {
        before = started;
        await desk.turn(afterMs);
      }
    },
  };
  /** Waits for whatever was started, and for what that starts. */
  async function finished(): Promise<void> {
    for (let seen: unknown = null; seen !== running;) {
      seen = running;
      await running;
      for (let i = 0; i < 10; i++) await Promise.resolve();
    }
  }
  handle({ type: "asset.listed", ticker: BTC, listing: assetListing(), context: assetContext() });
  desk.load(bars.slice(-recentBars), recentBars === knownBars);
  const columns = barColumnsOf(bars);
  const options = { pooledSeasonality: null, peer: null, halfSpreadFraction: 0, previous: null };
  const fitted = fitVolatilityJob({ kind: "volatility", ticker: BTC, bars: columns, options })!;
  registry.acceptModel(BTC, fitted);
  if (!hasTails) return desk;
  const drawn = drawSheetJob({
    kind: "sheet",
    version: 1,
    singleAssetBlocks: 1,
    assets: [
      {
        ticker: BTC,
        bars: columns,
        model: fitted.model,
        state: null,
        volume24hUsd: 1,
        recalibration: 1,
      },
    ],
  });
  registry.acceptTails(
    BTC,
    drawn.rows[0]!,
    new SheetRowTrack(drawn.sheet, 0, createSheetDayScratch(drawn.sheet.scenarios)),
  );
  return desk;
}

/** Notes a 1 for every replay, after doing something meanwhile. */
export function countingRunner(jobs: number[], meanwhile: () => void = () => undefined): RefitRunner {
  const runner = inProcessRunner();
  return {
    ...runner,
    replayForecasts: (job) => {
      jobs.push(1);
      meanwhile();
      return runner.replayForecasts(job);
    },
  };
}

/** What is on disk. */
export async function forecastsKept(dataDir: string): Promise<readonly ForecastRow[]> {
  return splitForecasts(await openForecastStore(dataDir).load(BTC)).map(decodeForecast);
}
