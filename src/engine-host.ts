import { MessageChannel, Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { EngineThreadData } from "./engine-thread.ts";
import { receiveSnapshots } from "./snapshot/snapshot-channel.ts";
import type { SnapshotStore } from "./snapshot/snapshot-store.ts";
import { threadUrl } from "./thread-url.ts";

/** A crashed engine comes back after this long; meanwhile answers are flagged by the age of what they read. */
const RESTART_DELAY_MS = 1_000;
/** The engine speaks once a second; silent for this long it hangs, and another is started in its place. */
const SILENCE_MS_MAX = 20_000;
const WATCH_PERIOD_MS = 1_000;
/** How long an engine may take to close its sockets and files. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * Keeps one engine thread running and its snapshots flowing into the store. The gateway answers on while an engine is
 * away: its snapshots age into stale and then into refusals, exits excepted.
 */
export class EngineHost {
  readonly #data: Omit<EngineThreadData, "snapshotPort">;
  readonly #snapshots: SnapshotStore;
  readonly #logger: Logger;
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(data: Omit<EngineThreadData, "snapshotPort">, snapshots: SnapshotStore, logger: Logger) {
    this.#data = data;
    this.#snapshots = snapshots;
    this.#logger = logger;
  }

  start(): void {
    const { port1: receiving, port2: snapshotPort } = new MessageChannel();
    let heardAtMs = performance.now();
    this.#snapshots.beginRun();
    receiveSnapshots(receiving, (message) => {
      heardAtMs = performance.now();
      this.#snapshots.accept(message);
    });
    const worker = new Worker(threadUrl("engine-thread"), {
      workerData: { ...this.#data, snapshotPort } satisfies EngineThreadData,
      transferList: [snapshotPort],
    });
    this.#worker = worker;
    worker.on("error", (cause) =>
      this.#logger.error({ event: "engine.crashed", err: cause }, "the engine crashed"),
    );
    const watch = setInterval(() => {
      if (performance.now() - heardAtMs < SILENCE_MS_MAX) return;
      this.#logger.error({ event: "engine.silent", forMs: SILENCE_MS_MAX }, "the engine hangs");
      void worker.terminate();
    }, WATCH_PERIOD_MS);
    worker.on("exit", (code) => {
      clearInterval(watch);
      receiving.close();
      if (this.#isStopping) return;
      this.#logger.error({ event: "engine.ended", code, restartInMs: RESTART_DELAY_MS }, "the engine ended");
      this.#restart = setTimeout(() => this.start(), RESTART_DELAY_MS);
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.postMessage("stop");
    const timer = setTimeout(() => void worker.terminate(), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
}
