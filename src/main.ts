import "./process/node-version.ts";
import "./process/vector-instructions.ts";
import { randomBytes } from "node:crypto";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { SYSTEM_CLOCK } from "./domain/clock.ts";
import { collectYoungObjectsAlone } from "./domain/garbage-collection.ts";
import { runtimeThreads } from "./domain/thread-priority.ts";
import { EngineHost } from "./engine/engine-host.ts";
import { type ExchangeConnection, openWallets } from "./engine/exchange-connection.ts";
import { outagesLogged } from "./engine/outage-log.ts";
import { type SimulatedExchange, startSimulatedExchange } from "./engine/simulated-exchange.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { KeyRing, type StoredKey, storedKeyOf } from "./http/key-ring.ts";
import {
  claimDataDirectory,
  marketDirectory,
  marketSinceMs,
  prepareDataDirectory,
} from "./process/data-directory.ts";
import { lockDataDirectory } from "./process/data-lock.ts";
import { detachMemoryOnce } from "./process/detached-memory.ts";
import { createLogger } from "./process/logger.ts";
import { LogOutput } from "./process/log-output.ts";
import { RecordsHost } from "./records/records-host.ts";
import { SnapshotFanOut } from "./snapshot/snapshot-fan-out.ts";
import { SnapshotStore } from "./snapshot/snapshot-store.ts";

/** How closely the time of a key's last use is kept. */
const KEY_USE_EVERY_MS = 10_000;
const STANDARD_ERROR_FD = 2;

/** The program: 1. configuration, 2. the exchange, 3. an orderly end, 4. the engine, 5. keys and records, 6. the gateway. */
async function main(config: Config): Promise<void> {
  prepareDataDirectory(config.dataDir);
  const helperThreads = runtimeThreads();
  collectYoungObjectsAlone();
  detachMemoryOnce();
  const logger = createLogger(config.logLevel);
  const fail = (cause: unknown): void => {
    logger.fatal({ event: "service.failed", err: cause }, "the service cannot go on");
    process.exit(1);
  };
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);

  if (config.unreadSettings.length > 0) {
    const text = "set, but not among the settings that this configuration reads";
    logger.warn({ event: "settings.unread", settings: config.unreadSettings }, text);
  }

  // 2. The exchange: the embedded one, the real one, or a recording.
  const simulated =
    config.exchange.kind === "simulated" ? await startSimulatedExchange(config.exchange, fail) : undefined;
  if (simulated !== undefined) {
    const url = simulated.address.infoUrl.replace(/\/info$/, "");
    logger.info({ event: "simulator.listening", url }, "the simulated exchange listens");
  }
  const connection = connectionOf(config, simulated);
  const exchangeName = config.exchange.kind;
  const walletSource = await openWallets(connection, outagesLogged(logger));
  // Not before a recording was found: a misspelt one claims nothing. Nor without the lock: of two that start at once the one
  // that is refused would name its own market.
  process.once("exit", lockDataDirectory(config.dataDir));
  claimDataDirectory(config.dataDir, config.exchange);
  const dataDir = marketDirectory(config.dataDir, config.exchange);

  // 3. An orderly end, also of what is only starting: the newest first, because it uses what is older.
  const opened: (() => Promise<void> | undefined)[] = [() => simulated?.stop()];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeInTurn(opened.toReversed()));
  const end = async (signal: string): Promise<void> => {
    if (closing !== undefined) return;
    logger.info({ event: "service.stopping", signal }, "finishing requests in flight");
    await close();
    logger.info({ event: "service.stopped" }, "stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
    process.on(signal, () => void end(signal).catch(fail));

  // 4. The engine, in a thread of its own.
  const snapshots = new SnapshotStore();
  const snapshotFanOut = new SnapshotFanOut(snapshots);
  const engine = new EngineHost(
    { connection, dataDir, logLevel: config.logLevel, helperThreads },
    (message) => snapshotFanOut.accept(message),
    logger,
  );
  engine.start();

  // 5. Keys and records, the latter in threads of their own.
  const demoKey =
    config.apiKeys.length === 0 && config.keysFile.length === 0 && simulated !== undefined
      ? newDemoKey()
      : undefined;
  const keys = new KeyRing(storedKeys(config, demoKey), config.rateLimitPerMinute, SYSTEM_CLOCK);
  const records = new RecordsHost(
    {
      location: config.records,
      dataDir,
      marketSinceMs: marketSinceMs(config.exchange, SYSTEM_CLOCK.nowMs()),
      retentionDays: config.outcomeRetentionDays,
      logLevel: config.logLevel,
      logger,
    },
    (issued) => {
      keys.replaceIssued(issued);
      if (!keys.isEmpty) return;
      logger.warn(
        { event: "keys.none" },
        "there is no key, and what needs one is refused: npm run keys -- create --id ID",
      );
    },
  );
  const noteKeyUse = (): void => records.noteKeyUse(keys.takeUse());
  setInterval(noteKeyUse, KEY_USE_EVERY_MS).unref();
  // At once: a thread that ends waits until V8's helpers have nothing to do for any thread, the engine's included.
  opened.push(async () => {
    noteKeyUse();
    await Promise.all([records.stop(), engine.stop()]);
  });

  // 6. The gateway, on this thread or on as many others as are configured.
  const starting = startGateway({
    config,
    exchangeName,
    keys,
    records,
    snapshots,
    snapshotFanOut,
    walletSource,
    logger,
  });
  opened.push(async () => {
    const started = await starting.catch(() => undefined);
    await started?.close();
  });
  const gateway = await starting.then(allStarted).catch(async (cause: unknown) => {
    // The file database aborts a process that ends while it is being opened, uWebSockets.js one whose threads have sockets.
    await close();
    throw cause;
  });
  // A signal may have come while the threads started.
  if (closing !== undefined) return;
  const url = `${config.tls === undefined ? "http" : "https"}://${config.host.includes(":") ? `[${config.host}]` : config.host}:${gateway.port}`;
  logger.info({ event: "service.listening", url, exchange: exchangeName }, "the service listens");
  if (demoKey !== undefined) printDemoKey(url, demoKey);
}

async function closeInTurn(opened: readonly (() => Promise<void> | undefined)[]): Promise<void> {
  for (const close of opened) await close();
}

async function allStarted(gateway: Gateway): Promise<Gateway> {
  await gateway.started;
  return gateway;
}

function connectionOf(config: Config, simulated: SimulatedExchange | undefined): ExchangeConnection {
  const { exchange } = config;
  if (simulated !== undefined) return simulated.connection;
  if (exchange.kind === "replay") return exchange;
  if (exchange.kind === "simulated") throw new Error("the simulated exchange was not started");
  const { infoUrl, wsUrl, weightPerMinute } = exchange;
  return { kind: "network", infoUrl, wsUrl, weightPerMinute, isRealTime: true };
}

function storedKeys(config: Config, demoKey: string | undefined): readonly StoredKey[] {
  return [
    ...config.apiKeys.map((key, index) => storedKeyOf(`environment-${index + 1}`, key)),
    ...config.keysFile.map(({ id, salt, hash, rate_limit_per_minute: limit }) => ({
      id,
      salt,
      hashHex: hash,
      ...(limit !== undefined && { rateLimitPerMinute: limit }),
    })),
    ...(demoKey === undefined ? [] : [storedKeyOf("demo", demoKey)]),
  ];
}

function newDemoKey(): string {
  return `demo_${randomBytes(16).toString("base64url")}`;
}

/** For the person at the terminal, not for the log; as with that, who has gone away ends nothing. */
function printDemoKey(url: string, key: string): void {
  const body =
    '{"asset":"ETH","action":"long","size":25000,"leverage":10,"wallet":"0x5eed000000000000000000000000000000000006"}';
  new LogOutput(STANDARD_ERROR_FD).write(
    `\nSimulated exchange, demo key of this run: ${key}\nTry:\n\n  curl -s ${url}/v1/validate -H "Authorization: Bearer ${key}" \\\n    -H "Content-Type: application/json" -d '${body}'\n\n`,
  );
}

/** Errors: ConfigError: an argument that is ignored leaves a default in force that nobody meant. */
function refuseArguments(given: readonly string[]): void {
  if (given.length === 0) return;
  throw new ConfigError(
    `the service takes no arguments, got ${given.join(" ")}: README.md lists its settings, which are environment variables`,
  );
}

try {
  refuseArguments(process.argv.slice(2));
  await main(readConfig());
} catch (cause) {
  // Only what a person can put right; everything else keeps its stack.
  if (!(cause instanceof ConfigError)) throw cause;
  process.stderr.write(`${cause.message}\n`);
  // The unit file starts it again after 1, not after 2.
  process.exit(cause.isPassing ? 1 : 2);
}
