import type { Logger } from "pino";
import { ALERT_WAITING_MAX, AlertSubscribers } from "./actors/alert-subscribers.ts";
import { type Config, ConfigError } from "./config.ts";
import { causeText } from "./domain/cause-text.ts";
import { STEADY_CLOCK, SYSTEM_CLOCK } from "./domain/clock.ts";
import { idleCollection } from "./domain/garbage-collection.ts";
import type { WalletSource } from "./domain/wallet-source.ts";
import { AlertDesk } from "./gateway/alert-desk.ts";
import { serviceAnswers, type ServiceAnswerDeps, tradeAnswers } from "./gateway/gateway-endpoints.ts";
import { gatewayServer } from "./gateway/gateway-server.ts";
import type { GatewayThreadData } from "./gateway/gateway-thread.ts";
import { GatewayThreads } from "./gateway/gateway-threads.ts";
import { CacheWarming } from "./gateway/cache-warming.ts";
import { rehearseTrades } from "./gateway/rehearsal.ts";
import { tradeReading } from "./gateway/trade-reading.ts";
import { BusyPolling } from "./http/busy-polling.ts";
import type { AlertConnect } from "./http/alerts-socket.ts";
import type { KeyRing } from "./http/key-ring.ts";
import { CountedWarning } from "./process/counted-warning.ts";
import { ENGINE_VERSION } from "./process/engine-version.ts";
import type { SnapshotFanOut } from "./snapshot/snapshot-fan-out.ts";
import type { SnapshotStore } from "./snapshot/snapshot-store.ts";
import { WalletFanOut } from "./snapshot/wallet-fan-out.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "./snapshot/wallet-store.ts";

export interface GatewayDeps {
  readonly config: GatewayThreadData["config"] & Pick<Config, "host" | "port">;
  readonly exchangeName: string;
  readonly keys: KeyRing;
  readonly snapshots: SnapshotStore;
  /** Feeds snapshots to the other threads. */
  readonly snapshotFanOut: SnapshotFanOut;
  readonly walletSource: WalletSource;
  readonly records: ServiceAnswerDeps["records"] & { readonly isWritable: boolean };
  readonly logger: Logger;
}

export interface Gateway {
  readonly port: number;
  /** Resolves when all configured threads answer. Errors: GatewayStartError when they do not in time. */
  readonly started: Promise<void>;
  /** Answers "not ready" from now on, finishes what is in flight, closes. */
  close(): Promise<void>;
}

/**
 * The reading half in one screen: 1. what is read: snapshots, wallets, scenarios; 2. answers; 3. bytes; 4. other threads
 * that do the same where there are to be several. The one that accepts then keeps connections only while no other runs.
 *
 * Errors:  ConfigError when the address cannot be had
 */
export async function startGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, snapshots, exchangeName, keys, logger } = deps;
  let isDraining = false;

  // 1. What is read.
  const threads = new GatewayThreads();
  const walletSource = new WalletFanOut(deps.walletSource, (news) => threads.tellWallet(news));
  const wallets = new WalletStore({
    ...WALLET_STORE_DEFAULTS,
    source: walletSource,
    clock: SYSTEM_CLOCK,
    steadyClock: STEADY_CLOCK,
    onThrown: (cause) => logger.error({ event: "wallet.failed", err: cause }, "a wallet could not be read"),
  });
  const assessment = tradeReading(snapshots, wallets, logger);

  // 2. Answers.
  const dropped = new CountedWarning((count) =>
    logger.warn({ event: "alert.dropped", untold: count }, "alert subscribers were not told of a call"),
  );
  const subscribers = new AlertSubscribers({
    defer: setImmediate,
    waitingMax: ALERT_WAITING_MAX,
    onDropped: (count) => dropped.note(count),
  });
  const alertDesk = new AlertDesk(subscribers, (cause) =>
    logger.error({ event: "alert.failed", err: cause }, "an alert subscriber failed"),
  );
  const service = serviceAnswers({
    assessment: { ...assessment, onMonitored: alertDesk.publish.bind(alertDesk) },
    service: () => ({
      engineVersion: ENGINE_VERSION,
      // Of the main thread, which began with the process.
      uptimeMs: performance.now(),
      nowMs: SYSTEM_CLOCK.nowMs(),
      exchangeName,
      isDraining,
      hasBeenReady: snapshots.hasBeenReady,
      isRecordWritable: deps.records.isWritable,
    }),
    records: deps.records,
  });

  // 3. Bytes.
  const { gateways, tls, busyPollUs, keepWarmMs } = config;
  const connectAlerts: AlertConnect = (client) => alertDesk.connect(client);
  const warming = new CacheWarming(assessment, keepWarmMs, logger);
  const answers = { ...warming.after(tradeAnswers(assessment)), ...service };
  const endRehearsal = gateways === 1 ? rehearseTrades(assessment, logger) : undefined;
  const busyMemory = BusyPolling.memoryFor(1 + gateways);
  const busyThreads = { memory: busyMemory, place: 0 };
  const server = gatewayServer({
    answers,
    connectAlerts,
    keys,
    tls,
    busyPollUs,
    busyThreads,
    gateways,
    logger,
  });
  snapshots.onSheet(idleCollection(() => server.requests));
  const port = await server.listen(config.host, config.port).catch((cause: unknown) => {
    throw new ConfigError(`HOST and PORT cannot be used: ${causeText(cause)}; PORT 0 takes a free one`);
  });

  // 4. Other threads.
  const { logLevel, rateLimitPerMinute } = config;
  const started =
    gateways === 1
      ? Promise.resolve()
      : threads.start(gateways, walletSource, {
          config: { tls, gateways, busyPollUs, keepWarmMs, logLevel, rateLimitPerMinute },
          busyMemory,
          acceptor: server,
          answers: service,
          connectAlerts,
          keys,
          snapshots: deps.snapshotFanOut,
          wallets,
          logger,
        });
  return {
    port,
    started,
    async close() {
      isDraining = true;
      endRehearsal?.();
      warming.end();
      server.stopListening();
      const alertsTold = (): Promise<void> => subscribers.settled();
      await threads.stop(alertsTold);
      await server.close(alertsTold);
      await wallets.close();
    },
  };
}
