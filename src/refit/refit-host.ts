import { Worker } from "node:worker_threads";
import { err, ok, type Result } from "../domain/result.ts";
import { BACKGROUND_MEMORY } from "../domain/thread-memory.ts";
import type { AssetDiagnostics } from "../risk/backtest/asset-diagnostics.ts";
import type { RefitFailure, RefitJob, RefitOutput, RefitRunner } from "./refit-runner.ts";
import type { WorkerAnswer } from "./refit-worker.ts";
import type { ReplayedForecasts } from "./replay-job.ts";
import type { DrawnSheet } from "./sheet-job.ts";
import type { FittedVolatility } from "./volatility-job.ts";
import { createWorkerPriority, makeNicer } from "./worker-priority.ts";

export interface RefitHostOptions {
  /** The module that the worker runs. */
  readonly workerUrl: URL;
  /** Of every job but the sheets, to the second. */
  readonly jobDeadlineMs: number;
  readonly sheetDeadlineMs: number;
}

export const REFIT_DEADLINES = {
  jobDeadlineMs: 30_000,
  sheetDeadlineMs: 180_000,
} as const satisfies Omit<RefitHostOptions, "workerUrl">;

/** Who goes first among those that wait; equals in the order of arrival. An asset's first model makes it live. */
function rankOf(job: RefitJob): number {
  if (job.kind === "sheet") return 0;
  if (job.kind === "volatility") return job.options.previous === null ? 1 : 2;
  return 3;
}

export interface RefitHost extends RefitRunner {
  /** From now on its worker is nicer than what answers. */
  yieldCores(): void;
}

interface Ticket {
  readonly job: RefitJob;
  readonly settle: (result: Result<RefitOutput, RefitFailure>) => void;
}

const LOOK_EVERY_MS = 1_000;

/** The worker keeps what its largest job allocated, 170 MB after a full sheet; without work for this long it is let go. */
const IDLE_MS_MAX = 10_000;

/**
 * Jobs on a worker thread, one at a time. A job past its deadline or a crashed worker costs that job and that worker: the
 * job fails, the worker is replaced, the queue goes on.
 *
 * Holds:  every job settles once; sheets go ahead of waiting fits but the one that the worker has, first fits ahead of
 *         later ones, and all of them ahead of the record of forecasts
 */
export function openRefitHost(options: RefitHostOptions): RefitHost {
  const queue = new JobQueue(options);
  return {
    fitVolatility: (job) => queue.run(job) as Promise<Result<FittedVolatility | null, RefitFailure>>,
    drawSheet: (job) => queue.run(job) as Promise<Result<DrawnSheet, RefitFailure>>,
    replayForecasts: (job) => queue.run(job) as Promise<Result<ReplayedForecasts, RefitFailure>>,
    diagnose: (job) => queue.run(job) as Promise<Result<AssetDiagnostics, RefitFailure>>,
    close: () => queue.close(),
    yieldCores: () => queue.yieldCores(),
  };
}

class JobQueue {
  readonly #options: RefitHostOptions;
  readonly #waiting: Ticket[] = [];
  /** Started with the host, and after a loss with the next job, so that one that cannot start does not start for ever. */
  #worker: Worker | null = null;
  /** The worker's. */
  #priority = createWorkerPriority(false);
  #current: Ticket | null = null;
  /** A fit posted behind a fit, so that the worker does not wait for this thread between two short jobs. */
  #ahead: Ticket | null = null;
  #deadline: NodeJS.Timeout | null = null;
  #idle: NodeJS.Timeout | null = null;
  #isClosed = false;
  #isNicer = false;

  constructor(options: RefitHostOptions) {
    this.#options = options;
    this.#startWorker();
    this.#rest();
  }

  run(job: RefitJob): Promise<Result<RefitOutput, RefitFailure>> {
    if (this.#isClosed) return Promise.resolve(err({ code: "closed", detail: "the host is closed" }));
    return new Promise((settle) => {
      const later = this.#waiting.findIndex((waiting) => rankOf(waiting.job) > rankOf(job));
      this.#waiting.splice(later === -1 ? this.#waiting.length : later, 0, { job, settle });
      this.#assign();
    });
  }

  yieldCores(): void {
    this.#isNicer = true;
    if (this.#worker !== null) makeNicer(this.#priority);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const failure: RefitFailure = { code: "closed", detail: "the host was closed" };
    for (const { settle } of this.#waiting.splice(0)) settle(err(failure));
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#ahead?.settle(err(failure));
    this.#ahead = null;
    this.#settle(err(failure));
    await this.#worker?.terminate();
  }

  #startWorker(): Worker {
    // Its own heap limit: a job that runs wild dies alone instead of taking the process with it.
    const limits = { ...BACKGROUND_MEMORY, maxOldGenerationSizeMb: 1024 };
    const priority = createWorkerPriority(this.#isNicer);
    const worker = new Worker(this.#options.workerUrl, { resourceLimits: limits, workerData: priority });
    this.#worker = worker;
    this.#priority = priority;
    const isCurrent = (): boolean => this.#worker === worker && !this.#isClosed;
    worker.on("message", (answer: WorkerAnswer) => {
      if (!isCurrent()) return;
      this.#settle(answer.ok ? ok(answer.output) : err({ code: "failed", detail: answer.detail }));
      this.#rest();
      this.#assign();
    });
    worker.on("error", (error) => {
      if (isCurrent()) this.#lose({ code: "crashed", detail: String(error) });
    });
    worker.on("exit", (exitCode) => {
      if (isCurrent()) this.#lose({ code: "crashed", detail: `worker exited with ${exitCode}` });
    });
    return worker;
  }

  #assign(): void {
    if (this.#current === null) {
      const ticket = this.#ahead ?? this.#post();
      if (ticket === null) return;
      this.#ahead = null;
      this.#begin(ticket);
    }
    const areFits = this.#current?.job.kind === "volatility" && this.#waiting[0]?.job.kind === "volatility";
    if (areFits) this.#ahead ??= this.#post();
  }

  /** The first that waits, with the worker; null when none waits. */
  #post(): Ticket | null {
    const ticket = this.#waiting.shift();
    if (ticket === undefined) return null;
    (this.#worker ?? this.#startWorker()).postMessage(ticket.job);
    return ticket;
  }

  #begin(ticket: Ticket): void {
    const { kind } = ticket.job;
    const { jobDeadlineMs, sheetDeadlineMs } = this.#options;
    const deadlineMs = kind === "sheet" ? sheetDeadlineMs : jobDeadlineMs;
    const worker = this.#worker;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#current = ticket;
    // Looks, not time: while the process or the machine stands still, so does the worker.
    let looksLeft = Math.ceil(deadlineMs / LOOK_EVERY_MS);
    this.#deadline = setInterval(() => {
      if (--looksLeft > 0) return;
      void worker?.terminate();
      this.#lose({ code: "late", detail: `${kind} job took over ${deadlineMs} ms` });
    }, LOOK_EVERY_MS);
  }

  /** Lets the worker go unless a job comes in time. */
  #rest(): void {
    this.#idle = setTimeout(() => {
      void this.#worker?.terminate();
      this.#worker = null;
      this.#idle = null;
    }, IDLE_MS_MAX);
  }

  #lose(failure: RefitFailure): void {
    this.#worker = null;
    if (this.#ahead !== null) this.#waiting.unshift(this.#ahead);
    this.#ahead = null;
    this.#settle(err(failure));
    this.#assign();
  }

  #settle(result: Result<RefitOutput, RefitFailure>): void {
    if (this.#deadline !== null) clearInterval(this.#deadline);
    const ticket = this.#current;
    this.#current = null;
    this.#deadline = null;
    ticket?.settle(result);
  }
}
