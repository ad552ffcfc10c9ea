import { Worker } from "node:worker_threads";
import { err, ok, type Result } from "../domain/result.ts";
import { BACKGROUND_MEMORY } from "../domain/thread-memory.ts";
import type { AssetDiagnostics } from "../risk/backtest/asset-diagnostics.ts";
import type { RefitFailure, RefitJob, RefitOutput, RefitRunner } from "./refit-runner.ts";
import type { WorkerAnswer } from "./refit-worker.ts";
import type { ReplayedForecasts } from "./replay-job.ts";
import type { DrawnSheet } from "./sheet-job.ts";
import type { FittedVolatility } from "./volatility-job.ts";
import { createWorkerPriority, makeNicer, type WorkerPriority } from "./worker-priority.ts";

export interface WorkerPoolOptions {
  readonly workers: number;
  /** The module that a worker runs. */
  readonly workerUrl: URL;
  /** Of every job but the sheets. */
  readonly jobDeadlineMs: number;
  readonly sheetDeadlineMs: number;
}

export const WORKER_POOL_DEFAULTS = {
  workers: 1,
  jobDeadlineMs: 30_000,
  sheetDeadlineMs: 180_000,
} as const satisfies Omit<WorkerPoolOptions, "workerUrl">;

/** Who goes first among those that wait; equals in the order of arrival. An asset's first model makes it live. */
function rankOf(job: RefitJob): number {
  if (job.kind === "sheet") return 0;
  if (job.kind === "volatility") return job.options.previous === null ? 1 : 2;
  return 3;
}

export interface RefitPool extends RefitRunner {
  /** From now on its workers are nicer than what answers. */
  yieldCores(): void;
}

interface Ticket {
  readonly job: RefitJob;
  readonly settle: (result: Result<RefitOutput, RefitFailure>) => void;
}

interface Seat {
  /** Started with the pool, and after a loss with the next job, so that one that cannot start does not start for ever. */
  worker: Worker | null;
  /** The worker's. */
  priority: WorkerPriority;
  ticket: Ticket | null;
  /** A fit posted behind a fit, so that the worker does not wait for this thread between two short jobs. */
  ahead: Ticket | null;
  deadline: NodeJS.Timeout | null;
  idle: NodeJS.Timeout | null;
}

/** A worker keeps what its largest job allocated, 170 MB after a full sheet; without work for this long it is let go. */
const IDLE_MS_MAX = 10_000;

/**
 * Jobs on worker threads, one at a time each. A job past its deadline or a crashed worker costs that job and that
 * worker: the job fails, the worker is replaced, the queue goes on.
 *
 * Holds:  every job settles once; sheets go ahead of waiting fits but the one that the worker has, first fits ahead of
 *         later ones, and all of them ahead of the record of forecasts
 */
export function openWorkerPool(options: WorkerPoolOptions): RefitPool {
  const pool = new WorkerPool(options);
  return {
    fitVolatility: (job) => pool.run(job) as Promise<Result<FittedVolatility | null, RefitFailure>>,
    drawSheet: (job) => pool.run(job) as Promise<Result<DrawnSheet, RefitFailure>>,
    replayForecasts: (job) => pool.run(job) as Promise<Result<ReplayedForecasts, RefitFailure>>,
    diagnose: (job) => pool.run(job) as Promise<Result<AssetDiagnostics, RefitFailure>>,
    close: () => pool.close(),
    yieldCores: () => pool.yieldCores(),
  };
}

class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #queue: Ticket[] = [];
  readonly #seats: Seat[];
  #isClosed = false;
  #isNicer = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#seats = Array.from({ length: options.workers }, () => ({
      worker: null,
      priority: createWorkerPriority(false),
      ticket: null,
      ahead: null,
      deadline: null,
      idle: null,
    }));
    for (const seat of this.#seats) {
      this.#startWorker(seat);
      this.#rest(seat);
    }
  }

  run(job: RefitJob): Promise<Result<RefitOutput, RefitFailure>> {
    if (this.#isClosed) return Promise.resolve(err({ code: "closed", detail: "the pool is closed" }));
    return new Promise((settle) => {
      const later = this.#queue.findIndex((waiting) => rankOf(waiting.job) > rankOf(job));
      this.#queue.splice(later === -1 ? this.#queue.length : later, 0, { job, settle });
      this.#assign();
    });
  }

  yieldCores(): void {
    this.#isNicer = true;
    for (const { worker, priority } of this.#seats) if (worker !== null) makeNicer(priority);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const failure: RefitFailure = { code: "closed", detail: "the pool was closed" };
    for (const { settle } of this.#queue.splice(0)) settle(err(failure));
    const exits = this.#seats.flatMap((seat) => {
      if (seat.idle !== null) clearTimeout(seat.idle);
      seat.ahead?.settle(err(failure));
      seat.ahead = null;
      this.#settle(seat, err(failure));
      return seat.worker === null ? [] : [seat.worker.terminate()];
    });
    await Promise.all(exits);
  }

  #startWorker(seat: Seat): Worker {
    // Its own heap limit: a job that runs wild dies alone instead of taking the process with it.
    const limits = { ...BACKGROUND_MEMORY, maxOldGenerationSizeMb: 1024 };
    const priority = createWorkerPriority(this.#isNicer);
    const worker = new Worker(this.#options.workerUrl, { resourceLimits: limits, workerData: priority });
    seat.worker = worker;
    seat.priority = priority;
    const isCurrent = (): boolean => seat.worker === worker && !this.#isClosed;
    worker.on("message", (answer: WorkerAnswer) => {
      if (!isCurrent()) return;
      this.#settle(seat, answer.ok ? ok(answer.output) : err({ code: "failed", detail: answer.detail }));
      this.#rest(seat);
      this.#assign();
    });
    worker.on("error", (error) => {
      if (isCurrent()) this.#lose(seat, { code: "crashed", detail: String(error) });
    });
    worker.on("exit", (exitCode) => {
      if (isCurrent()) this.#lose(seat, { code: "crashed", detail: `worker exited with ${exitCode}` });
    });
    return worker;
  }

  #assign(): void {
    for (const seat of this.#seats) {
      if (seat.ticket !== null) continue;
      const ticket = seat.ahead ?? this.#post(seat);
      if (ticket === null) break;
      seat.ahead = null;
      this.#begin(seat, ticket);
    }
    for (const seat of this.#seats) {
      const areFits = seat.ticket?.job.kind === "volatility" && this.#queue[0]?.job.kind === "volatility";
      if (areFits && seat.ahead === null) seat.ahead = this.#post(seat);
    }
  }

  /** The first that waits, with a worker; null when none waits. */
  #post(seat: Seat): Ticket | null {
    const ticket = this.#queue.shift();
    if (ticket === undefined) return null;
    (seat.worker ?? this.#startWorker(seat)).postMessage(ticket.job);
    return ticket;
  }

  #begin(seat: Seat, ticket: Ticket): void {
    const { kind } = ticket.job;
    const { jobDeadlineMs, sheetDeadlineMs } = this.#options;
    const deadlineMs = kind === "sheet" ? sheetDeadlineMs : jobDeadlineMs;
    const { worker } = seat;
    if (seat.idle !== null) clearTimeout(seat.idle);
    seat.idle = null;
    seat.ticket = ticket;
    seat.deadline = setTimeout(() => {
      void worker?.terminate();
      this.#lose(seat, { code: "late", detail: `${kind} job took over ${deadlineMs} ms` });
    }, deadlineMs);
  }

  /** Lets the worker go unless a job comes in time. */
  #rest(seat: Seat): void {
    seat.idle = setTimeout(() => {
      void seat.worker?.terminate();
      seat.worker = null;
      seat.idle = null;
    }, IDLE_MS_MAX);
  }

  #lose(seat: Seat, failure: RefitFailure): void {
    seat.worker = null;
    if (seat.ahead !== null) this.#queue.unshift(seat.ahead);
    seat.ahead = null;
    this.#settle(seat, err(failure));
    this.#assign();
  }

  #settle(seat: Seat, result: Result<RefitOutput, RefitFailure>): void {
    if (seat.deadline !== null) clearTimeout(seat.deadline);
    const { ticket } = seat;
    seat.ticket = null;
    seat.deadline = null;
    ticket?.settle(result);
  }
}
