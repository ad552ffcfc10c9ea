import { SharedLock } from "./shared-lock.ts";

const WINDOW_MS = 60_000;

/** Int32 each: the lock, the slot of the oldest request, how many are counted; one more to align what follows. */
const LOCK = 0;
const OLDEST = 1;
const COUNT = 2;
const HEADER_BYTES = 4 * Int32Array.BYTES_PER_ELEMENT;

/**
 * An exact sliding window: never more than `limit` accepted requests in any 60 seconds, over all threads that count in
 * its memory. Refused requests do not count. Requests leave in the order in which they were counted, so one whose thread
 * read the clock a little before the newest counted one, and was counted after it, is as good as counted at the same time.
 *
 * Memory: 8 bytes a slot, one ring a key
 */
export class SlidingWindow {
  readonly limit: number;
  /** Another thread's window that is made of it counts the same requests. */
  readonly memory: SharedArrayBuffer;
  readonly #originMs: number;
  readonly #header: Int32Array;
  readonly #acceptedAtMs: Float64Array;
  readonly #lock: SharedLock;
  #remaining: number;
  #oldestAtMs = Number.NEGATIVE_INFINITY;

  /** originMs is added to this thread's times to have those of a clock that all threads share. */
  constructor(limit: number, originMs = 0, memory = memoryOf(limit)) {
    this.limit = limit;
    this.memory = memory;
    this.#originMs = originMs;
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#acceptedAtMs = new Float64Array(memory, HEADER_BYTES, limit);
    this.#lock = new SharedLock(this.#header, LOCK);
    this.#remaining = limit;
  }

  /** Accepts and counts a request at this instant of a monotonic clock, or refuses it. */
  accept(nowMs: number): boolean {
    const header = this.#header;
    const acceptedAtMs = this.#acceptedAtMs;
    const { limit } = this;
    this.#lock.acquire();
    let oldest = header[OLDEST]!;
    let count = header[COUNT]!;
    const atMs = nowMs + this.#originMs;
    while (count > 0 && acceptedAtMs[oldest]! <= atMs - WINDOW_MS) {
      oldest = (oldest + 1) % limit;
      count -= 1;
    }
    const isAccepted = count < limit;
    if (isAccepted) {
      acceptedAtMs[(oldest + count) % limit] = atMs;
      count += 1;
    }
    header[OLDEST] = oldest;
    header[COUNT] = count;
    this.#oldestAtMs = acceptedAtMs[oldest]!;
    this.#lock.release();
    this.#remaining = limit - count;
    return isAccepted;
  }

  /** Requests that would have been accepted after the last one that this thread asked for. */
  get remaining(): number {
    return this.#remaining;
  }

  /** Whole seconds, at least 1, until the oldest counted request leaves the window, as this thread last saw it. */
  secondsUntilFree(nowMs: number): number {
    return Math.max(1, Math.ceil((this.#oldestAtMs + WINDOW_MS - (nowMs + this.#originMs)) / 1000));
  }
}

function memoryOf(limit: number): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + limit * Float64Array.BYTES_PER_ELEMENT);
}
