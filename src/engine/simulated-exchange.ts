import { Worker } from "node:worker_threads";
import { ConfigError } from "../config.ts";
import { endThread } from "../process/end-thread.ts";
import { threadUrl } from "../process/thread-url.ts";
import type { SimulatorAddress } from "../simulator/simulator-thread.ts";
import type { SimulatorOptions } from "../simulator/simulator.ts";
import type { ExchangeConnection } from "./exchange-connection.ts";

/**
 * The embedded exchange allows what the real one does, except weight: 1200 a minute would spread the first reading of
 * all histories over minutes, and a newcomer should see every asset at once.
 */
const WEIGHT_PER_MINUTE = 60_000;

export interface SimulatedExchange {
  readonly address: SimulatorAddress;
  readonly connection: ExchangeConnection;
  stop(): Promise<void>;
}

/**
 * Starts the simulator in a thread of its own. onLost is called when the thread ends unasked.
 *
 * Errors:  ConfigError when its port cannot be had
 */
export async function startSimulatedExchange(
  options: Pick<SimulatorOptions, "port" | "seed" | "speedFactor" | "assetCount">,
  onLost: (cause: unknown) => void,
): Promise<SimulatedExchange> {
  const workerData: SimulatorOptions = {
    ...options,
    host: "127.0.0.1",
    control: true,
    limits: { weightPerMinute: WEIGHT_PER_MINUTE },
  };
  const worker = new Worker(threadUrl("simulator/simulator-thread"), { workerData });
  let isStopping = false;
  const address = await addressOf(worker, (cause) => {
    if (!isStopping) onLost(cause);
  }).catch((cause: unknown) => {
    throw isRefusedPort(cause) ? portError(workerData.host, options.port) : cause;
  });
  return {
    address,
    connection: {
      kind: "network",
      infoUrl: address.infoUrl,
      wsUrl: address.wsUrl,
      weightPerMinute: WEIGHT_PER_MINUTE,
      isRealTime: options.speedFactor === 1,
    },
    async stop() {
      isStopping = true;
      await endThread(worker, "stop");
    },
  };
}

/** Rejects where the thread ends before it listens; of what ends it later onEnd is told, at whatever moment it comes. */
function addressOf(worker: Worker, onEnd: (cause: unknown) => void): Promise<SimulatorAddress> {
  return new Promise((resolve, reject) => {
    let tell: (cause: unknown) => void = reject;
    worker.once("message", (address: SimulatorAddress) => {
      tell = onEnd;
      resolve(address);
    });
    worker.on("error", (cause) => tell(cause));
    worker.on("exit", (code) => tell(new Error(`the simulated exchange's thread ended with ${code}`)));
  });
}

function isRefusedPort(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause && cause.syscall === "listen";
}

function portError(host: string, port: number): ConfigError {
  return new ConfigError(
    `BREAKWATER_SIMULATOR_PORT cannot be used: ${host}:${port} is taken or not allowed; 0 takes a free one`,
  );
}
