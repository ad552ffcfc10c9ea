import type { WorkerOptions } from "node:worker_threads";
import type { RestartingThread, RestartingThreadOptions } from "../../src/process/restarting-thread.ts";

type Kept = Pick<RestartingThread<unknown, unknown>, "ask" | "replace" | "stop">;

/** Stands for a RestartingThread: a test reads what the thread is told, says what it says, and ends and starts it. */
export class ScriptedThread implements Kept {
  /** In the order in which they were made; a test empties it. */
  static readonly made: ScriptedThread[] = [];
  readonly told: unknown[] = [];
  readonly options: RestartingThreadOptions<unknown>;
  /** Of the newest run. */
  run: WorkerOptions;

  constructor(options: RestartingThreadOptions<unknown>) {
    this.options = options;
    this.run = options.workerOptions();
    ScriptedThread.made.push(this);
  }

  ask(request: unknown): boolean {
    return this.told.push(request) > 0;
  }

  say(reply: unknown): void {
    this.options.onReply(reply);
  }

  end(): void {
    this.options.onEnd();
  }

  start(): void {
    this.run = this.options.workerOptions();
  }

  replace(): void {
    throw new Error("nobody replaces this thread");
  }

  stop(): Promise<void> {
    this.told.push("stop");
    return Promise.resolve();
  }
}
