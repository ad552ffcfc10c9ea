import { PROCESS_ORIGIN_MS } from "./process-clock.ts";

/** A thread that had a request so lately is busy. */
const BUSY_FOR_MS = 5;
/** A request is prompt that comes after an answer within so many times what is polled: a client's turn, and wake-ups. */
const PROMPT_POLLS = 4;
/** Turns after which a prompt request makes a thread look out, its own included: not every request of a client is. */
const HOPEFUL_TURNS = 4;

/**
 * Whether a thread that has answered looks for the next request for a while before it sleeps, and for how long. Clients and
 * the engine need a core, too: it does while fewer of the threads that answer are busy than the machine has cores, so that
 * of several threads the one that a single client asks looks out for it, and none does when all have work. And it does
 * while clients ask again soon after an answer: looking makes garbage, some ten kilobytes in 100 µs, which would be half of
 * what a thread leaves to collect whose requests are milliseconds apart.
 *
 * Memory: 8 bytes a thread, shared by the threads of the process
 */
export class BusyPolling {
  readonly #pollMs: number;
  readonly #cores: number;
  /** When each thread had its last request, by the clock that all threads read alike. */
  readonly #busyAtMs: Float64Array;
  readonly #place: number;
  readonly #originMs: number;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #hopefulTurns = HOPEFUL_TURNS;

  /** originMs is added to this thread's times to have those of a clock that all threads share. */
  constructor(
    pollMs: number,
    cores: number,
    memory: SharedArrayBuffer,
    place: number,
    originMs = PROCESS_ORIGIN_MS,
  ) {
    this.#pollMs = pollMs;
    this.#cores = cores;
    this.#busyAtMs = new Float64Array(memory);
    this.#place = place;
    this.#originMs = originMs;
  }

  /** For so many threads, none of which had a request yet. */
  static memoryFor(threads: number): SharedArrayBuffer {
    return new SharedArrayBuffer(threads * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Until when a thread looks that has just answered what it was asked from a time on; that instant where it may not. */
  untilMs(nowMs: number, askedAtMs: number): number {
    const isPrompt = askedAtMs - this.#answeredAtMs < PROMPT_POLLS * this.#pollMs;
    this.#answeredAtMs = nowMs;
    this.#hopefulTurns = isPrompt ? HOPEFUL_TURNS : Math.max(0, this.#hopefulTurns - 1);
    const busyAtMs = this.#busyAtMs;
    const atMs = nowMs + this.#originMs;
    busyAtMs[this.#place] = atMs;
    let busy = 0;
    for (let i = 0; i < busyAtMs.length; i++) {
      if (atMs - busyAtMs[i]! < BUSY_FOR_MS) busy += 1;
    }
    return busy < this.#cores && this.#hopefulTurns > 0 ? nowMs + this.#pollMs : nowMs;
  }
}
