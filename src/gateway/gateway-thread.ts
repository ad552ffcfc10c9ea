import { setTimeout as pause } from "node:timers/promises";
import { parentPort, type MessagePort, workerData } from "node:worker_threads";
import type { Config } from "../config.ts";
import { STEADY_CLOCK, SYSTEM_CLOCK } from "../domain/clock.ts";
import { idleCollection } from "../domain/garbage-collection.ts";
import { KeyRing, type SharedKeys } from "../http/key-ring.ts";
import { detachMemoryOnce } from "../process/detached-memory.ts";
import { createLogger } from "../process/logger.ts";
import { receiveSnapshots } from "../snapshot/snapshot-channel.ts";
import { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { WalletMirror } from "../snapshot/wallet-mirror.ts";
import { WALLET_STORE_DEFAULTS } from "../snapshot/wallet-store.ts";
import { CacheWarming } from "./cache-warming.ts";
import { tradeAnswers } from "./gateway-endpoints.ts";
import type { GatewayOrder, GatewayReport } from "./gateway-messages.ts";
import { type BusyThreads, gatewayServer } from "./gateway-server.ts";
import { rehearseTrades } from "./rehearsal.ts";
import { ServiceClient } from "./service-client.ts";
import { tradeReading } from "./trade-reading.ts";

/** Everything a gateway's thread is told at its start; plain data but for the port, which is transferred. */
export interface GatewayThreadData {
  readonly config: Pick<
    Config,
    "tls" | "gateways" | "busyPollUs" | "keepWarmMs" | "logLevel" | "rateLimitPerMinute"
  >;
  readonly busyThreads: BusyThreads;
  readonly keys: SharedKeys;
  readonly snapshotPort: MessagePort;
}

const TELL_USE_EVERY_MS = 1_000;
/** Connections that were handed over before the main thread stopped doing so have come, closed ones have gone by then. */
const SETTLING_MS = 100;

/** Worker entry: answers the connections that the main thread hands over, until it is told to end. */
if (parentPort !== null) {
  detachMemoryOnce();
  const parent = parentPort;
  const { config, busyThreads, keys: shared, snapshotPort } = workerData as GatewayThreadData;
  const logger = createLogger(config.logLevel);
  const report = (message: GatewayReport): void => parent.postMessage(message);

  // 1. What is read: snapshots from the engine, wallets and keys as the main thread has them.
  const snapshots = new SnapshotStore();
  receiveSnapshots(snapshotPort, (message) => snapshots.accept(message));
  const service = new ServiceClient(report);
  const wallets = new WalletMirror({
    ...WALLET_STORE_DEFAULTS,
    clock: SYSTEM_CLOCK,
    steadyClock: STEADY_CLOCK,
    ask: (wallet) => service.askWallet(wallet),
  });
  const keys = new KeyRing(shared.configured, config.rateLimitPerMinute, SYSTEM_CLOCK);
  keys.replaceShared(shared.issued);

  // 2. Answers and bytes: trades from here, the rest from the main thread.
  const assessment = tradeReading(snapshots, wallets, logger);
  const endRehearsal = rehearseTrades(assessment, logger);
  const warming = new CacheWarming(assessment, config.keepWarmMs, logger);
  const server = gatewayServer({
    answers: { ...warming.after(tradeAnswers(assessment)), ...service.answers },
    connectAlerts: (client) => service.alerts.connect(client),
    keys,
    tls: config.tls,
    busyPollUs: config.busyPollUs,
    busyThreads,
    gateways: config.gateways,
    logger,
  });
  snapshots.onSheet(idleCollection(() => server.requests));
  const tellUse = (): void =>
    report({ type: "used", keysLastUsedAtMs: keys.takeUse(), walletUses: wallets.takeUses() });
  const tellingUse = setInterval(tellUse, TELL_USE_EVERY_MS);

  // 3. An end: the process would be aborted if the thread ended before its sockets.
  const end = async (isOrderly: boolean): Promise<void> => {
    endRehearsal();
    warming.end();
    await pause(SETTLING_MS);
    if (isOrderly) await server.close(() => service.alertsTold());
    else server.closeAtOnce();
    clearInterval(tellingUse);
    tellUse();
    snapshotPort.close();
    parent.close();
    await pause(SETTLING_MS);
    process.exit(isOrderly ? 0 : 1);
  };
  const fail = (cause: unknown): void =>
    report({
      type: "failed",
      detail: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    });
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);

  parent.on("message", (order: GatewayOrder) => {
    if (order.type === "stop") void end(true);
    else if (order.type === "released") void end(false);
    else if (order.type === "keys") keys.replaceShared(order.issued);
    else if (order.type === "wallet.news") wallets.accept(order.news);
    else service.accept(order);
  });
  report({ type: "started", descriptor: server.descriptor });
}
