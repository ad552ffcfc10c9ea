import { parentPort, workerData } from "node:worker_threads";
import { startSimulator, type SimulatorOptions } from "./simulator.ts";

/** What the thread posts once it listens. */
export interface SimulatorAddress {
  readonly infoUrl: string;
  readonly wsUrl: string;
  readonly controlUrl: string | undefined;
}

/** Worker entry: options arrive as workerData, addresses leave as one message; any message from outside stops it. */
if (parentPort !== null) {
  const simulator = await startSimulator(workerData as SimulatorOptions);
  const { infoUrl, wsUrl, controlUrl } = simulator;
  parentPort.postMessage({ infoUrl, wsUrl, controlUrl } satisfies SimulatorAddress);
  const port = parentPort;
  port.once("message", () => void simulator.stop().then(() => port.close()));
}
