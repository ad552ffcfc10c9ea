import { MessageChannel, type MessagePort, type WorkerOptions } from "node:worker_threads";
import type { Logger } from "pino";
import { BACKGROUND_MEMORY } from "../domain/thread-memory.ts";
import { RestartingThread } from "../process/restarting-thread.ts";
import { SilenceWatch } from "../process/silence-watch.ts";
import { threadUrl } from "../process/thread-url.ts";
import { receiveSnapshots, type SnapshotMessage } from "../snapshot/snapshot-channel.ts";
import type { EngineThreadData } from "./engine-thread.ts";

/**
 * The engine speaks once a second; silent for so many looks it hangs, and another is started in its place. Not before it has
 * spoken: it may have a long recording to open.
 */
const SILENT_LOOKS_MAX = 20;

/** It writes what was learned and the regimes first, and on a machine without a free core it is last to run. */
const STOP_TIMEOUT_MS = 15_000;

/**
 * Keeps one engine thread running and its snapshots flowing to whoever keeps them. The gateway answers on while an engine is
 * away: its snapshots age into stale and then into refusals, exits excepted.
 */
export class EngineHost {
  readonly #data: Omit<EngineThreadData, "snapshotPort">;
  readonly #accept: (message: SnapshotMessage) => void;
  readonly #logger: Logger;
  #thread: RestartingThread<never, never> | undefined;
  #receiving: MessagePort | undefined;
  readonly #watch: SilenceWatch;

  constructor(
    data: Omit<EngineThreadData, "snapshotPort">,
    accept: (message: SnapshotMessage) => void,
    logger: Logger,
  ) {
    this.#data = data;
    this.#accept = accept;
    this.#logger = logger;
    this.#watch = new SilenceWatch(SILENT_LOOKS_MAX, (forMs) => {
      logger.error({ event: "engine.silent", forMs }, "the engine hangs");
      this.#thread?.replace();
    });
  }

  start(): void {
    this.#thread = new RestartingThread({
      name: "engine",
      url: threadUrl("engine/engine-thread"),
      workerOptions: () => this.#openRun(),
      logger: this.#logger,
      onReply: () => undefined,
      onEnd: () => {
        this.#receiving?.close();
        this.#watch.forget();
      },
      ending: { timeoutMs: STOP_TIMEOUT_MS },
    });
    this.#watch.start();
  }

  async stop(): Promise<void> {
    this.#watch.stop();
    await this.#thread?.stop();
  }

  /** A new run of the engine has a channel of its own: what a dead one left unread is not mixed into it. */
  #openRun(): WorkerOptions {
    const { port1: receiving, port2: snapshotPort } = new MessageChannel();
    this.#receiving = receiving;
    this.#accept({ type: "run.began", hasBeenReady: false });
    receiveSnapshots(receiving, (message) => {
      this.#watch.heard();
      this.#accept(message);
    });
    return {
      workerData: { ...this.#data, snapshotPort } satisfies EngineThreadData,
      transferList: [snapshotPort],
      resourceLimits: BACKGROUND_MEMORY,
    };
  }
}
