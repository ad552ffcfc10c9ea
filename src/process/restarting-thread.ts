import { Worker, type WorkerOptions } from "node:worker_threads";
import type { Logger } from "pino";
import { doublingPauseMs } from "../domain/doubling-pause.ts";
import { endThread, type EndThreadOptions } from "./end-thread.ts";

const RESTART_DELAY_MS = 1_000;
/** A thread that dies again and again waits twice as long each time: what it asks of others at a start has its limits. */
const RESTART_DELAY_MS_MAX = 60_000;
/** One that lived for so long has not died of its start. */
const LIVED_MS_MIN = 60_000;

export interface RestartingThreadOptions<Reply> {
  /** For the log. */
  readonly name: string;
  readonly url: URL;
  /** Asked before every start: what the thread is told. */
  readonly workerOptions: () => WorkerOptions;
  readonly logger: Logger;
  readonly onReply: (reply: Reply) => void;
  /** What was asked of the thread before is not answered any more. */
  readonly onEnd: () => void;
  readonly ending?: EndThreadOptions;
}

/** One worker thread that comes back after a crash. Understands a request to stop as {"type": "stop"}. */
export class RestartingThread<Request, Reply> {
  readonly #options: RestartingThreadOptions<Reply>;
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  /** In a row, of threads that did not live long. */
  #deaths = 0;
  #isStopping = false;

  constructor(options: RestartingThreadOptions<Reply>) {
    this.#options = options;
    this.#start();
  }

  /** False when there is no thread to ask at the moment. */
  ask(request: Request): boolean {
    this.#worker?.postMessage(request);
    return this.#worker !== undefined;
  }

  /** Ends a thread that hangs; another is started in its place. */
  replace(): void {
    void this.#worker?.terminate();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    if (this.#worker === undefined) return;
    const { name, logger, ending } = this.#options;
    if (await endThread(this.#worker, { type: "stop" }, ending)) return;
    const text = "a thread did not stop in time: what it had still to write or to answer is lost";
    logger.warn({ event: `${name}.stop_timeout` }, text);
  }

  #start(): void {
    const { name, url, workerOptions, logger, onReply, onEnd } = this.#options;
    const worker = new Worker(url, workerOptions());
    const startedAtMs = performance.now();
    this.#worker = worker;
    worker.on("message", onReply);
    worker.on("error", (cause) => logger.error({ event: `${name}.crashed`, err: cause }, "a thread crashed"));
    worker.on("exit", (code) => {
      this.#worker = undefined;
      onEnd();
      if (this.#isStopping) return;
      this.#deaths = performance.now() - startedAtMs >= LIVED_MS_MIN ? 1 : this.#deaths + 1;
      const restartInMs = doublingPauseMs(this.#deaths, RESTART_DELAY_MS, RESTART_DELAY_MS_MAX);
      logger.error({ event: `${name}.ended`, code, restartInMs }, "a thread ended");
      this.#restart = setTimeout(() => this.#start(), restartInMs);
    });
  }
}
