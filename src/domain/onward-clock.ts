import type { Clock } from "./clock.ts";

/**
 * How long things last: it goes on as another clock does, over a machine's sleep too, which a steady clock does not see; but
 * when that one is set back it goes on from where it was last read.
 *
 * Holds:  its time never goes back
 */
export class OnwardClock implements Clock {
  readonly #wall: Clock;
  #wallMs = Number.NEGATIVE_INFINITY;
  /** In all. */
  #setBackMs = 0;

  constructor(wall: Clock) {
    this.#wall = wall;
  }

  nowMs(): number {
    const wallMs = this.#wall.nowMs();
    if (wallMs < this.#wallMs) this.#setBackMs += this.#wallMs - wallMs;
    this.#wallMs = wallMs;
    return wallMs + this.#setBackMs;
  }

  /** When a time of this clock was by the other one, as that is set now. */
  wallMsOf(timeMs: number): number {
    return timeMs - this.nowMs() + this.#wallMs;
  }
}
