/** Times as fast as real time: beyond it the simulator has no time for those who ask it. */
export const SPEED_MAX = 1000;

/** Where wall time comes from; tests pass one that only moves when told. */
export interface WallClock {
  nowMs(): number;
}

export const SYSTEM_CLOCK: WallClock = { nowMs: () => Date.now() };

/** Wall time that a test moves by hand. */
export class ManualClock implements WallClock {
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
  readonly #wall: WallClock;
  readonly #startMs: number;
  readonly #speedFactor: number;

  constructor(wall: WallClock, speedFactor: number) {
    this.#wall = wall;
    this.#startMs = wall.nowMs();
    this.#speedFactor = speedFactor;
  }

  nowMs(): number {
    return Math.floor(this.#startMs + (this.#wall.nowMs() - this.#startMs) * this.#speedFactor);
  }
}
