import { MessageChannel, type MessagePort, type WorkerOptions } from "node:worker_threads";
import type { Logger } from "pino";
import { BACKGROUND_MEMORY } from "../domain/thread-memory.ts";
import { RestartingThread } from "../process/restarting-thread.ts";
import { threadUrl } from "../process/thread-url.ts";
import { receiveSnapshots, type SnapshotMessage } from "../snapshot/snapshot-channel.ts";
import type { EngineThreadData } from "./engine-thread.ts";

/** The engine speaks once a second; silent for so many looks, one a second, it hangs, and another is started in its place. */
const SILENT_LOOKS_MAX = 20;
const WATCH_PERIOD_MS = 1_000;

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
  /**
   * Since the engine was heard; null before it first speaks, for it may have a long recording to open. Looks, not time:
   * while the whole process stands still nobody listens, either.
   */
  #silentLooks: number | null = null;
  #watch: NodeJS.Timeout | undefined;

  constructor(
    data: Omit<EngineThreadData, "snapshotPort">,
    accept: (message: SnapshotMessage) => void,
    logger: Logger,
  ) {
    this.#data = data;
    this.#accept = accept;
    this.#logger = logger;
  }

  start(): void {
    this.#thread = new RestartingThread({
      name: "engine",
      url: threadUrl("engine/engine-thread"),
      workerOptions: () => this.#openRun(),
      logger: this.#logger,
      onReply: () => undefined,
      onEnd: () => this.#receiving?.close(),
    });
    this.#watch = setInterval(() => {
      if (this.#silentLooks === null || ++this.#silentLooks < SILENT_LOOKS_MAX) return;
      const forMs = SILENT_LOOKS_MAX * WATCH_PERIOD_MS;
      this.#logger.error({ event: "engine.silent", forMs }, "the engine hangs");
      this.#silentLooks = null;
      this.#thread?.replace();
    }, WATCH_PERIOD_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#watch);
    await this.#thread?.stop();
  }

  /** A new run of the engine has a channel of its own: what a dead one left unread is not mixed into it. */
  #openRun(): WorkerOptions {
    const { port1: receiving, port2: snapshotPort } = new MessageChannel();
    this.#receiving = receiving;
    this.#silentLooks = null;
    this.#accept({ type: "run.began", hasBeenReady: false });
    receiveSnapshots(receiving, (message) => {
      this.#silentLooks = 0;
      this.#accept(message);
    });
    return {
      workerData: { ...this.#data, snapshotPort } satisfies EngineThreadData,
      transferList: [snapshotPort],
      resourceLimits: BACKGROUND_MEMORY,
    };
  }
}
