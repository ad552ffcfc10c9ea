import { parentPort, type MessagePort, workerData } from "node:worker_threads";
import { asyncScheduler } from "rxjs";
import type { LogLevel } from "../config.ts";
import { STEADY_CLOCK, SYSTEM_CLOCK } from "../domain/clock.ts";
import { laterCollection } from "../domain/garbage-collection.ts";
import { lowerPriority, NICER } from "../domain/thread-priority.ts";
import { startEngine } from "../engine.ts";
import { openCandleStore } from "../ingest/candle-store.ts";
import { openForecastStore } from "../ingest/forecast-store.ts";
import { openLearnedStore } from "../ingest/learned-store.ts";
import { openRegimeStore } from "../ingest/regime-store.ts";
import { createLogger } from "../process/logger.ts";
import { threadUrl } from "../process/thread-url.ts";
import { openRefitHost, REFIT_DEADLINES } from "../refit/refit-host.ts";
import { portChannel } from "../snapshot/snapshot-channel.ts";
import { type ExchangeConnection, openMarket } from "./exchange-connection.ts";

/** Everything the engine's thread is told at its start; plain data but for the port, which is transferred. */
export interface EngineThreadData {
  readonly connection: ExchangeConnection;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  /** Of the runtime, made nicer when this one is. */
  readonly helperThreads: readonly number[];
  readonly snapshotPort: MessagePort;
}

/** Worker entry: runs the engine until any message comes from outside, then stops it and lets the thread end. */
if (parentPort !== null) {
  const parent = parentPort;
  const { connection, dataDir, logLevel, helperThreads, snapshotPort } = workerData as EngineThreadData;
  const channel = portChannel(snapshotPort);
  const collectLater = laterCollection();
  const logger = createLogger(logLevel);
  const reportUnreadable = (detail: string): void => {
    logger.warn({ event: "file.unreadable", detail }, "a data file could not be read to its end");
  };
  const runner = openRefitHost({ ...REFIT_DEADLINES, workerUrl: threadUrl("refit/refit-worker") });
  let isHurrying = true;
  const stopHurrying = (): void => {
    isHurrying = false;
    runner.yieldCores();
    lowerPriority(NICER.engine);
    lowerPriority(NICER.runtime, helperThreads);
  };
  const engine = startEngine({
    exchange: await openMarket(connection),
    isRealTime: connection.kind === "network" && connection.isRealTime,
    channel: {
      publish: (message) => {
        channel.publish(message);
        if (message.type === "sheet.published") collectLater();
        // Until then answers wait for these threads, and not the other way round.
        if (isHurrying && message.type === "status.published" && message.status.readiness !== "starting")
          stopHurrying();
      },
    },
    runner,
    candleStore: openCandleStore(dataDir, reportUnreadable),
    forecastStore: openForecastStore(dataDir, reportUnreadable),
    learnedStore: openLearnedStore(dataDir, reportUnreadable),
    regimeStore: openRegimeStore(dataDir, reportUnreadable),
    clock: SYSTEM_CLOCK,
    steadyClock: STEADY_CLOCK,
    scheduler: asyncScheduler,
    logger,
    onFatal: () => process.exit(1),
  });
  parent.once("message", () => {
    void engine.stop().then(() => {
      snapshotPort.close();
      parent.close();
    });
  });
}
