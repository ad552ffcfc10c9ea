import type { Clock } from "../domain/clock.ts";

/** More than a clock drifts or an answer is under way. */
const JUMP_MS = 60_000;

/**
 * The exchange's time: the hours of bars and settlements are its hours, and those of a replay are past ones. Ages of
 * what arrived are not measured with it but with this machine's clock.
 *
 * Holds:  one answer alone does not move it by more than a minute: a jump counts when the next answer confirms it
 */
export class MarketClock implements Clock {
  readonly #wall: Clock;
  #offsetMs = 0;
  /** Of an answer that has to be confirmed. */
  #doubtedMs: number | null = null;

  constructor(wall: Clock) {
    this.#wall = wall;
  }

  nowMs(): number {
    return this.#wall.nowMs() + this.#offsetMs;
  }

  /** Whether it was believed. */
  set(exchangeTimeMs: number): boolean {
    const offsetMs = exchangeTimeMs - this.#wall.nowMs();
    const isNear = (knownMs: number | null): boolean =>
      knownMs !== null && Math.abs(offsetMs - knownMs) <= JUMP_MS;
    const isBelieved = isNear(this.#offsetMs) || isNear(this.#doubtedMs);
    this.#doubtedMs = isBelieved ? null : offsetMs;
    if (isBelieved) this.#offsetMs = offsetMs;
    return isBelieved;
  }
}
