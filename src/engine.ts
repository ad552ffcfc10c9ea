import type { Logger } from "pino";
import { config as rxjsConfig, interval, merge, type SchedulerLike, Subscription, tap } from "rxjs";
import { AssetRegistry, PUBLISH_PERIOD_MS } from "./actors/asset-registry.ts";
import { MarketActor } from "./actors/market-actor.ts";
import type { Clock } from "./domain/clock.ts";
import { EngineForecasts } from "./engine/engine-forecasts.ts";
import { EngineMemory } from "./engine/engine-memory.ts";
import { EngineRefits } from "./engine/engine-refits.ts";
import { EngineVitals } from "./engine/engine-vitals.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { CandleStore } from "./ingest/candle-store.ts";
import type { ForecastStore } from "./ingest/forecast-store.ts";
import type { LearnedStore } from "./ingest/learned-store.ts";
import type { RegimeStore } from "./ingest/regime-store.ts";
import { MarketClock } from "./ingest/market-clock.ts";
import { marketEvents } from "./ingest/market-events.ts";
import type { RefitRunner } from "./refit/refit-runner.ts";
import type { SnapshotChannel } from "./snapshot/snapshot-channel.ts";

const SWEEP_PERIOD_MS = 1_000;
const REFIT_PERIOD_MS = 250;

export interface EngineDeps {
  readonly exchange: Exchange;
  /** Its clock shows our time; that of a replay, or of a simulator at another speed, its own. */
  readonly isRealTime: boolean;
  readonly channel: SnapshotChannel;
  readonly runner: RefitRunner;
  readonly candleStore: CandleStore;
  readonly forecastStore: ForecastStore;
  readonly learnedStore: LearnedStore;
  readonly regimeStore: RegimeStore;
  readonly clock: Clock;
  /** Not set by anyone: for how much time has passed. */
  readonly steadyClock: Clock;
  readonly scheduler: SchedulerLike;
  readonly logger: Logger;
  /** The pipeline is broken for good: whoever runs the engine must start another. */
  readonly onFatal?: () => void;
}

export interface Engine {
  stop(): Promise<void>;
}

/**
 * The writing half in one screen: 1. exchange and ingest give events; 2. actors own rolling state; 3. refits run
 * elsewhere; 4. snapshots and status leave through the channel; 5. one subscription drives it all.
 */
export function startEngine(deps: EngineDeps): Engine {
  const { exchange, channel, runner, candleStore, learnedStore, regimeStore, clock, scheduler, logger } =
    deps;
  const vitals = new EngineVitals({ exchange, clock, logger });
  const report = (step: string, detail: string): void => vitals.noteProblem(step, detail);
  // An error that no subscriber handles must be a line in the log, never the end of the process.
  rxjsConfig.onUnhandledError = (error) => report("unhandled", String(error));

  // 1. Exchange -> newest facts per asset.
  const marketClock = new MarketClock(clock, deps.isRealTime, deps.steadyClock);
  const events$ = marketEvents({
    exchange,
    candleStore,
    clock,
    marketClock,
    scheduler,
    report: ({ step, detail }) => report(step, detail),
  });

  // 2. Facts -> rolling state and lifecycle of each asset, and of the market as a whole.
  const registry = new AssetRegistry({
    clock,
    marketClock,
    publish: (snapshot) => channel.publish({ type: "asset.published", snapshot }),
    reportRestart: ({ ticker, error, isGivenUp, learned }) => {
      vitals.noteRestart(ticker, error, isGivenUp);
      memory.noteRestart(ticker, learned);
      refits.noteModelLost(ticker);
    },
  });
  const memory = new EngineMemory({ registry, store: learnedStore, regimeStore, clock, report });
  const market = new MarketActor((error) => report("market", String(error)));

  // 3. Models and scenarios, fitted and drawn elsewhere.
  const forecasts = new EngineForecasts({
    registry,
    runner,
    store: deps.forecastStore,
    channel,
    clock,
    steadyClock: deps.steadyClock,
    marketClock,
    report,
  });
  const refits = new EngineRefits({ registry, runner, channel, clock, recalibration: forecasts, report });

  // 4. Status, once a second, and sooner while a start is waited for.
  const publishStatus = (): void => {
    const liveVolumeShare = registry.liveVolumeShare();
    const readiness = market.tally({ liveVolumeShare, silenceMs: vitals.silenceMs() });
    const status = vitals.status(readiness, registry.counts(), refits.counts);
    channel.publish({ type: "status.published", status });
  };

  // 5. What drives it.
  const running = new Subscription();
  const drive$ = merge(
    events$.pipe(
      tap((event) => {
        registry.handle(event);
        refits.note(event);
        forecasts.note(event);
        memory.note(event);
        vitals.note(event);
      }),
    ),
    interval(PUBLISH_PERIOD_MS / 2, scheduler).pipe(tap(() => registry.publishDue())),
    interval(REFIT_PERIOD_MS, scheduler).pipe(
      tap(() => {
        refits.tick();
        forecasts.tick();
        if (market.readiness === "starting") publishStatus();
      }),
    ),
    interval(SWEEP_PERIOD_MS, scheduler).pipe(
      tap(() => {
        vitals.checkClock();
        registry.sweep();
        memory.tick();
        publishStatus();
      }),
    ),
  );
  running.add(vitals.listen());
  running.add(
    drive$.subscribe({
      error: (error: unknown) => {
        vitals.noteFatal(error);
        // The next engine would take what turned since the last keeping for what was before, and tell of a shift.
        void memory
          .stop()
          .catch((cause: unknown) => report("keep what was learned", String(cause)))
          .then(deps.onFatal);
      },
    }),
  );
  publishStatus();
  logger.info({ event: "engine.started" }, "engine started");
  return {
    async stop() {
      running.unsubscribe();
      await memory.stop();
      registry.stop();
      market.stop();
      await Promise.all([exchange.close(), runner.close()]);
      vitals.stop();
      logger.info({ event: "engine.stopped" }, "engine stopped");
    },
  };
}
