const WINDOW_MS = 60_000;

/**
 * An exact sliding window: never more than `limit` accepted requests in any 60 seconds. Refused requests do not
 * count. Memory: 8 bytes a slot, one ring a key.
 */
export class SlidingWindow {
  readonly limit: number;
  readonly #acceptedAtMs: Float64Array;
  #oldest = 0;
  #count = 0;

  constructor(limit: number) {
    this.limit = limit;
    this.#acceptedAtMs = new Float64Array(limit);
  }

  /** Accepts and counts a request at this instant of a monotonic clock, or refuses it. */
  accept(nowMs: number): boolean {
    this.#forget(nowMs);
    if (this.#count === this.limit) return false;
    this.#acceptedAtMs[(this.#oldest + this.#count) % this.limit] = nowMs;
    this.#count += 1;
    return true;
  }

  /** Requests that would be accepted now. Call after accept. */
  get remaining(): number {
    return this.limit - this.#count;
  }

  /** Whole seconds, at least 1, until the oldest counted request leaves the window. */
  secondsUntilFree(nowMs: number): number {
    if (this.#count === 0) return 1;
    return Math.max(1, Math.ceil((this.#acceptedAtMs[this.#oldest]! + WINDOW_MS - nowMs) / 1000));
  }

  #forget(nowMs: number): void {
    while (this.#count > 0 && this.#acceptedAtMs[this.#oldest]! <= nowMs - WINDOW_MS) {
      this.#oldest = (this.#oldest + 1) % this.limit;
      this.#count -= 1;
    }
  }
}
