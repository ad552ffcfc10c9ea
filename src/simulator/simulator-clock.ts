import type { Clock } from "../domain/clock.ts";

/** Times as fast as real time: below it next to nothing happens, beyond it the simulator has no time for those who ask it. */
export const SPEED_MIN = 0.01;
export const SPEED_MAX = 1000;

/** Wall time that a test moves by hand. */
export class ManualClock implements Clock {
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  advance(elapsedMs: number): void {
    this.#nowMs += elapsedMs;
  }
}

/** Market time = start + elapsed wall time × speed. */
export class MarketClock {
  readonly #wall: Clock;
  readonly #startMs: number;
  readonly #speedFactor: number;

  constructor(wall: Clock, speedFactor: number) {
    this.#wall = wall;
    this.#startMs = wall.nowMs();
    this.#speedFactor = speedFactor;
  }

  nowMs(): number {
    return Math.floor(this.#startMs + (this.#wall.nowMs() - this.#startMs) * this.#speedFactor);
  }
}
